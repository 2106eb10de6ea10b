// Random schedules for GPUs, lowered and run in the interpreter of SIMT programs, against the reference interpreter. Reads the
// variables of test_fuzz.cpp: LOOPSCOPE_FUZZ_GPU_PAIRS, LOOPSCOPE_FUZZ_SEED.
#include "tests/fuzz/gpu_lines.h"
#include "tests/fuzz/shrink.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

using namespace loopscope;
using namespace loopscope::fuzz;
using loopscope::test::setting;

TEST(FuzzGpu, PairsAgree) {
    const auto first = setting("LOOPSCOPE_FUZZ_SEED", 1);
    const auto pairs = setting("LOOPSCOPE_FUZZ_GPU_PAIRS", 3000);
    JudgeOptions options;
    options.on_device = true;
    std::map<std::string, int> counts;
    int bad = 0;
    for (auto seed = first; seed < first + pairs && bad < 5; ++seed) {
        const auto pair = random_gpu_pair(static_cast<std::uint64_t>(seed));
        const auto verdict = judge(pair, options);
        ++counts[verdict.bad()                             ? "bad"
                 : verdict.outcome == Outcome::NotRunnable ? "not runnable"
                 : verdict.outcome == Outcome::TooLarge    ? "too large"
                 : verdict.in_bits || verdict.within_bound ? "agree"
                                                           : "not held"];
        for (const char* word : {".pipeline(", "shared", "vthread", "cache_write", ".vectorize("})
            if (pair.schedule.find(word) != std::string::npos && !verdict.bad() &&
                verdict.outcome == Outcome::Agree)
                ++counts[std::string("with ") + word];
        if (!verdict.bad())
            continue;
        ++bad;
        const auto small =
            shrink(pair, [&](const Pair& smaller) { return judge(smaller, options); });
        ADD_FAILURE() << "seed " << seed << ": " << report(small, judge(small, options));
    }
    for (const auto& [what, number] : counts)
        std::cout << what << ": " << number << "\n";
    EXPECT_GT(counts["agree"], pairs / 3);
}
