// Whole programs: several launches, names, dimensions, device buffers, texts, refusals.
#include "compiler/codegen/nvptx/architecture.h"
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace {

const char* const kTwoLaunches = R"(program p flat
input A: f32[4096]
output C: f32[4096]
buffer T: f32[4096] at 256
launch blur-x on device (A, T) {
    bound block.x for bx in 0..32 {
        bound thread.x for tx in 0..128 {
            T[bx*128 + tx] = A[bx*128 + tx]*3.0  @ T/@compute
        }
    }
}
launch blur_x on device (T, C) {
    bound block.x for cx in 0..16 {
        bound thread.y for ty in 0..2 {
            bound thread.x for ux in 0..128 {
                C[cx*256 + ty*128 + ux] = T[cx*256 + ty*128 + ux] + 1.0  @ C/@compute
            }
        }
    }
}
)";

std::string with_names(const std::string& first, const std::string& second) {
    std::string text = kTwoLaunches;
    text.replace(text.find("blur-x"), 6, first);
    text.replace(text.find("blur_x"), 6, second);
    return text;
}

TEST(Program, EachLaunchIsAKernelWithItsArguments) {
    const auto program = compiled(with_names("first", "second"));
    ASSERT_EQ(program.kernels.size(), 2u);
    EXPECT_EQ(program.kernels[0].name, "first");
    EXPECT_EQ(program.kernels[0].arguments, (std::vector<std::string>{"A", "T"}));
    EXPECT_EQ(program.kernels[0].grid, (std::array<std::int64_t, 3>{32, 1, 1}));
    EXPECT_EQ(program.kernels[1].block, (std::array<std::int64_t, 3>{128, 2, 1}));
    EXPECT_EQ(count_of(program.ptx.text, ".visible .entry first("), 1);
    EXPECT_EQ(count_of(program.ptx.text, ".visible .entry second("), 1);
    // What one launch writes another only reads.
    EXPECT_EQ(count_of(program.ptx.text, "ld.global.nc.f32"), 2) << program.ptx.text;
    expect_runs_everywhere(with_names("first", "second"));
}

TEST(Program, NamesOfKernelsAreSanitizedAndUnique) {
    auto program = parsed(with_names("same", "other"));
    program.launches[0].name = "H.update(0)";
    program.launches[1].name = "H_update_0_";
    auto ptx = codegen::compile_ptx(program);
    ASSERT_TRUE(ptx) << format(ptx.errors());
    EXPECT_EQ(ptx->kernels[0].name, "H_update_0_");
    EXPECT_EQ(ptx->kernels[1].name, "H_update_0__2");
    EXPECT_EQ(count_of(ptx->ptx.text, ".entry H_update_0__2("), 1) << ptx->ptx.text;
    program.launches[0].name = "add"; // names of instructions are no trouble
    program.launches[1].name = "7th";
    ptx = codegen::compile_ptx(program);
    ASSERT_TRUE(ptx) << format(ptx.errors());
    EXPECT_EQ(ptx->kernels[1].name, "kernel_7th");
    expect_assembles(*ptx, "sm_80");
}

TEST(Program, KeepsIrWhenAskedTo) {
    codegen::PtxOptions options;
    EXPECT_TRUE(
        codegen::compile_ptx(parsed(with_names("a", "b")), options)->ir_optimized.text.empty());
    options.keep_ir = true;
    auto ptx = codegen::compile_ptx(parsed(with_names("a", "b")), options);
    ASSERT_TRUE(ptx);
    EXPECT_EQ(count_of(ptx->ir_optimized.text, "define ptx_kernel void"), 2)
        << ptx->ir_optimized.text;
    EXPECT_EQ(count_of(ptx->ir_optimized.text, "!dbg"), 0);
    EXPECT_EQ(origins_of(ptx->ir_optimized, "fmul"), (std::vector<std::string>{"T/@compute"}));
    EXPECT_EQ(origins_of(ptx->ir_optimized, "fadd"), (std::vector<std::string>{"C/@compute"}));
    EXPECT_EQ(origins_of(ptx->ptx, "mul.rn.f32"), (std::vector<std::string>{"T/@compute"}));
}

TEST(Program, DimensionsOfOneAndOf64Bits) {
    const std::string text = R"(program p flat
output C: f32[65536]
launch p on device (C) {
    bound block.y for by in 0..1 {
        bound block.x for bx: i64 in 0..4 {
            bound thread.x for tx: i64 in 0..64 {
                C[i64(by)*256i64 + bx*64i64 + tx] = 1.0
            }
        }
    }
}
)";
    expect_runs_everywhere(text);
    EXPECT_EQ(count_of(ptx_of(text), "%ctaid.y"), 0);
    // No dimension at all: one thread.
    const std::string one =
        "program p flat\noutput C: f32[1]\nlaunch p on device (C) {\n    C[0] = 1.0\n}\n";
    EXPECT_EQ(compiled(one).kernels[0].block, (std::array<std::int64_t, 3>{1, 1, 1}));
    expect_runs_everywhere(one);
}

// Numbered by what the hardware calls its clusters; a kernel says how many blocks they have.
TEST(Program, Clusters) {
    const std::string text = R"(program p flat
output C: f32[4096]
launch first on device (C) {
    bound block.y for by in 0..2 {
        bound block.x for bx in 0..4 {
            bound cluster.y for cy in 0..2 {
                bound cluster.x for cx in 0..4 {
                    bound thread.x for tx in 0..64 {
                        C[((by*2 + cy)*16 + bx*4 + cx)*64 + tx] = 1.0
                    }
                }
            }
        }
    }
}
launch second on device (C) {
    bound block.x for ux in 0..4 {
        C[ux] = 2.0
    }
}
)";
    for (const char* architecture : {"sm_90", "sm_90a"}) {
        const auto program = compiled(text, architecture);
        EXPECT_EQ(program.kernels[0].grid, (std::array<std::int64_t, 3>{16, 4, 1}));
        EXPECT_EQ(program.kernels[0].cluster, (std::array<std::int64_t, 3>{4, 2, 1}));
        EXPECT_EQ(program.kernels[1].cluster, (std::array<std::int64_t, 3>{1, 1, 1}));
        const auto& ptx = program.ptx.text;
        EXPECT_EQ(count_of(ptx, ".explicitcluster\n.reqnctapercluster 4, 2, 1\n{"), 1) << ptx;
        EXPECT_EQ(count_of(ptx, ".reqnctapercluster"), 1) << "the second kernel has none";
        EXPECT_LT(ptx.find(".reqnctapercluster"), ptx.find(".entry second("));
        for (const char* number :
             {"%clusterid.x", "%clusterid.y", "%cluster_ctaid.x", "%cluster_ctaid.y"})
            EXPECT_EQ(count_of(ptx, number), 1) << number;
        EXPECT_EQ(count_of(ptx, "%ctaid.x"), 1) << "of the second kernel";
        expect_assembles(program, architecture);
    }
    EXPECT_NE(refusal_of(text, "sm_80")
                  .find("launch first has clusters of blocks, and sm_80 has "
                        "none (at first); sm_90 has"),
              std::string::npos)
        << refusal_of(text, "sm_80");
    auto large = text;
    large.replace(large.find("cluster.y for cy in 0..2"), 24, "cluster.y for cy in 0..3");
    EXPECT_NE(refusal_of(large, "sm_90").find("clusters of 12 blocks"), std::string::npos);
}

TEST(Program, RefusalsNameTheStatement) {
    auto in_launch = [](const std::string& lines, const std::string& threads = "128") {
        return "program p flat\nsymbol L = 100\ninput A: f32[4096]\noutput C: f32[4096]\nlaunch p "
               "on device (A, C) {\n"
               "    bound thread.x for tx in 0.." +
               threads + " {\n" + lines + "\n    }\n}\n";
    };
    auto expect = [](const std::string& text, const std::string& part) {
        const auto refusal = refusal_of(text);
        EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
    };
    expect("program p\nlaunch p on device () {\n}\n", "the program is not flat");
    expect("program p flat\nlaunch p on host () {\n}\n", "placed on \"host\"");
    expect(in_launch("unrolled for i in 0..4 {  @ C/i\nC[i] = 1.0\n}"),
           "loop i is not serial (at C/i)");
    expect(in_launch("allocate s: f32[L] in shared\ns[0] = 1.0"), "buffer s has an extent of L");
    expect(in_launch("allocate s: f32[200000] in local\ns[tx] = 1.0"), "800000 bytes a thread");
    expect(in_launch("C[tx] = 1.0", "2000"), "thread.x has an extent of 2000");
    expect(in_launch("allocate s: f32[4] in shared rotate 2\ns[0] = 1.0"), "buffer s rotates");
}

TEST(Program, Architectures) {
    const auto text = with_names("a", "b");
    EXPECT_NE(refusal_of(text, "sm_60").find("sm_70 is the oldest"), std::string::npos);
    EXPECT_NE(refusal_of(text, "gfx90a").find("is no architecture"), std::string::npos);
    EXPECT_NE(refusal_of(text, "sm_").find("is no architecture"), std::string::npos);
    for (const char* none : {"sm_9999", "sm_200", "sm_77", "sm_0", "sm_-80"})
        EXPECT_NE(refusal_of(text, none).find("is no architecture"), std::string::npos) << none;
    for (const auto& [name, target] : {std::pair{"sm_75", ".target sm_75"},
                                       {"sm_86", ".target sm_86"},
                                       {"sm_88", ".target sm_87"},
                                       {"sm_90a", ".target sm_90a"},
                                       {"sm_100", ".target sm_90\n"},
                                       {"sm_120a", ".target sm_90\n"}})
        EXPECT_EQ(count_of(ptx_of(text, name), target), 1) << name;
    expect_assembles(compiled(text, "sm_100"), "sm_100");
}

} // namespace
} // namespace loopscope::test
