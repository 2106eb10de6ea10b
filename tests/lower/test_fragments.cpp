// What the lanes of a warp do together: loops over lanes become a dimension, instructions that load
// matrices take part in pipelines, and barriers know which rows they read.
#include "lower_support.h"

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_fragments {

using ::testing::HasSubstr;
using ::testing::Not;

std::string kernel(const std::string& lines) {
    return test::on_device("input A: f16[64, 64]\noutput B: f32[64, 64]", lines);
}

// One of two warps executes the instruction; the warps are whole, so that it may.
TEST(Lanes, AreADimensionAndWarpsAreMasked) {
    EXPECT_EQ(test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        allocate d: f32[4] in register
        allocate a: f16[8] in register
        allocate c: f16[4] in register
        bound warp.x for v in 0..2 {
            B[b, v] = 1.0
        }
        bound lane for l in 0..32 {
            intrinsic mma_m16n8k16_f16 d[0], a[0], c[0], d[0]
            B[b, l] = d[0]
        }
    }
)")),
              kernel(R"(    bound block.x for block_x in 0..8 {
        bound thread.y for thread_y in 0..2 {
            bound thread.x for thread_x in 0..32 {
                allocate d: f32[4] in register
                allocate a: f16[8] in register
                allocate c: f16[4] in register
                if thread_x < 1 {
                    B[block_x, thread_y] = 1.0
                }
                if thread_y < 1 {
                    intrinsic mma_m16n8k16_f16 d[0], a[0], c[0], d[0]
                    B[block_x, thread_x] = d[0]
                }
            }
        }
    }
)"));
}

TEST(Lanes, WarpsHaveTwoAxes) {
    const auto text = test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        bound warp.x for v in 0..2 {
            bound warp.y for w in 0..4 {
                bound lane for l in 0..32 {
                    B[b, 32*v + 8*w + l%8] = 1.0
                }
            }
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("bound thread.z for thread_z in 0..4"));
    EXPECT_THAT(text, HasSubstr("bound thread.y for thread_y in 0..2"));
    EXPECT_THAT(text, HasSubstr("B[block_x, 32*thread_y + 8*thread_z + thread_x%8] = 1.0"));
}

// A lane reads rows that others have written, though it writes what it would read itself.
const char* const kRows = R"(    bound thread.x for t in 0..32 {
        allocate S: f16[32, 8] in shared
        allocate r: f16[8] in register
        for k in 0..8 {
            S[t, k] = A[t, k]
        }
        intrinsic ldmatrix_x4_b16 r[0], S[t, 0]
        intrinsic ldmatrix_x4_b16 r[0], S[31 - t, 0]
        B[0, t] = f32(r[0])
    }
)";

TEST(LaneBarriers, StandBetweenStoresAndLoadsOfRows) {
    const auto text = test::after(barriers, kernel(kRows));
    // Lane t writes row t and names row t, and gets elements of others.
    EXPECT_THAT(text, HasSubstr("barrier block\n        intrinsic ldmatrix_x4_b16 r[0], S[t, 0]"));
}

TEST(LaneBarriers, NoneBetweenLoadsOfRows) {
    const auto text = test::after(barriers, kernel(R"(    bound thread.x for t in 0..32 {
        allocate S: f16[64, 8] in shared
        allocate r: f16[8] in register
        for k in 0..8 {
            S[t, k] = A[t, k]
        }
        barrier block
        intrinsic ldmatrix_x4_b16 r[0], S[31 - t, 0]
        intrinsic ldmatrix_x4_b16 r[0], S[t, 0]
        for l in 0..8 {
            S[t + 32, l] = A[t, l]
        }
        B[0, t] = f32(r[0])
    }
)"));
    const auto first = text.find("barrier block");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(text.find("barrier block", first + 1), std::string::npos) << text;
}

TEST(Instructions, SayWhatTheyDo) {
    const auto effect = [](const char* name, std::size_t operand) {
        return effect_of(*intrinsic({}, name, {}), operand);
    };
    EXPECT_TRUE(effect("ldmatrix_x4_b16", 0).writes);
    EXPECT_FALSE(effect("ldmatrix_x4_b16", 0).reads);
    EXPECT_FALSE(effect("ldmatrix_x4_b16", 1).writes);
    EXPECT_EQ(effect("ldmatrix_x4_b16", 1).bytes, 16);
    EXPECT_TRUE(effect("mma_m16n8k16_f16", 0).writes);
    EXPECT_FALSE(effect("mma_m16n8k16_f16", 3).writes);
    EXPECT_TRUE(effect("nothing_known", 5).writes);
}

// A whole matrix: any lane may have any element, of rows that are as far apart as the second
// operand says.
const char* const kMatrices = R"(    bound thread.x for t in 0..64 {
        allocate S: f16[32, 24] in shared
        allocate r: f16[16] in register
        for k in 0..16 {
            S[t/4, k] = A[t/4, k]
        }
        intrinsic wmma_load_a_row_m16n16k16_f16 r[0], S[0, 0], S[1, 0]
        for k_1 in 0..8 {
            S[t/4 + 16, k_1] = A[t/4, k_1]
        }
        intrinsic wmma_load_a_row_m16n16k16_f16 r[0], S[16, 0], S[17, 0]
        B[0, t] = f32(r[0])
    }
)";

TEST(LaneBarriers, KnowTheRowsOfWholeMatrices) {
    const auto text = test::after(barriers, kernel(kMatrices));
    EXPECT_THAT(text, HasSubstr("barrier block\n        intrinsic wmma_load_a_row_m16n16k16_f16 "
                                "r[0], S[0, 0], S[1, 0]\n        for k_1"));
    EXPECT_THAT(text, HasSubstr("barrier block\n        intrinsic wmma_load_a_row_m16n16k16_f16 "
                                "r[0], S[16, 0], S[17, 0]"));
    // By rows two further on, the last rows of the first matrix are those that are written next.
    auto further = std::string(kMatrices);
    further.replace(further.find("S[1, 0]"), 7, "S[2, 0]");
    EXPECT_THAT(test::after(barriers, kernel(further)),
                HasSubstr("S[0, 0], S[2, 0]\n        barrier block\n        for k_1"));
}

TEST(LaneBarriers, StandBehindMatricesThatAreStored) {
    const auto text = test::after(barriers, kernel(R"(    bound thread.x for t in 0..32 {
        allocate S: f32[16, 16] in shared
        allocate d: f32[8] in register
        intrinsic wmma_store_d_row_m16n16k16_f32 S[0, 0], S[1, 0], d[0]
        B[0, t] = S[t/2, t%2]
    }
)"));
    EXPECT_THAT(text, HasSubstr("S[0, 0], S[1, 0], d[0]\n        barrier block\n"));
}

TEST(Instructions, OnWholeMatrices) {
    const auto statement = [](const std::string& name) {
        return intrinsic({}, name, {{"a", {}}, {"b", {}}, {"c", {}}});
    };
    const auto load = statement("wmma_load_a_row_m16n16k16_f16");
    EXPECT_TRUE(is_copy_instruction(*load));
    EXPECT_TRUE(writes_operand(*load, "a") && !reads_operand(*load, "a"));
    EXPECT_TRUE(reads_operand(*load, "b") && !writes_operand(*load, "b"));
    EXPECT_FALSE(reads_operand(*load, "c") || writes_operand(*load, "c"));
    const auto store = statement("wmma_store_d_row_m16n16k16_f32");
    EXPECT_FALSE(is_copy_instruction(*store));
    EXPECT_TRUE(writes_operand(*store, "a") && !reads_operand(*store, "a"));
    EXPECT_TRUE(reads_operand(*store, "c") && !writes_operand(*store, "c"));
    const auto product = statement("wmma_m16n16k16_f16_row_row");
    EXPECT_TRUE(writes_operand(*product, "a") && reads_operand(*product, "b"));
    EXPECT_FALSE(writes_operand(*product, "c"));
}

} // namespace test_fragments
} // namespace loopscope::lower
