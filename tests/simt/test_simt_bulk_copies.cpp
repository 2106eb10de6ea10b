// Copies by the copy engine: what arrives when, what is outside of the array, and what is wrong where a part is missing.
#include "tests/simt/simt_support.h"

namespace loopscope {
namespace {

using namespace test;

const std::string kPipeline = R"(
program p flat
input A: f32[16, 32]
output out: f32[512]
launch p on device (A, out) {
    bound thread.x for t in 0..64 {
        allocate arrivals: u64[2] in shared
        allocate s: f32[256] in shared
        bulk copy tok s[0] = A[0, 8] of [4, 32] by arrivals  @ As/@compute
        commit tok by arrivals
        for k in 0..4 {
            acquire tok
            wait tok 0 by arrivals
            barrier block  @ C/k
            if k < 3 {
                bulk copy tok s[(k + 1) % 2 * 128] = A[k*4 + 4, 8] of [4, 32] by arrivals  @ As/@compute
            }
            commit tok by arrivals
            out[k*128 + t] = s[k % 2 * 128 + t]  @ C/@compute
            out[k*128 + t + 64] = s[k % 2 * 128 + 127 - t]  @ C/@compute
            release tok
        }
    }
}
)";

SimtRun piped(const std::string& text) { return run(text, {{"A", random(T::F32, {16, 32})}}); }

TEST(SimtBulkCopies, BringBoxesAndZerosFromOutside) {
    auto result = piped(kPipeline);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    auto a = random(T::F32, {16, 32});
    auto element = [&](std::size_t k,
                       std::size_t i) { // of the box's 4 rows of 32, from column 8 on
        const auto row = 4 * k + i / 32, column = 8 + i % 32;
        return column < 32 ? a.as<float>()[32 * row + column] : 0.0f;
    };
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t t = 0; t < 64; ++t) {
            EXPECT_EQ(values<float>(result, "out").at(128 * k + t), element(k, t));
            EXPECT_EQ(values<float>(result, "out").at(128 * k + 64 + t), element(k, 127 - t));
        }
    const auto& copies = counts_of(result, "As/@compute");
    EXPECT_EQ(copies.asynchronous_bytes, 512u * 4);
    EXPECT_EQ(copies.global_load_bytes, 16u * 24 * 4) << "nothing is read outside";
}

// Rows of 128 bytes: chunk c of row r lies where c XOR r is.
TEST(SimtBulkCopies, PermuteChunksOfRows) {
    auto text = replaced(kPipeline, "of [4, 32] by", "of [4, 32] swizzle 128 by");
    text = replaced(text, "of [4, 32] by", "of [4, 32] swizzle 128 by");
    auto result = piped(text);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    auto a = random(T::F32, {16, 32});
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t i = 0; i < 64; ++i) {    // as they lie
            const auto line = k % 2 * 4 + i / 32; // of 128 bytes in the buffer
            const auto column = 8 + ((i % 32 / 4) ^ (line % 8)) * 4 + i % 4;
            EXPECT_EQ(values<float>(result, "out").at(128 * k + i),
                      column < 32 ? a.as<float>()[32 * (4 * k + i / 32) + column] : 0.0f);
        }
}

TEST(SimtBulkCopies, AWaitOneGroupTooEarly) {
    expect_only(piped(replaced(kPipeline, "wait tok 0", "wait tok 1")), Kind::ReadBeforeArrival,
                "C/@compute As/@compute", "to it is under way");
}

TEST(SimtBulkCopies, WithoutTheBarrierOthersMayReadFirst) {
    auto result = piped(replaced(kPipeline, "            barrier block  @ C/k\n", ""));
    EXPECT_FALSE(result.findings.empty());
}

TEST(SimtBulkCopies, ARoomThatIsStillRead) {
    auto result = piped(replaced(kPipeline, "s[(k + 1) % 2 * 128] = A", "s[k % 2 * 128] = A"));
    EXPECT_FALSE(result.findings.empty());
}

TEST(SimtBulkCopies, ABoxThatLeavesItsMemory) {
    auto result = piped(replaced(kPipeline, "s[0] = A[0, 8]", "s[192] = A[0, 8]"));
    ASSERT_FALSE(result.findings.empty());
    EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(), [](const auto& f) {
        return f.kind == Kind::OutOfBounds;
    })) << format(result.findings);
}

TEST(SimtBulkCopies, PlainMemoryOfAThreadTakesNone) {
    auto program = parsed(replaced(kPipeline, "s: f32[256] in shared", "s: f32[256] in local"));
    auto result = run_simt_program(program, {{"A", random(T::F32, {16, 32})}}, {});
    ASSERT_FALSE(result);
    EXPECT_NE(format(result.errors()).find("fills memory that is not the block's"),
              std::string::npos);
}

} // namespace
} // namespace loopscope
