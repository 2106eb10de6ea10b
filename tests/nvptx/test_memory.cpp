// How wide accesses are, where they are masked, and how addresses are computed.
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace test_memory {

// One launch of 256 threads in 16 blocks; `body` may use bx, tx and the buffers A (input), B
// (input, i32), C (output).
std::string launch(const std::string& body, const std::string& type = "f32",
                   const std::string& size = "[65536]") {
    return "program p flat\ninput A: " + type + size + "\ninput B: i32[65536]\noutput C: " + type +
           size +
           "\nlaunch p on device (A, B, C) {\n    bound block.x for bx in 0..16 {\n"
           "        bound thread.x for tx in 0..256 {\n" +
           body + "\n        }\n    }\n}\n";
}

std::string copy_of_lanes(int lanes, const std::string& at) {
    const auto ramp = "ramp(" + at + ", 1, " + std::to_string(lanes) + ")";
    return "C[" + ramp + "] = A[" + ramp + "]";
}

TEST(Memory, VectorsAreOneAccessWhereTheirAlignmentIsKnown) {
    struct Case {
        const char* type;
        int lanes;
        const char* load;
        int times;
    };
    const Case cases[] = {
        {"f32", 2, "ld.global.nc.v2.f32", 1}, {"f32", 4, "ld.global.nc.v4.f32", 1},
        {"f32", 8, "ld.global.nc.v4.f32", 2}, {"f64", 2, "ld.global.nc.v2.f64", 1},
        {"f16", 2, "ld.global.nc.u32", 1},    {"f16", 8, "ld.global.nc.v4.u32", 1},
        {"i32", 4, "ld.global.nc.v4.u32", 1}, {"i8", 4, "ld.global.nc.u32", 1}};
    for (const auto& c : cases) {
        SCOPED_TRACE(std::string(c.type) + " in " + std::to_string(c.lanes));
        const auto lanes = std::to_string(c.lanes);
        const auto text =
            launch(copy_of_lanes(c.lanes, "bx*256*" + lanes + " + tx*" + lanes), c.type);
        EXPECT_EQ(count_of(ptx_of(text), c.load), c.times) << ptx_of(text);
        EXPECT_EQ(count_of(ptx_of(text), "ld.global"), c.times) << ptx_of(text);
        expect_runs_everywhere(text);
    }
}

// The code looks at the values: LLVM joins accesses that do no more than move them.
std::string tripled_lanes(int lanes, const std::string& at) {
    return copy_of_lanes(lanes, at) + "*broadcast(3.0, " + std::to_string(lanes) + ")";
}

TEST(Memory, OtherVectorsAreNoWiderThanTheyAreAligned) {
    // At odd places element by element, at even ones two by two.
    EXPECT_EQ(count_of(ptx_of(launch(tripled_lanes(4, "bx*1024 + tx*4 + 1"))), "ld.global.nc.f32"),
              4);
    const auto pairs = ptx_of(launch(tripled_lanes(4, "bx*1024 + tx*4 + 2")));
    EXPECT_EQ(count_of(pairs, "ld.global.nc.v2.f32"), 2) << pairs;
    EXPECT_EQ(count_of(pairs, "st.global.v2.f32"), 2) << pairs;
    // Nor where the index comes from memory, unless it is a multiple.
    EXPECT_EQ(count_of(ptx_of(launch(tripled_lanes(4, "B[tx]"))), "ld.global.nc.f32"), 4);
    EXPECT_EQ(count_of(ptx_of(launch(tripled_lanes(4, "B[tx]*4"))), "ld.global.nc.v4.f32"), 1);
    EXPECT_EQ(count_of(ptx_of(launch(tripled_lanes(4, "(B[tx] ^ tx)*4"))), "ld.global.nc.v4.f32"),
              1);
    EXPECT_EQ(count_of(ptx_of(launch(tripled_lanes(4, "(B[tx] << 2) | 8"))), "ld.global.nc.v4.f32"),
              1);
    // The least alignment of both is that of a division's result: unknown.
    EXPECT_EQ(count_of(ptx_of(launch(tripled_lanes(4, "tx*8/3"))), "ld.global.nc.f32"), 4);
}

TEST(Memory, LanesThatAreNoNeighbours) {
    const auto strided = launch("C[ramp(tx*8, 2, 4)] = A[ramp(tx*8, 2, 4)]");
    EXPECT_EQ(count_of(ptx_of(strided), "ld.global.nc.f32"), 4);
    const auto backwards = launch("C[ramp(tx*4, 1, 4)] = A[ramp(tx*4 + 3, -1, 4)]");
    EXPECT_EQ(count_of(ptx_of(backwards), "ld.global.nc.f32"), 4);
    const auto gathered = launch("C[ramp(tx*4, 1, 4)] = A[B[ramp(tx*4, 1, 4)]]");
    EXPECT_EQ(count_of(ptx_of(gathered), "ld.global.nc.v4.u32"), 1);
    EXPECT_EQ(count_of(ptx_of(gathered), "ld.global.nc.f32"), 4);
    const auto broadcasted = launch("C[ramp(tx*4, 1, 4)] = broadcast(A[tx], 4)");
    EXPECT_EQ(count_of(ptx_of(broadcasted), "ld.global.nc.f32"), 1);
    EXPECT_EQ(count_of(ptx_of(broadcasted), "st.global.v4.f32"), 1);
    for (const auto& text : {strided, backwards, gathered, broadcasted})
        expect_runs_everywhere(text);
}

TEST(Memory, ArithmeticOnVectorsIsThatOfTheirElements) {
    const auto text =
        launch("C[ramp(tx*4, 1, 4)] = max(A[ramp(tx*4, 1, 4)]*A[ramp(tx*4 + 1024, 1, 4)], "
               "broadcast(0.0, 4)) + broadcast(1.0, 4)");
    EXPECT_EQ(count_of(ptx_of(text), "mul.rn.f32"), 4);
    EXPECT_EQ(count_of(ptx_of(text), "add.rn.f32"), 4);
    expect_runs_everywhere(text);
    // Some of these types have packed forms in LLVM.
    for (const char* type : {"i8", "u8", "i16", "bool"}) {
        SCOPED_TRACE(type);
        const std::string op = type == std::string("bool") ? "and" : "+";
        expect_runs_everywhere(launch(
            "C[ramp(tx*8, 1, 8)] = A[ramp(tx*8, 1, 8)] " + op + " A[ramp(tx*8 + 8, 1, 8)]", type));
    }
    expect_runs_everywhere(
        launch("C[ramp(tx*8, 1, 8)] = f16(exp(f32(A[ramp(tx*8, 1, 8)])))", "f16"), Spills::Allowed);
}

TEST(Memory, MasksAreBranches) {
    const auto one = launch("C[ramp(tx*4, 1, 4) where broadcast(tx < 200, 4)] = "
                            "A[ramp(tx*4, 1, 4) where broadcast(tx > 3, 4)]");
    const auto ptx = ptx_of(one);
    EXPECT_EQ(count_of(ptx, "ld.global.nc.v4.f32"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "st.global.v4.f32"), 1) << ptx;
    const auto each = launch("C[ramp(tx*4, 1, 4) where ramp(tx*4, 1, 4) < broadcast(1001, 4)] = "
                             "A[ramp(tx*4, 1, 4) where ramp(tx*4, 1, 4) < broadcast(1001, 4)]");
    EXPECT_EQ(count_of(ptx_of(each), "ld.global.nc.f32"), 4);
    EXPECT_EQ(count_of(ptx_of(each), "st.global.f32"), 4);
    const auto scalar = launch("C[tx where tx < 100] = A[tx where tx < 90]");
    for (const auto& text : {one, each, scalar})
        expect_runs_everywhere(text);
}

TEST(Memory, WhatALaunchWritesIsNotReadAsConstant) {
    const auto ptx = ptx_of(launch("C[tx] = A[tx] + C[tx + 256]"));
    EXPECT_EQ(count_of(ptx, "ld.global.nc.f32"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "ld.global.f32"), 1) << ptx;
}

TEST(Memory, ElementsOfAnUnrolledTileAreOnePointerAndConstants) {
    std::string body = "allocate acc: f32[4] in register\n";
    for (int i = 0; i < 4; ++i)
        body += "acc[" + std::to_string(i) + "] = 0.0\n";
    body += "for k in 0..64 {\n";
    for (int i = 0; i < 4; ++i)
        body += "acc[" + std::to_string(i) + "] = acc[" + std::to_string(i) + "] + A[tx*256 + " +
                std::to_string(64 * i) + " + k]\n";
    body += "}\n";
    for (int i = 0; i < 4; ++i)
        body += "C[tx*4 + " + std::to_string(i) + "] = acc[" + std::to_string(i) + "]\n";
    const auto ptx = ptx_of(launch(body));
    for (const char* offset : {"256]", "512]", "768]"})
        EXPECT_GE(count_of(ptx, offset), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "local"), 0) << ptx; // accumulators are registers
    EXPECT_EQ(count_of(ptx, ".pragma \"nounroll\""), 1) << ptx;
    const auto loop = ptx.substr(ptx.find("nounroll"));
    EXPECT_EQ(count_of(loop.substr(0, loop.find("bra")), "mul."), 0) << ptx;
    expect_runs_everywhere(launch(body));
}

TEST(Memory, IndicesOfGlobalMemoryAreMultipliedIn32Bits) {
    const auto ptx = ptx_of(launch("C[bx*1000 + tx*3] = A[bx*1000 + tx*3]"));
    EXPECT_EQ(count_of(ptx, "mul.lo.s64"), 0) << ptx;
    EXPECT_GE(count_of(ptx, "mul.wide.u32"), 2) << ptx;
}

TEST(Memory, IndicesOf64Bits) {
    const auto text =
        launch("C[i64(bx)*4294967296i64 + i64(tx)] = A[i64(bx)*4294967296i64 + i64(tx)]", "u8",
               "[68719476736]");
    expect_runs_everywhere(text);
}

TEST(Memory, SymbolsAreParameters) {
    const std::string text = R"(program p flat
symbol L = 1000
input A: f32[L]
output C: f32[L]
launch p on device (A, C) {
    bound block.x for bx in 0..8 {
        bound thread.x for tx in 0..128 {
            if i64(bx*128 + tx) < L {
                C[i64(bx*128 + tx)] = A[i64(bx*128 + tx)]
            }
        }
    }
}
)";
    EXPECT_EQ(count_of(ptx_of(text), ".param .u64"), 3);
    expect_runs_everywhere(text);
}

TEST(Memory, StoresThatStream) {
    struct Case {
        const char* type;
        const char* line;
        const char* store;
    };
    const Case cases[] = {
        {"f32", "stream C[tx] = A[tx]", "st.global.cs.b32"},
        {"f64", "stream C[tx] = A[tx]", "st.global.cs.b64"},
        {"i8", "stream C[tx] = A[tx]", "st.global.cs.b8"},
        {"f16", "stream C[tx] = A[tx]", "st.global.cs.b16"},
        {"f32", "stream C[ramp(tx*4, 1, 4)] = A[ramp(tx*4, 1, 4)]", "st.global.cs.v4.b32"},
        {"f16", "stream C[ramp(tx*8, 1, 8)] = A[ramp(tx*8, 1, 8)]", "st.global.cs.v4.b32"},
        {"f64", "stream C[ramp(tx*2, 1, 2)] = A[ramp(tx*2, 1, 2)]", "st.global.cs.v2.b64"}};
    for (const auto& c : cases) {
        SCOPED_TRACE(c.line);
        EXPECT_EQ(count_of(ptx_of(launch(c.line, c.type)), c.store), 1)
            << ptx_of(launch(c.line, c.type));
        expect_runs_everywhere(launch(c.line, c.type));
    }
}

TEST(Memory, PrefetchesStayInsideOfTheBuffer) {
    const auto text =
        launch("for k in 0..16 {\nprefetch A[bx*4096 + tx*16 + k + 32]\nC[bx*4096 + tx*16 + k] = "
               "A[bx*4096 + tx*16 + k]\n}");
    const auto ptx = ptx_of(text);
    EXPECT_EQ(count_of(ptx, "prefetch.global.L2"), 1) << ptx;
    EXPECT_GE(count_of(ptx, "setp.lt.u32"), 1) << ptx;
    EXPECT_GE(count_of(ptx, "65536"), 1) << ptx; // its elements
    expect_runs_everywhere(text);
}

TEST(Memory, AThreadsArrayWithIndicesKnownLateIsInLocalMemory) {
    const auto text =
        launch("allocate own: f32[64] in local\nfor k in 0..64 {\nown[k] = A[tx*64 + k]\n}\n"
               "C[tx] = own[B[tx] & 63]");
    const auto ptx = ptx_of(text);
    EXPECT_GE(count_of(ptx, "ld.local"), 1) << ptx;
    EXPECT_GE(count_of(ptx, "st.local"), 1) << ptx;
    expect_runs_everywhere(text);
}

TEST(Memory, LoopsOfUnknownExtents) {
    const auto text =
        launch("allocate sum: f32[1] in register\nsum[0] = 0.0\nfor k in 0..+B[tx] {\nsum[0] = "
               "sum[0] + A[k]\n}\nC[tx] = sum[0]");
    expect_runs_everywhere(text);
}

} // namespace test_memory
} // namespace loopscope::test
