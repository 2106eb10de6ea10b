// Each line of the table of output forms, on the command line and by the worker; and what is said
// where a form needs tools that are not here. Shell scripts stand in for NVIDIA's.
#include "core/base/output_forms.h"
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_cli;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> emit_form(const std::string& form, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"emit",
                                   pipeline("blur"),
                                   "-s",
                                   test::write_file("blur.sched",
                                                    "schedule for blur\n"
                                                    "out.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n"),
                                   "--param",
                                   "H=64",
                                   "--param",
                                   "W=128",
                                   "--as",
                                   form};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// A CUDA toolkit of scripts, by name.
std::string toolkit(const std::map<std::string, std::string>& scripts) {
    const auto home = test::scratch_folder();
    std::filesystem::create_directories(home + "/bin");
    for (const auto& [tool, script] : scripts) {
        const std::filesystem::path file = home + "/bin/" + tool;
        std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }
    return "export CUDA_HOME=" + home;
}

// The arguments of `ptxas -v -arch=A IN -o OUT` and of `nvdisasm -c IN`.
const char* const kPtxas = "cp \"$3\" \"$5\"";
const char* const kDisassembler = "echo \"// by nvdisasm\"; cat \"$2\"";

TEST(EmitForms, HelpNamesThemAll) {
    const auto help = run_cli({"emit", "--help"}).out;
    for (const auto& form : output_forms())
        EXPECT_THAT(help, testing::ContainsRegex("[ (]" + std::string(form.name) + "[ ,\n]"));
}

TEST(EmitForms, TheWorkerMakesThemAll) {
    const auto tools = toolkit({{"ptxas", kPtxas}, {"nvdisasm", kDisassembler}});
    for (const auto& form : output_forms()) {
        const auto outcome = run_cli(emit_form(form.name, {"--json"}), "", tools);
        ASSERT_EQ(outcome.status, 0) << form.name << outcome.err;
        const auto answer = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(answer.at("as"), form.name);
        EXPECT_FALSE(answer.at("text").get<std::string>().empty()) << form.name;
        EXPECT_TRUE(answer.at("lines").is_array()) << form.name;
    }
}

TEST(EmitForms, TakeAMainAndAnArchitectureWhereTheirLineSaysSo) {
    const auto tools = toolkit({{"ptxas", kPtxas}, {"nvdisasm", kDisassembler}});
    for (const auto& form : output_forms()) {
        const auto with_main = run_cli(emit_form(form.name, {"--main"}), "", tools);
        EXPECT_EQ(with_main.status, form.main_does ? 0 : 2) << form.name << with_main.err;
        EXPECT_EQ(with_main.err.find("`--main` goes with") == std::string::npos,
                  form.main_does != nullptr)
            << with_main.err;
        const auto newer = run_cli(emit_form(form.name, {"--arch", "sm_90"}), "", tools);
        EXPECT_EQ(newer.status, form.takes_architecture ? 0 : 2) << form.name << newer.err;
        EXPECT_EQ(newer.out.find("sm_90") != std::string::npos, form.takes_architecture)
            << form.name;
    }
}

TEST(EmitForms, SassIsWhatTheDisassemblerShows) {
    const auto tools = toolkit({{"ptxas", kPtxas}, {"nvdisasm", kDisassembler}});
    const auto outcome = run_cli(emit_form("sass"), "", tools);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, testing::StartsWith("// by nvdisasm"));
    EXPECT_THAT(outcome.out, HasSubstr(".visible .entry"));
}

TEST(EmitForms, SassSaysWhichToolIsMissing) {
    auto usual = [](const std::string& tool) {
        return std::filesystem::exists("/usr/local/cuda/bin/" + tool) ||
               std::filesystem::exists("/usr/bin/" + tool);
    };
    const std::pair<std::string, std::string> missing[] = {{"ptxas", kDisassembler},
                                                           {"nvdisasm", kPtxas}};
    for (const auto& [tool, other] : missing) {
        // it is found without CUDA_HOME
        if (usual(tool))
            continue;
        const auto there = tool == "ptxas" ? "nvdisasm" : "ptxas";
        const auto outcome = run_cli(emit_form("sass"), "",
                                     toolkit({{there, other}}) + "; export PATH=/usr/bin:/bin");
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("there is no " + tool + " here"));
        EXPECT_THAT(outcome.err, HasSubstr("CUDA_HOME"));
        EXPECT_THAT(outcome.err, Not(HasSubstr("`--arch`")));
    }
}

} // namespace
} // namespace loopscope
