// The judge of exported C, where the program itself is what fails.

#include "tests/fuzz/c_judge.h"
#include "tests/fuzz/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace {

std::vector<ExportedPair> two_pairs() {
    std::vector<ExportedPair> batch;
    JudgeOptions options;
    options.exported = [&](ExportedPair exported) { batch.push_back(std::move(exported)); };
    for (std::uint64_t seed : {1, 2}) {
        const auto verdict =
            judge({"pipeline p\ninput a[x]: f32[20]\nstage s[x] = a[x] * 2.0\noutput s: [20]\n",
                   "schedule for p\ns.split(x, xo, xi, 3)\n", seed},
                  options);
        EXPECT_EQ(verdict.outcome, Outcome::Agree) << verdict.message;
    }
    return batch;
}

struct Flags {
    explicit Flags(const char* flags) { setenv("LOOPSCOPE_FUZZ_CFLAGS", flags, 1); }
    ~Flags() { unsetenv("LOOPSCOPE_FUZZ_CFLAGS"); }
};

} // namespace

TEST(CJudge, AProgramThatNeverBeginsIsTheFailureOfItsPair) {
    if (!can_judge_c() || std::getenv("LOOPSCOPE_FUZZ_CFLAGS"))
        GTEST_SKIP() << "no gcc, or flags of somebody else";
    const auto batch = two_pairs();
    ASSERT_EQ(batch.size(), 2U);
    EXPECT_TRUE(judge_c(batch).empty());
    const Flags begins_nowhere("-Wl,-e,0");
    const auto failures = judge_c(batch);
    ASSERT_EQ(failures.size(), 2U);
    for (std::size_t i = 0; i < failures.size(); ++i) {
        EXPECT_EQ(failures[i].seed, i + 1);
        EXPECT_THAT(failures[i].message,
                    testing::StartsWith("the exported C ends the process, status "));
    }
}
