// devices: what cannot be asked is said behind what was found, and a program that is not installed
// is no failure.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>

namespace loopscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// The command line and the worker, and beside them no program, or that one, to ask OpenCL.
std::string installation(const std::string& opencl_worker = "") {
    const auto folder = test::scratch_folder();
    for (const std::string program : {"loopscope-cli", "loopscope-worker"}) {
        std::error_code elsewhere; // on another file system
        fs::create_hard_link(test::program_path(program), folder + "/" + program, elsewhere);
        if (elsewhere)
            fs::copy_file(test::program_path(program), folder + "/" + program);
    }
    if (opencl_worker.empty())
        return folder;
    const auto file = folder + "/loopscope-opencl-worker";
    std::ofstream(file) << opencl_worker;
    fs::permissions(file, fs::perms::owner_all);
    return folder;
}

// Both streams in one, in the order in which they were written.
test::Outcome run_installed(const std::string& folder, const std::string& arguments) {
    const auto file = test::scratch_folder() + "/all";
    const auto command = "XDG_CACHE_HOME='" + test::scratch_folder() + "' LOOPSCOPE_RESOURCES='" +
                         test::source_path("resources") + "' '" + folder + "/loopscope-cli' " +
                         arguments + " >'" + file + "' 2>&1 </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, test::read_file(file), ""};
}

// The last paragraph of what was printed.
std::string end_of(const std::string& text) {
    const auto at = text.rfind("\n\n");
    return at == std::string::npos ? text : text.substr(at + 2);
}

TEST(DevicesWithoutOpencl, AProgramThatIsNotInstalledIsALineAtTheEnd) {
    const auto outcome = run_installed(installation(), "devices");
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_THAT(outcome.out, Not(HasSubstr("error: ")));
    const auto end = end_of(outcome.out);
    EXPECT_THAT(end, testing::StartsWith("no OpenCL device to run on (--target opencl): "));
    EXPECT_THAT(end, HasSubstr("loopscope-opencl-worker belongs in the folder of the program"));
    EXPECT_EQ(std::count(end.begin(), end.end(), '\n'), 1) << end;
}

TEST(DevicesWithoutOpencl, JsonSaysWhy) {
    const auto outcome = run_installed(installation(), "devices --json");
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    const auto all = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(all.at("opencl").empty());
    EXPECT_THAT(all.at("opencl_none").get<std::string>(), HasSubstr("loopscope-opencl-worker"));
    EXPECT_FALSE(all.at("devices").empty());
}

TEST(DevicesWithoutOpencl, AMachineWithoutAPlatformIsNoFailureEither) {
    const auto nowhere = "export OCL_ICD_VENDORS=/nowhere";
    const auto text = test::run_cli({"devices"}, "", nowhere);
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(end_of(text.out), HasSubstr("no OpenCL device to run on (--target opencl): "));
    const auto json = test::run_cli({"devices", "--json"}, "", nowhere);
    EXPECT_NE(nlohmann::json::parse(json.out).at("opencl_none"), "");
}

// A program that is there and fails is a failure: it is told behind all that was found, and by the
// status.
TEST(DevicesWithoutOpencl, AProgramThatFailsIsToldBehindTheAnswer) {
    const auto folder = installation("#!/bin/sh\nexit 1\n");
    const auto outcome = run_installed(folder, "devices");
    EXPECT_EQ(outcome.status, 4) << outcome.out;
    const auto failure = outcome.out.find("error: ");
    ASSERT_NE(failure, std::string::npos) << outcome.out;
    EXPECT_THAT(outcome.out.substr(0, failure), HasSubstr("h200: NVIDIA H200"));
    EXPECT_THAT(outcome.out.substr(failure), Not(HasSubstr("  file: "))) << "listed behind it";
    const auto json = run_installed(folder, "devices --json");
    EXPECT_EQ(json.status, 4);
    EXPECT_THAT(json.out.substr(0, json.out.find("error: ")), testing::EndsWith("}\n"));
}

} // namespace
} // namespace loopscope
