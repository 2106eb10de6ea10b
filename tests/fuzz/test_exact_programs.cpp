// What the language defines to the bit where languages and processors part: the order of zeros,
// NaNs that are passed over, casts that stop at the ends of a type, index arithmetic that wraps.
// The interpreters, compiled code of any width, exported C and kernels give the reference's bits.

#include "tests/fuzz/c_judge.h"
#include "tests/fuzz/judge.h"
#include "tests/support/exact_programs.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_exact_programs {

struct Program {
    const char* text;
    const char* name;
    std::vector<std::string> stages; // along x
};

const std::vector<Program>& programs() {
    static const std::vector<Program> all = {
        {test::kZeros,
         "zeros",
         {"z", "least", "most", "held", "passed", "above", "equal", "lowest", "greatest", "first",
          "last", "found"}},
        {test::kWraps,
         "wraps",
         {"held", "rest", "ends", "mask", "narrow", "size", "named", "wide"}},
        {test::kSaturations,
         "saturations",
         {"w", "b", "h", "l", "u", "small", "brain", "whole", "single"}}};
    return all;
}

std::string schedule_of(const Program& program, const std::string& line) {
    auto text = "schedule for " + std::string(program.name) + "\n";
    for (const auto& stage : program.stages)
        text += stage + line + "\n";
    return text;
}

std::vector<std::string> on_host(const Program& program) {
    std::vector<std::string> out = {schedule_of(program, ".serial(x)")};
    for (const char* line : {".vectorize(x, 8)", ".vectorize(x, 3)", ".unroll(x, 4)"})
        out.push_back(schedule_of(program, line));
    return out;
}

void judge_on_host(const Program& program, std::vector<ExportedPair>& exported) {
    for (const auto& schedule : on_host(program))
        for (std::uint64_t seed : {1, 2}) {
            const Pair pair{program.text, schedule, seed};
            JudgeOptions options;
            options.interpret = true;
            options.exported = [&](ExportedPair one) { exported.push_back(std::move(one)); };
            const auto verdict = judge(pair, options);
            EXPECT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
        }
}

TEST(ExactPrograms, OnTheHostAndInExportedC) {
    LOOPSCOPE_TEST_IN_TURN(2, 3);
    std::vector<ExportedPair> exported;
    for (const auto& program : programs())
        judge_on_host(program, exported);
    if (!can_judge_c())
        GTEST_SKIP() << "there is no gcc for the exported C";
    EXPECT_FALSE(exported.empty());
    for (const auto& failure : judge_c(exported))
        ADD_FAILURE() << failure.message;
}

TEST(ExactPrograms, InKernels) {
    for (const auto& program : programs())
        for (const char* line : {".bind(x, thread.x)", ".bind(x, block.x)"}) {
            const Pair pair{program.text, schedule_of(program, line), 1, true};
            JudgeOptions options;
            options.on_device = true;
            const auto verdict = judge(pair, options);
            EXPECT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
        }
}

} // namespace test_exact_programs
