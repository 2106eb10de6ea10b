#pragma once
// What pairs for GPUs that once failed are judged by, each in the interpreter of SIMT programs.

#include "tests/fuzz/judge.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace loopscope::fuzz {

inline Verdict on_gpu(const std::string& pipeline, const std::string& lines, std::uint64_t seed) {
    JudgeOptions options;
    options.on_device = true;
    return judge({pipeline, "schedule for p\n" + lines, seed, true}, options);
}

inline void expect_agreement(const std::string& pipeline, const std::string& lines) {
    for (std::uint64_t seed : {1, 2, 3}) {
        const auto verdict = on_gpu(pipeline, lines, seed);
        EXPECT_EQ(verdict.outcome, Outcome::Agree) << verdict.message << "\n" << pipeline << lines;
    }
}

inline void expect_not_runnable(const std::string& pipeline, const std::string& lines,
                                const std::string& why) {
    const auto verdict = on_gpu(pipeline, lines, 1);
    EXPECT_EQ(verdict.outcome, Outcome::NotRunnable) << verdict.message << "\n" << lines;
    EXPECT_NE(verdict.message.find(why), std::string::npos) << verdict.message;
}

} // namespace loopscope::fuzz
