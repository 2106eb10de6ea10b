// Instructions of the table: shuffles, matrices from shared memory, matrix products of a warp.
#include "compiler/codegen/nvptx/intrinsic_table.h"
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace test_intrinsic {

std::string sum_of_a_warp(const std::string& type) {
    std::string text = "program p flat\ninput A: " + type + "[4096]\noutput C: " + type +
                       "[128]\nlaunch p on device (A, C) {\n    bound block.x for bx in 0..128 {\n"
                       "        bound thread.x for tx in 0..32 {\n            allocate own: " +
                       type + "[2] in register\n            own[0] = A[bx*32 + tx]\n";
    for (int lanes : {16, 8, 4, 2, 1})
        text += "            intrinsic shuffle_down_" + std::to_string(lanes) +
                " own[1], own[0]\n            own[0] = own[0] + own[1]\n";
    return text + "            C[bx where tx == 0] = own[0]\n        }\n    }\n}\n";
}

TEST(Intrinsic, ShufflesOfEveryWidth) {
    for (const char* type : {"f32", "i32", "u16", "i8", "f64", "i64"}) {
        SCOPED_TRACE(type);
        const auto text = sum_of_a_warp(type);
        const bool wide = std::string(type).substr(1) == "64";
        EXPECT_EQ(count_of(ptx_of(text), "shfl.sync.down.b32"), wide ? 10 : 5) << ptx_of(text);
        EXPECT_EQ(count_of(ptx_of(text), "local"), 0) << ptx_of(text);
        expect_runs_everywhere(text);
    }
}

TEST(Intrinsic, ShufflesOfEveryKind) {
    std::string text =
        "program p flat\ninput A: f16[4096]\noutput C: f16[4096]\nlaunch p on device (A, C) {\n"
        "    bound thread.x for tx in 0..40 {\n        allocate own: f16[4] in register\n"
        "        own[0] = A[tx]\n";
    text += "        intrinsic shuffle_xor_8 own[1], own[0]\n        intrinsic shuffle_up_1 "
            "own[2], own[1]\n"
            "        intrinsic shuffle_index_0 own[3], own[2]\n        intrinsic shuffle_down_31 "
            "own[3]\n"
            "        C[tx] = own[3]\n    }\n}\n";
    const auto ptx = ptx_of(text);
    for (const char* kind :
         {"shfl.sync.bfly.b32", "shfl.sync.up.b32", "shfl.sync.idx.b32", "shfl.sync.down.b32"})
        EXPECT_EQ(count_of(ptx, kind), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "selp"), 1) << ptx; // the second warp has 8 lanes
    expect_runs_everywhere(text);
}

// One step of a product by an instruction, its fragments read from global memory element by
// element.
std::string product(const std::string& instruction, const std::string& factor, int left, int right,
                    const std::string& sum) {
    std::string text =
        "program p flat\ninput A: " + factor + "[4096]\ninput B: " + factor +
        "[4096]\noutput C: " + sum +
        "[4096]\nlaunch p on device (A, B, C) {\n    bound thread.x for tx in 0..32 {\n"
        "        allocate fa: " +
        factor + "[" + std::to_string(left) + "] in register\n        allocate fb: " + factor +
        "[" + std::to_string(right) + "] in register\n        allocate acc: " + sum +
        "[4] in register\n";
    auto fill = [&](const char* to, const char* from, int count) {
        const auto n = std::to_string(count);
        text += std::string("        ") + to + "[ramp(0, 1, " + n + ")] = " + from + "[ramp(tx*" +
                n + ", 1, " + n + ")]\n";
    };
    fill("fa", "A", left);
    fill("fb", "B", right);
    for (int i = 0; i < 4; ++i)
        text += "        acc[" + std::to_string(i) + "] = " + (sum == "f32" ? "0.0" : "0") + "\n";
    text += "        for k in 0..4 {\n            intrinsic " + instruction +
            " acc[0], fa[0], fb[0]\n        }\n        intrinsic " + instruction +
            " acc[0], fa[0], fb[0], acc[0]\n        C[ramp(tx*4, 1, 4)] = acc[ramp(0, 1, 4)]\n    "
            "}\n}\n";
    return text;
}

TEST(Intrinsic, ProductsOfEveryTypeOfFactor) {
    struct Case {
        const char* instruction;
        const char* factor;
        int left, right;
        const char* sum;
        const char* ptx;
    };
    const Case cases[] = {
        {"mma_m16n8k16_f16", "f16", 8, 4, "f32",
         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
        {"mma_m16n8k16_bf16", "bf16", 8, 4, "f32",
         "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"},
        {"mma_m16n8k8_tf32", "f32", 4, 2, "f32",
         "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"},
        {"mma_m16n8k32_s8", "i8", 16, 8, "i32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"}};
    for (const auto& c : cases) {
        SCOPED_TRACE(c.instruction);
        const auto text = product(c.instruction, c.factor, c.left, c.right, c.sum);
        const auto ptx = ptx_of(text);
        EXPECT_EQ(count_of(ptx, c.ptx), 2) << ptx; // in the loop and behind it
        EXPECT_EQ(count_of(ptx, "local"), 0) << ptx;
        for (const char* architecture : {"sm_80", "sm_90"})
            expect_assembles(compiled(text, architecture), architecture);
        const auto refusal = refusal_of(text, "sm_75");
        EXPECT_NE(refusal.find("sm_75 has no " + std::string(c.instruction)), std::string::npos)
            << refusal;
    }
    // Factors of tf32 are rounded, once a fragment.
    EXPECT_EQ(count_of(ptx_of(product("mma_m16n8k8_tf32", "f32", 4, 2, "f32")), "cvt.rna.tf32.f32"),
              6);
}

TEST(Intrinsic, MatricesFromSharedMemory) {
    std::string text =
        "program p flat\ninput A: f16[2048]\noutput C: f16[256]\nlaunch p on device (A, C) {\n"
        "    bound thread.x for tx in 0..32 {\n        allocate s: f16[2048] in shared\n"
        "        allocate f: f16[28] in register\n"
        "        for i in 0..8 {\n            s[ramp(i*256 + tx*8, 1, 8)] = A[ramp(i*256 + tx*8, "
        "1, 8)]\n"
        "        }\n        barrier block\n";
    const char* names[] = {"x1_b16",       "x2_b16",       "x4_b16",
                           "x1_trans_b16", "x2_trans_b16", "x4_trans_b16"};
    const int begins[] = {0, 2, 6, 14, 16, 20};
    for (int i = 0; i < 6; ++i)
        text += "        intrinsic ldmatrix_" + std::string(names[i]) + " f[" +
                std::to_string(begins[i]) + "], s[(tx % 16)*64 + (tx / 16)*8]\n";
    text += "        for again in 0..1 {\n";
    for (int i = 0; i < 28; ++i)
        text +=
            "            C[tx*8 + " + std::to_string(i % 8) + "] = f[" + std::to_string(i) + "]\n";
    text += "        }\n    }\n}\n";
    const auto ptx = ptx_of(text);
    for (const char* form :
         {"m8n8.x1.shared", "m8n8.x2.shared", "m8n8.x4.shared", "m8n8.x1.trans.shared",
          "m8n8.x2.trans.shared", "m8n8.x4.trans.shared"})
        EXPECT_EQ(count_of(ptx, form), 1) << form << ptx;
    expect_runs_everywhere(text);
}

TEST(Intrinsic, AreNotMovedIntoBranchesOfSomeLanes) {
    auto text = product("mma_m16n8k16_f16", "f16", 8, 4, "f32");
    const auto store = text.find("        C[ramp");
    text.insert(store, "        if tx < 3 {\n    ");
    text.insert(text.find('\n', store + 30), "\n        }");
    const auto ptx = ptx_of(text);
    const auto branch = ptx.rfind("bra");
    EXPECT_EQ(ptx.find("mma.sync", branch), std::string::npos) << ptx;
    EXPECT_EQ(count_of(ptx, "mma.sync"), 2) << ptx;
}

TEST(Intrinsic, RefusalsNameWhatWouldBeRight) {
    auto with = [](const std::string& line) {
        return "program p flat\ninput A: f16[2048]\noutput C: f32[256]\nlaunch p on device (A, C) "
               "{\n"
               "    bound thread.x for tx in 0..32 {\n        allocate s: f16[2048] in shared\n"
               "        allocate f: f16[16] in register\n        allocate acc: f32[4] in "
               "register\n        " +
               line + "  @ C/k\n    }\n}\n";
    };
    auto expect = [&](const std::string& line, const std::string& part) {
        const auto refusal = refusal_of(with(line));
        EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
        EXPECT_NE(refusal.find("(at C/k)"), std::string::npos) << refusal;
    };
    expect("intrinsic shuffle_dwn_16 f[0]", "unknown instruction shuffle_dwn_16");
    expect("intrinsic shuffle_dwn_16 f[0]", "shuffle_down_16");
    expect("intrinsic ldmatrix_x4_b16 f[0]", "takes 2 operands, not 1");
    expect("intrinsic ldmatrix_x4_b16 f[0], A[0]", "its rows from A in global");
    expect("intrinsic mma_m16n8k16_f16 acc[0], f[0], s[0]", "its right factor from s in shared");
    expect("intrinsic mma_m16n8k16_f16 f[0], f[0], f[0]", "its result as f32, and f is f16");
    expect("intrinsic shuffle_xor_1 acc[0], f[0]", "operands of one type, and f is f16");
}

} // namespace test_intrinsic
} // namespace loopscope::test
