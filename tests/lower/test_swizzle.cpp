// Chunks of rows of shared memory change places (core/schedule/gpu/swizzling.h has the pattern).
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_swizzle {

using ::testing::HasSubstr;

// A kernel of 128 threads in one block, over these lines.
std::string kernel(const std::string& lines) {
    return "\nprogram p\ninput A: f16[128, 64]\noutput B: f16[128, 64]\n"
           "launch p on device (A, B) {\n    bound thread.x for t in 0..128 {\n" +
           lines + "    }\n}\n";
}

TEST(SwizzlePass, WholeChunksKeepOneAccess) {
    EXPECT_EQ(test::after(swizzle,
                          kernel(R"(        allocate s: f16[32, 32] in shared align 512 swizzle 64
        s[t/4, ramp(t%4*8, 1, 8)] = A[t/4, ramp(t%4*8, 1, 8)]
        barrier block
        B[t/4, ramp(t%4*8, 1, 8)] = s[t/4, ramp(t%4*8, 1, 8)]
)")),
              kernel(R"(        allocate s: f16[32, 32] in shared align 512
        s[t/4, ramp((t%4 ^ t/4/2%4)*8, 1, 8)] = A[t/4, ramp(t%4*8, 1, 8)]
        barrier block
        B[t/4, ramp(t%4*8, 1, 8)] = s[t/4, ramp((t%4 ^ t/4/2%4)*8, 1, 8)]
)"));
}

// What is inside of a chunk stays a sum: constants of unrolled loops stay constants.
TEST(SwizzlePass, HalfChunksAndElementsKeepTheirPlaceInside) {
    EXPECT_EQ(test::after(swizzle,
                          kernel(R"(        allocate s: f16[8, 64] in shared align 1024 swizzle 128
        s[t/16, ramp(t%16*4, 1, 4)] = A[t/16, ramp(t%16*4, 1, 4)]
        barrier block
        B[t/8, t%8] = s[t/16, t%16*4 + 3]
)")),
              kernel(R"(        allocate s: f16[8, 64] in shared align 1024
        s[t/16, ramp((t%16/2 ^ t/16)*8 + t%16%2*4, 1, 4)] = A[t/16, ramp(t%16*4, 1, 4)]
        barrier block
        B[t/8, t%8] = s[t/16, (t%16/2 ^ t/16)*8 + t%16%2*4 + 3]
)"));
}

TEST(SwizzlePass, RowsCountThroughAllOuterDimensions) {
    EXPECT_THAT(
        test::after(swizzle,
                    kernel(R"(        allocate s: f32[2, 3, 5, 32] in shared align 1024 swizzle 128
        for a in 0..2 {
            for b in 0..3 {
                for c in 0..5 {
                    s[a, b, c, t] = 1.0
)"
                           "                }\n            }\n        }\n")),
        HasSubstr("s[a, b, c, t%4 + (t/4 ^ (a*15 + b*5 + c)%8)*4] = 1.0"));
}

// Copies of a pipelined stage with a multiple of eight rows do not differ.
TEST(SwizzlePass, CopiesOfAPipelineBeginAnew) {
    EXPECT_THAT(
        test::after(swizzle,
                    kernel(R"(        allocate s: f16[3, 16, 64] in shared align 1024 swizzle 128
        for ko in 0..4 {
            acquire s.copies
            copy s.copies s[ko%3, t/8, ramp(t%8*8, 1, 8)] = A[t/8 + ko*16, ramp(t%8*8, 1, 8)]
            commit s.copies
        }
        wait s.copies 0
)")),
        HasSubstr("copy s.copies s[ko%3, t/8, ramp((t%8 ^ t/8%8)*8, 1, 8)] = "));
}

TEST(SwizzlePass, RowsOfInstructionsAndMasksMove) {
    const auto text = test::after(
        swizzle, kernel(R"(        allocate s: f16[16, 64] in shared align 1024 swizzle 128
        allocate r: f16[8] in register
        s[t/8, ramp(t%8*8, 1, 8) where broadcast(t < 100, 8)] = A[t/8, ramp(t%8*8, 1, 8)]
        barrier block
        intrinsic ldmatrix_x4_b16 r[0], s[t%16, t/16%2*8 + 16]
        B[t, 0] = r[0]
)"));
    EXPECT_THAT(text, HasSubstr("s[t/8, ramp((t%8 ^ t/8%8)*8, 1, 8) where broadcast(t < 100, 8)]"));
    EXPECT_THAT(text, HasSubstr("r[0], s[t%16, (t/16%2 + 2 ^ t%16%8)*8]"));
}

// Lanes of a vector over several chunks go where their own chunk is: neighbours no longer lie side
// by side.
TEST(SwizzlePass, VectorsOfSeveralChunksAreTakenApart) {
    EXPECT_THAT(
        test::after(swizzle,
                    kernel(R"(        allocate s: f32[8, 32] in shared align 1024 swizzle 128
        s[t/16, ramp(t%16/4*8, 1, 8)] = broadcast(1.0, 8)
)")),
        HasSubstr("s[t/16, ramp(0, 1, 8)%broadcast(4, 8) + (ramp(0, 1, 8)/broadcast(4, 8) + "
                  "broadcast(t%16/4*2, 8) ^ broadcast(t/16, 8))*broadcast(4, 8)]"));
}

TEST(SwizzlePass, OneRowStays) {
    EXPECT_EQ(test::after(swizzle,
                          kernel(R"(        allocate s: f32[1, 128] in shared align 1024 swizzle 128
        s[0, t] = 1.0
)")),
              kernel(R"(        allocate s: f32[4, 1, 32] in shared align 1024
        s[t/32, 0, (t%32/4 ^ t/32)*4 + t%32%4] = 1.0
)"));
}

// Rows of 256 bytes: the first 128 of all of them, then the second.
TEST(SwizzlePass, LongRowsAreCutIntoPanels) {
    EXPECT_EQ(
        test::after(swizzle,
                    kernel(R"(        allocate s: f16[2, 16, 128] in shared align 1024 swizzle 128
        s[1, t/16, ramp(t%16*8, 1, 8)] = A[t/16, ramp(t%8*8, 1, 8)]
        barrier block
        B[t, 0] = s[0, t%16, t]
)")),
        kernel(R"(        allocate s: f16[2, 2, 16, 64] in shared align 1024
        s[t%16/8, 1, t/16, ramp((t%16%8 ^ t/16)*8, 1, 8)] = A[t/16, ramp(t%8*8, 1, 8)]
        barrier block
        B[t, 0] = s[t/64, 0, t%16, (t%64/8 ^ t%16%8)*8 + t%64%8]
)"));
}

// The TMA, and a warpgroup's instruction, permute by themselves: an index says in which panel
// the first element is.
TEST(SwizzlePass, WhatPermutesByItselfIsToldThePanel) {
    const auto text = test::after(swizzle, kernel(R"(        allocate s.arrivals: u64[2] in shared
        allocate s: f16[2, 64, 128] in shared align 1024 swizzle 128
        allocate d: f32[64] in register
        bulk copy s.copies s[1, 0, 64] = A[0, 0] of [64, 64] swizzle 128 by s.arrivals
        intrinsic wgmma_m64n128k16_f16 d[0], s[1, 0, 16] matrix 64, 16 along 1 of 128, s[1, 16, 0] matrix 16, 128 along 1 of 128 every 8192, d[0]
)"));
    EXPECT_THAT(text, HasSubstr("bulk copy s.copies s[1, 1, 0, 0] = A[0, 0] of [64, 64]"));
    EXPECT_THAT(text, HasSubstr("s[0, 1, 0, 16] matrix 64, 16 along 1 of 128, "));
    // From panel to panel are the rows of both copies.
    EXPECT_THAT(text, HasSubstr("s[0, 1, 16, 0] matrix 16, 128 along 1 of 128 every 16384"));
}

std::string wrong(const std::string& lines) {
    auto program = parse_program(kernel(lines));
    EXPECT_TRUE(program) << format(program.errors());
    return program ? format(verify(*program)) : "";
}

TEST(SwizzlePass, TheVerifierWantsRowsOfThePattern) {
    EXPECT_THAT(wrong("        allocate s: f16[8, 40] in shared align 1024 swizzle 128\n"
                      "        s[0, 0] = 1.0f16\n"),
                HasSubstr("buffer s has no rows to swizzle by 128 bytes"));
    EXPECT_THAT(wrong("        allocate s: f16[8, 32] in shared align 1024 swizzle 128\n"
                      "        s[0, 0] = 1.0f16\n"),
                HasSubstr("buffer s has no rows to swizzle by 128 bytes"));
    EXPECT_THAT(wrong("        allocate s: f16[8, 64] in local align 1024 swizzle 128\n"
                      "        s[0, 0] = 1.0f16\n"),
                HasSubstr("buffer s has no rows to swizzle by 128 bytes"));
    EXPECT_THAT(wrong("        allocate s: f16[8, 64] in shared align 512 swizzle 128\n"
                      "        s[0, 0] = 1.0f16\n"),
                HasSubstr("buffer s has no rows to swizzle by 128 bytes"));
    EXPECT_THAT(wrong("        allocate s: f16[8, 64] in shared align 1024 swizzle 128\n"
                      "        allocate r: f32[4] in register\n"
                      "        intrinsic mma_m16n8k16_f16 r[0], s[0, 0], s[0, 8], r[0]\n"),
                HasSubstr("mma_m16n8k16_f16 takes more than a chunk of the swizzled buffer s"));
}

} // namespace test_swizzle
} // namespace loopscope::lower
