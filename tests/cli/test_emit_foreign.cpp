// emit --as halide and --as tvm: the program on standard output, and what the other system does not
// have as a warning with its place in the script, on standard error.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_cli;
using testing::HasSubstr;
using testing::Not;

// The third line is indented: the warning names the column at which it begins.
constexpr const char* kScript =
    "schedule for blur\nout.split(y, yo, yi, 16)\n  out.non_temporal()\n";

struct System {
    const char *form, *name, *call, *comment;
};
const System kSystems[] = {
    {"halide", "Halide", "out.split(y, yo, yi, 16, TailStrategy::",
     "// out.non_temporal(): left out, for Halide 14 has no such directive.\n"},
    {"tvm", "TVM",
     R"py(step("out.split(y, yo, yi, 16)", lambda: split("out_block", "y", "yo", "yi", 16)))py",
     "# out.non_temporal(): left out, for TensorIR's schedule has no such directive.\n"},
};

TEST(EmitForeign, WhatTheSystemDoesNotHaveIsAWarningWithItsPlace) {
    auto script = test::write_file("stream.sched", kScript);
    for (const auto& system : kSystems) {
        auto outcome = run_cli({"emit", pipeline("blur"), "-s", script, "--as", system.form});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr(system.call));
        EXPECT_THAT(outcome.out, HasSubstr(system.comment));
        EXPECT_THAT(outcome.err, testing::StartsWith(script + ":3:3: warning: " + system.name +
                                                     ": out.non_temporal(): left out, for "));
        EXPECT_THAT(outcome.err, HasSubstr("\n  out.non_temporal()\n  ^"));
        EXPECT_THAT(outcome.out, Not(HasSubstr("warning")));
    }
}

TEST(EmitForeign, WhatTheSystemHasIsSaidWithoutAWord) {
    auto script = test::write_file("plain.sched", "schedule for blur\nout.split(y, yo, yi, 16)\n");
    for (const auto& system : kSystems) {
        auto outcome = run_cli({"emit", pipeline("blur"), "-s", script, "--as", system.form});
        EXPECT_EQ(outcome.status, 0);
        EXPECT_EQ(outcome.err, "");
        EXPECT_THAT(outcome.out, HasSubstr(system.call));
    }
}

TEST(EmitForeign, IntoAFileAndAsJson) {
    auto script = test::write_file("stream.sched", kScript);
    for (const auto& system : kSystems) {
        auto file = test::scratch_folder() + "/program";
        auto into =
            run_cli({"emit", pipeline("blur"), "-s", script, "--as", system.form, "-o", file});
        EXPECT_EQ(into.status, 0) << into.err;
        EXPECT_EQ(into.out, "");
        EXPECT_THAT(into.err, HasSubstr(":3:3: warning: "));
        EXPECT_THAT(test::read_file(file), HasSubstr(system.comment));
        auto json =
            run_cli({"emit", pipeline("blur"), "-s", script, "--as", system.form, "--json"});
        auto answer = nlohmann::json::parse(json.out);
        EXPECT_EQ(answer.at("text").get<std::string>(), test::read_file(file));
        EXPECT_THAT(answer.at("warnings").get<std::string>(), HasSubstr(":3:3: warning: "));
    }
}

} // namespace
} // namespace loopscope
