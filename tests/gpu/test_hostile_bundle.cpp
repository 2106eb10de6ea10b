// Bundles from strangers: manifests that lie, files that are not what they say.
#include "tests/gpu/bundle_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>

namespace loopscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Bundled;
using test::overwrite;
using test::read_file;
using test::run_bundle;
using test::scratch_folder;
using testing::HasSubstr;

void expect_refused(const Bundled& bundle, const std::string& text) {
    auto outcome = run_bundle(bundle, scratch_folder() + "/results.json");
    EXPECT_NE(outcome.status, 0);
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(text));
}

json& first_expected(json& manifest) { return manifest["jobs"][0]["checks"][0]["expected"][0]; }

TEST(HostileBundles, AreRefusedByNameAndReason) {
    const struct {
        std::function<void(json&)> change;
        const char* text;
    } cases[] = {
        {[](json& m) { m["format"] = "loopscope-bundle/2"; }, "this version reads"},
        {[](json& m) { m["jobs"][0].erase("plan"); }, "jobs[0].plan` is missing"},
        {[](json& m) { m["jobs"][0]["name"] = "../../etc"; }, "jobs[0].name` must be"},
        {[](json& m) { first_expected(m)["reference"]["file"] = "../../../etc/passwd"; },
         "must be a path inside of the bundle"},
        {[](json& m) { first_expected(m)["reference"]["file"] = "/etc/passwd"; },
         "must be a path inside of the bundle"},
        {[](json& m) { first_expected(m)["reference"]["file"] = "jobs/missing.bin"; },
         "missing.bin"},
        {[](json& m) { first_expected(m)["reference"]["bytes"] = 12; },
         "as its part of the output"},
        {[](json& m) { first_expected(m)["reference"]["bytes"] = 1e18; }, "must be a whole number"},
        {[](json& m) { first_expected(m)["extents"] = {4000, 70}; }, "must be inside the output"},
        {[](json& m) { first_expected(m)["output"] = "img"; }, "must be an output of the plan"},
        {[](json& m) { first_expected(m)["elements"] = "half"; },
         "elements` must be 16 hexadecimal digits"},
        {[](json& m) { m["jobs"][0]["variants"][0]["architecture"] = "sm_-2147483648"; },
         "architecture` must be as \"sm_80\""},
        {[](json& m) { m["jobs"][0]["variants"][0]["architecture"] = "sm_80x"; },
         "architecture` must be as \"sm_80\""},
        {[](json& m) { m["jobs"][0]["checks"] = json::array(); }, "at least one element"},
        {[](json& m) { m["jobs"][0]["checks"][0]["inputs"][0]["rule"] = "zeros/1"; },
         "one that this version knows"},
        {[](json& m) { m["jobs"][0]["checks"][0]["inputs"] = json::array(); },
         "there is no array for the input `img`"},
        {[](json& m) { m["jobs"][0]["plan"]["buffers"][0]["extents"] = {1000000000, 1000000000}; },
         "bytes"},
        {[](json& m) { m["jobs"][0]["plan"]["kernels"][0]["arguments"][0] = "nobody"; },
         "takes nobody, which is no buffer"},
        {[](json& m) { m["jobs"][0]["plan"]["kernels"][0]["grid"] = {0, 1, 1}; },
         "kernels[0].grid` must be"},
        {[](json& m) { m["jobs"][0]["plan"]["kernels"][0]["block"] = {4096, 1, 1}; },
         "takes at most 1024"},
        {[](json& m) { m["jobs"][0]["plan"]["kernels"][0]["name"] = "other"; },
         "the PTX has no kernel `other`"},
        {[](json& m) { m["jobs"].push_back(m["jobs"][0]); }, "two jobs of the name small"},
    };
    for (const auto& one : cases) {
        Bundled bundle;
        ASSERT_EQ(bundle.made.status, 0) << bundle.made.err;
        bundle.change(one.change);
        expect_refused(bundle, one.text);
    }
}

TEST(HostileBundles, FilesAreHeldAgainstTheManifest) {
    Bundled bundle;
    const auto file = bundle.file_of("reference");
    auto bytes = read_file(file);
    bytes[5] ^= 1;
    overwrite(file, bytes);
    expect_refused(bundle, "its hash differs");
    overwrite(file, bytes + "x");
    expect_refused(bundle, "and the manifest says");
    fs::remove(file);
    fs::create_symlink("/etc/passwd", file);
    expect_refused(bundle, "leads out of the bundle");
}

TEST(HostileBundles, WhatIsNoManifest) {
    Bundled bundle;
    overwrite(bundle.folder + "/manifest.json", "{\"jobs\": [");
    expect_refused(bundle, "not a JSON text");
    overwrite(bundle.folder + "/manifest.json", std::string(200000, '['));
    expect_refused(bundle, "in one another");
    fs::remove(bundle.folder + "/manifest.json");
    expect_refused(bundle, "a bundle is a folder with a manifest.json");
}

} // namespace
} // namespace loopscope
