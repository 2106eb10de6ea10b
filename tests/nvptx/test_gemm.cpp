// A product of f16 matrices as experts write it: tiles of 128 x 128 x 32 in shared memory, three of
// them in flight, eight warps of 64 x 32, swizzled rows.
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace {

constexpr int kSize = 1024, kTile = 128, kDepth = 32, kThreads = 256;

class Gemm {
public:
    explicit Gemm(int stages) : stages_(stages) {
        const auto elements = std::to_string(kSize * kSize);
        line("program gemm flat");
        line("input A: f16[" + elements + "]");
        line("input B: f16[" + elements + "]");
        line("output C: f32[" + elements + "]");
        line("launch gemm on device (A, B, C) {");
        line("bound block.y for by in 0..8 {  @ C/by");
        line("bound block.x for bx in 0..8 {  @ C/bx");
        line("bound thread.x for t in 0..256 {  @ C/t");
        line("allocate As: f16[" + std::to_string(stages * kTile * kDepth) + "] in shared");
        line("allocate Bs: f16[" + std::to_string(stages * kTile * kDepth) + "] in shared");
        line("allocate acc: f32[64] in register");
        line("allocate fa: f16[32] in register");
        line("allocate fb: f16[16] in register");
        for (int i = 0; i < 64; ++i)
            line("acc[" + std::to_string(i) + "] = 0.0  @ C/@init");
        line("let lane = t % 32");
        line("let wm = t / 128");
        line("let wn = t / 32 % 4");
        for (int stage = 0; stage + 1 < stages; ++stage)
            load(std::to_string(stage), std::to_string(stage));
        main_loop();
        store();
        line("}\n}\n}\n}");
    }

    std::string text;

private:
    void line(const std::string& content) { text += content + "\n"; }

    static std::string n(int number) { return std::to_string(number); }

    void load(const std::string& step, const std::string& stage, const std::string& mask = "") {
        const auto room = stage + "*" + n(kTile * kDepth) + " + ";
        for (int i = 0; i < 2; ++i) {
            const auto chunk = "(t + " + n(i * kThreads) + ")";
            auto row = "(" + chunk + "/4)", column = "(" + chunk + "%4)";
            line("copy p As[ramp(" + room + row + "*32 + (" + column + " ^ (" + row +
                 "/2 & 3))*8, 1, 8)] = A[ramp((by*128 + " + row + ")*1024 + (" + step + ")*32 + " +
                 column + "*8, 1, 8)" + mask + "]  @ As/@copy");
            row = "(" + chunk + "/16)", column = "(" + chunk + "%16)";
            line("copy p Bs[ramp(" + room + row + "*128 + (" + column + " ^ (" + row +
                 " & 7))*8, 1, 8)] = B[ramp(((" + step + ")*32 + " + row + ")*1024 + bx*128 + " +
                 column + "*8, 1, 8)" + mask + "]  @ Bs/@copy");
        }
        line("commit p  @ As/@copy");
    }

    void main_loop() {
        const auto next = "kt + " + n(stages_ - 1);
        line("for kt in 0..32 {  @ C/ko");
        line("wait p " + n(stages_ - 2) + "  @ C/ko");
        line("barrier block  @ C/ko");
        load(next, "((" + next + ") % " + n(stages_) + ")",
             " where broadcast(kt < " + n(33 - stages_) + ", 8)");
        for (int step = 0; step < 2; ++step)
            multiply(step);
        line("}");
    }

    void multiply(int step) {
        const auto room = "kt % " + n(stages_) + "*" + n(kTile * kDepth) + " + ";
        for (int i = 0; i < 4; ++i) {
            const auto row = "(wm*64 + " + n(16 * i) + " + lane % 16)";
            line("intrinsic ldmatrix_x4_b16 fa[" + n(8 * i) + "], As[" + room + row +
                 "*32 + ((lane/16 + " + n(2 * step) + ") ^ (" + row + "/2 & 3))*8]  @ C/ki");
        }
        for (int i = 0; i < 2; ++i) {
            const auto row = "(" + n(16 * step) + " + lane % 16)";
            line("intrinsic ldmatrix_x4_trans_b16 fb[" + n(8 * i) + "], Bs[" + room + row +
                 "*128 + ((wn*4 + " + n(2 * i) + " + lane/16) ^ (" + row + " & 7))*8]  @ C/ki");
        }
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                line("intrinsic mma_m16n8k16_f16 acc[" + n(16 * i + 4 * j) + "], fa[" + n(8 * i) +
                     "], fb[" + n(4 * j) + "]  @ C/@compute");
    }

    void store() {
        for (int i = 0; i < 4; ++i)
            for (int half = 0; half < 2; ++half)
                for (int j = 0; j < 4; ++j)
                    line("C[ramp((by*128 + wm*64 + " + n(16 * i + 8 * half) +
                         " + lane/4)*1024 + bx*128 + wn*32 + " + n(8 * j) +
                         " + lane % 4*2, 1, 2)] = acc[ramp(" + n(16 * i + 4 * j + 2 * half) +
                         ", 1, 2)]  @ C/@store");
    }

    int stages_;
};

std::string loop_of(const std::string& ptx) {
    const auto begin = ptx.find("nounroll");
    return ptx.substr(begin, ptx.find("bra", begin) - begin);
}

TEST(Gemm, TheInnerLoopIsWhatAnExpertWouldWrite) {
    const auto program = compiled(Gemm(3).text);
    const auto& ptx = program.ptx.text;
    const auto loop = loop_of(ptx);
    EXPECT_EQ(count_of(loop, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), 32) << loop;
    EXPECT_EQ(count_of(loop, "ldmatrix.sync.aligned.m8n8.x4.shared.b16"), 8) << loop;
    EXPECT_EQ(count_of(loop, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"), 4) << loop;
    EXPECT_EQ(count_of(loop, "cp.async.cg.shared.global"), 4) << loop;
    EXPECT_EQ(count_of(loop, "cp.async.commit_group"), 1) << loop;
    EXPECT_EQ(count_of(loop, "cp.async.wait_group \t1") + count_of(loop, "cp.async.wait_group 1"),
              1)
        << loop;
    EXPECT_EQ(count_of(loop, "bar.sync"), 1) << loop;
    for (const char* other : {"ld.shared", "ld.global", "st.", "local", "bra", "div.", "rem."})
        EXPECT_EQ(count_of(loop, other), 0) << other << loop;
    EXPECT_EQ(count_of(ptx, "st.global.v2.f32"), 32) << ptx;
    EXPECT_EQ(program.kernels[0].shared_bytes, 48 << 10);
    for (const char* architecture : {"sm_80", "sm_90"})
        expect_assembles(compiled(Gemm(3).text, architecture), architecture);
}

TEST(Gemm, FourStagesLieInMemoryThatTheLaunchAsksFor) {
    const auto program = compiled(Gemm(4).text);
    EXPECT_EQ(program.kernels[0].dynamic_bytes, 64 << 10);
    expect_assembles(program, "sm_80");
}

TEST(Gemm, EveryLineOfItsBodySaysWhereItComesFrom) {
    const auto program = compiled(Gemm(3).text);
    const auto& text = program.ptx;
    for (const auto& [word, origin] : {std::pair{"mma.sync", "C/@compute"},
                                       {"ldmatrix", "C/ki"},
                                       {"cp.async.commit", "As/@copy"},
                                       {"bar.sync", "C/ko"},
                                       {"st.global", "C/@store"},
                                       {"%ctaid.x", "C/bx"},
                                       {"%tid.x", "C/t"},
                                       {"nounroll", "C/ko"}}) {
        const auto origins = origins_of(text, word);
        EXPECT_FALSE(origins.empty()) << word;
        for (const auto& each : origins)
            EXPECT_EQ(each, origin) << word;
    }
    const auto copies = origins_of(text, "cp.async.cg");
    EXPECT_EQ(std::count(copies.begin(), copies.end(), "As/@copy"), 6);
    EXPECT_EQ(std::count(copies.begin(), copies.end(), "Bs/@copy"), 6);
    for (const char* noise : {".loc", ".file", ".debug", "$L__tmp", "inline asm"})
        EXPECT_EQ(count_of(text.text, noise), 0) << noise;
}

// No bound: the times are there to be read.
TEST(Gemm, TakesThisLongToCompile) {
    for (int turn = 0; turn < 3; ++turn) {
        const auto seconds = compiled(Gemm(3).text).seconds;
        std::cout << "IR " << seconds.build * 1e3 << " ms, optimised in " << seconds.optimize * 1e3
                  << " ms, PTX in " << seconds.generate * 1e3 << " ms\n";
        EXPECT_GT(seconds.generate, 0);
    }
}

} // namespace
} // namespace loopscope::test
