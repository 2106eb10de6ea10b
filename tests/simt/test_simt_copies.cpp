// Asynchronous copies: a right pipeline of three buffers, and what is wrong with it where one part
// is missing.
#include "tests/simt/simt_support.h"

namespace loopscope {
namespace test_simt_copies {

using namespace test;

const std::string kPipeline =
    on_device("input A: f32[512]\noutput out: f32[64]", R"(    bound thread.x for t in 0..64 {
        allocate s: f32[3, 64] in shared
        allocate acc: f32[1] in register
        acc[0] = 0.0
        for p in 0..2 {
            copy tok s[p, t] = A[64*p + t]  @ As/@compute
            commit tok
        }
        for k in 0..8 {
            acquire tok
            wait tok 1
            barrier block  @ C/k
            acc[0] = acc[0] + s[k % 3, 63 - t]  @ C/@compute
            release tok
            copy tok s[(k + 2) % 3, t where k < 6] = A[64*(k + 2) + t where k < 6]  @ As/@compute
            commit tok
        }
        out[t] = acc[0]
    }
)");

SimtRun piped(const std::string& text) { return run(text, {{"A", random(T::F32, {512})}}); }

TEST(SimtCopies, ARightPipeline) {
    auto result = piped(kPipeline);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    auto a = random(T::F32, {512});
    for (std::size_t t = 0; t < 64; ++t) {
        float sum = 0;
        for (std::size_t k = 0; k < 8; ++k)
            sum += a.as<float>()[64 * k + 63 - t];
        EXPECT_EQ(values<float>(result, "out").at(t), sum);
    }
    const auto& copies = counts_of(result, "As/@compute");
    EXPECT_EQ(copies.asynchronous_bytes, 512u * 4);
    EXPECT_EQ(copies.global_load_bytes, 512u * 4);
    EXPECT_EQ(copies.shared_bytes, 512u * 4);
    EXPECT_EQ(copies.shared_passes, 16u);
    EXPECT_EQ(counts_of(result, "C/k").barriers, 8u);
}

TEST(SimtCopies, AWaitOneGroupTooEarly) {
    expect_only(piped(replaced(kPipeline, "wait tok 1", "wait tok 2")), Kind::ReadBeforeArrival,
                "C/@compute As/@compute", "to it is under way");
}

// Some of the copies begin while the one before them into the same slot is under way.
TEST(SimtCopies, NoWait) {
    auto result = piped(replaced(kPipeline, "            wait tok 1\n", ""));
    EXPECT_EQ(result.findings.size(), 2u) << format(result.findings);
    EXPECT_TRUE(has(result, Kind::ReadBeforeArrival, "C/@compute As/@compute"));
    EXPECT_TRUE(has(result, Kind::ReadBeforeArrival, "As/@compute As/@compute"));
}

const std::string kTwoBuffers = [] {
    auto text = replaced(replaced(kPipeline, "s[k % 3,", "s[k % 2,"), "(k + 2) % 3", "(k + 2) % 2");
    return replaced(text, "            release tok\n", "            barrier block  @ C/r\n");
}();

TEST(SimtCopies, AMissingBarrierBehindTheWait) {
    EXPECT_TRUE(piped(kTwoBuffers).findings.empty());
    expect_only(piped(replaced(kTwoBuffers, "            barrier block  @ C/k\n", "")), Kind::Race,
                "C/@compute As/@compute", "filled by a copy of thread");
}

// The tile that is read is the one that the next copy fills.
TEST(SimtCopies, AMissingBarrierBeforeTheCopy) {
    expect_only(piped(replaced(kTwoBuffers, "            barrier block  @ C/r\n", "")),
                Kind::ReadBeforeArrival, "C/@compute As/@compute", "is under way");
}

TEST(SimtCopies, NoBarrierAtAll) {
    auto result = piped(replaced(kPipeline, "            barrier block  @ C/k\n", ""));
    EXPECT_EQ(result.findings.size(), 2u) << format(result.findings);
    EXPECT_TRUE(has(result, Kind::ReadBeforeArrival, "C/@compute As/@compute"));
    EXPECT_TRUE(has(result, Kind::Race, "C/@compute As/@compute"));
}

TEST(SimtCopies, AWrongRotation) {
    // The copy fills the tile that is to be read next, whose own copy is under way.
    auto next = piped(replaced(kPipeline, "(k + 2) % 3", "(k + 1) % 3"));
    EXPECT_TRUE(has(next, Kind::ReadBeforeArrival, "As/@compute As/@compute"));
    // The tile that is being read.
    auto same = piped(replaced(kPipeline, "(k + 2) % 3", "k % 3"));
    EXPECT_TRUE(has(same, Kind::ReadBeforeArrival, "C/@compute As/@compute"));
    // What is read is another tile than the one that arrived.
    auto behind = piped(replaced(kPipeline, "s[k % 3,", "s[(k + 1) % 3,"));
    EXPECT_TRUE(has(behind, Kind::ReadBeforeArrival, "C/@compute As/@compute"));
}

TEST(SimtCopies, ACopyThatIsReadByItsOwnThread) {
    const std::string own = replaced(kPipeline, "s[k % 3, 63 - t]", "s[k % 3, t]");
    EXPECT_TRUE(piped(own).findings.empty());
    // Its own wait is enough for it.
    EXPECT_TRUE(piped(replaced(own, "            barrier block  @ C/k\n", "")).findings.empty());
    expect_only(piped(replaced(own, "wait tok 1", "wait tok 2")), Kind::ReadBeforeArrival,
                "C/@compute As/@compute", "");
}

TEST(SimtCopies, CopiesOutsideOfAGroupAreNotWaitedFor) {
    expect_only(piped(on_device("input A: f32[512]\noutput out: f32[64]",
                                R"(    bound thread.x for t in 0..64 {
        allocate s: f32[64] in shared
        copy tok s[t] = A[t]  @ As/@compute
        wait tok 0
        barrier block
        out[t] = s[63 - t]  @ C/@compute
        commit tok
        wait tok 0
    }
)")),
                Kind::ReadBeforeArrival, "C/@compute As/@compute", "is under way");
}

TEST(SimtCopies, RoomThatIsWrittenMeanwhile) {
    auto text = replaced(kPipeline, "            acquire tok\n",
                         "            if k == 5 {\n                s[0, t] = 1.0  @ W/@compute\n"
                         "            }\n");
    // Iteration 5 waits for tile 5, in buffer 2; tile 6 is under way to buffer 0.
    expect_only(piped(text), Kind::ReadBeforeArrival, "W/@compute As/@compute",
                "s[0, 0] is written by thread 0 of block 0 while a copy of thread 0 to it is under "
                "way");
}

TEST(SimtCopies, TokensAreOfTheirOwn) {
    // Groups of another token do not count.
    auto text = replaced(kPipeline, "            acquire tok\n",
                         "            commit other\n            wait other 0\n");
    EXPECT_TRUE(piped(text).findings.empty());
    EXPECT_TRUE(has(piped(replaced(text, "wait tok 1", "wait other 1")), Kind::ReadBeforeArrival,
                    "C/@compute As/@compute"));
}

TEST(SimtCopies, WhatTheSourceLeavesOutIsZero) {
    auto input = random(T::F16, {64});
    auto result = run(R"(
program p flat
input A: f16[64]
output out: f16[256]
launch p on device (A, out) {
    bound thread.x for t in 0..32 {
        allocate s: f16[256] in shared
        copy tok s[ramp(8*t, 1, 8)] = A[ramp(8*t, 1, 8) where broadcast(t < 8, 8)]  @ As/@compute
        commit tok
        wait tok 0
        barrier block
        out[ramp(8*t, 1, 8)] = s[ramp(248 - 8*t, 1, 8)]
    }
}
)",
                      {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    auto out = values<std::uint16_t>(result, "out");
    for (std::size_t i = 0; i < 256; ++i) {
        auto from = 248 - i / 8 * 8 + i % 8;
        EXPECT_EQ(out[i], from < 64 ? input.as<std::uint16_t>()[from] : 0) << i;
    }
    EXPECT_EQ(counts_of(result, "As/@compute").asynchronous_bytes, 512u);
    EXPECT_EQ(counts_of(result, "As/@compute").shared_accesses, 1u);
    EXPECT_EQ(counts_of(result, "As/@compute").shared_passes, 4u);
    EXPECT_EQ(counts_of(result, "As/@compute").global_load_sectors, 4u);
}

} // namespace test_simt_copies
} // namespace loopscope
