// Copies by the TMA: what arrives when, what is outside of the array, and what is wrong
// where a part is missing.
#include "compiler/lower/passes.h"
#include "tests/simt/simt_support.h"

namespace loopscope {
namespace test_simt_bulk_copies {

using namespace test;

const std::string kPipeline = R"(
program p flat
input A: f32[16, 32]
output out: f32[512]
launch p on device (A, out) {
    bound thread.x for t in 0..64 {
        allocate arrivals: u64[2] in shared
        allocate s: f32[256] in shared
        bulk copy tok s[0] = A[0, 8] of [4, 32] zeros by arrivals  @ As/@compute
        commit tok by arrivals
        for k in 0..4 {
            acquire tok
            wait tok 0 by arrivals
            barrier block  @ C/k
            if k < 3 {
                bulk copy tok s[(k + 1) % 2 * 128] = A[k*4 + 4, 8] of [4, 32] zeros by arrivals  @ As/@compute
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
    auto text = replaced(kPipeline, "of [4, 32] zeros", "of [4, 32] swizzle 128 zeros");
    text = replaced(text, "of [4, 32] zeros", "of [4, 32] swizzle 128 zeros");
    auto result = piped(text);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    auto a = random(T::F32, {16, 32});
    // as they lie
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t i = 0; i < 64; ++i) {
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

// A box that leaves its array on all sides, in tiles; C has a row above and one below.
const std::string kBordered = R"(
program p
input A: f32[6, 16]
output C: f32[8, 16]
launch C on device (A, C) {
    bound block.y for b in 0..2 {
        bound block.x for d in 0..2 {
            bound thread.x for t in 0..32 {
                allocate s: f32[4, 16] in shared
                acquire tok
                bound threads for i in 0..4 {
                    bound threads for k in 0..16 {
                        copy tok s[i, k] = A[min(max(b*4 + i - 1, 0), 5), min(max(d*8 + k - 4, 0), 15) where b*4 + i - 1 >= 0 and b*4 + i - 1 < 6 and (d*8 + k - 4 >= 0 and d*8 + k - 4 < 16)]
                    }
                }
                commit tok
                wait tok 0
                barrier block
                C[b*4 + t/8, d*8 + t%8] = s[t/8, t%8] + s[t/8, t%8 + 8]*2.0
                release tok
            }
        }
    }
}
)";

lower::Program bordered() {
    lower::TargetInfo target;
    target.bulk_tensor_copies = true;
    return lower::bulk_copies(parsed(kBordered), target);
}

TEST(SimtBulkCopies, FillBordersAsThreadsWould) {
    const auto a = random(T::F32, {6, 16});
    const auto engine = bordered();
    const std::string request = "tok s[0, 0] = A[b*4 - 1, d*8 - 4] of [4, 16]";
    const auto text = to_text(engine);
    ASSERT_NE(text.find(request), std::string::npos) << text;
    const auto by_engine = run(text, {{"A", a}});
    EXPECT_TRUE(by_engine.findings.empty()) << format(by_engine.findings);
    const auto by_threads = run(lower::divide_work(parsed(kBordered), {}), {{"A", a}});
    EXPECT_TRUE(by_threads.findings.empty()) << format(by_threads.findings);
    const auto found = values<float>(by_engine, "C");
    EXPECT_EQ(found, values<float>(by_threads, "C"));
    auto at = [&](int row, int column) {
        const bool inside = row >= 0 && row < 6 && column >= 0 && column < 16;
        return inside ? a.as<float>()[static_cast<std::size_t>(row * 16 + column)] : 0.0f;
    };
    for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 16; ++column)
            EXPECT_EQ(found.at(static_cast<std::size_t>(row * 16 + column)),
                      at(row - 1, column - 4) + 2 * at(row - 1, column + 4));
    // Clamped to the array, or one element aside, it is another box.
    for (const auto* wrong : {"max(b*4 - 1, 0), d*8 - 4", "b*4 - 1, max(d*8 - 4, 0)",
                              "b*4, d*8 - 4", "b*4 - 1, d*8 - 3", "b*4 - 2, d*8 - 4"})
        EXPECT_NE(found,
                  values<float>(run(replaced(text, "b*4 - 1, d*8 - 4", wrong), {{"A", a}}), "C"))
            << wrong;
}

// The TMA would fill in zeros, which nobody asked for: the box is at the wrong place.
TEST(SimtBulkCopies, ABoxThatLeavesItsArray) {
    const auto inside =
        replaced(replaced(kPipeline, "A[0, 8] of [4, 32] zeros", "A[0, 0] of [4, 32]"),
                 "A[k*4 + 4, 8] of [4, 32] zeros", "A[k*4 + 4, 0] of [4, 32]");
    EXPECT_TRUE(piped(inside).findings.empty());
    for (const auto& [what, by] :
         {std::pair{"A[0, 0]", "A[0, 1]"}, std::pair{"A[0, 0]", "A[-1, 0]"},
          std::pair{"A[k*4 + 4, 0]", "A[k*4 + 5, 0]"}})
        expect_only(piped(replaced(inside, what, by)), Kind::OutOfBounds, "As/@compute",
                    "elements from there on along dimension");
}

TEST(SimtBulkCopies, PlainMemoryOfAThreadTakesNone) {
    auto program = parsed(replaced(kPipeline, "s: f32[256] in shared", "s: f32[256] in local"));
    auto result = run_simt_program(program, {{"A", random(T::F32, {16, 32})}}, {});
    ASSERT_FALSE(result);
    EXPECT_NE(format(result.errors()).find("fills memory that is not the block's"),
              std::string::npos);
}

} // namespace test_simt_bulk_copies
} // namespace loopscope
