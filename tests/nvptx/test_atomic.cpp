// Atomic stores: an instruction where PTX has one, and trying again where it has not.
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace {

std::string histogram(const std::string& type, const std::string& line, bool shared) {
    std::string text =
        "program p flat\ninput A: " + type + "[4096]\ninput I: i32[4096]\noutput C: " + type +
        "[256]\nlaunch p on device (A, I, C) {\n"
        "    bound block.x for bx in 0..16 {\n        bound thread.x for tx in 0..256 {\n";
    if (shared)
        text += "            allocate s: " + type +
                "[256] in shared\n            s[tx] = C[tx]\n"
                "            barrier block\n            atomic s" +
                line + "\n            barrier block\n            C[tx] = s[tx]\n";
    else
        text += "            atomic C" + line + "\n";
    return text + "        }\n    }\n}\n";
}

const std::string kPlace = "[I[bx*256 + tx] & 255]", kValue = "A[bx*256 + tx]";

TEST(Atomic, HaveInstructions) {
    struct Case {
        const char* type;
        const char* op;
        const char* instruction;
    };
    const Case cases[] = {{"i32", "+=", "add.u32"},   {"u32", "+=", "add.u32"},
                          {"i64", "+=", "add.u64"},   {"f32", "+=", "add.f32"},
                          {"f64", "+=", "add.f64"},   {"f16", "+=", "add.noftz.f16"},
                          {"i32", "max=", "max.s32"}, {"u32", "max=", "max.u32"},
                          {"i64", "min=", "min.s64"}, {"u64", "max=", "max.u64"}};
    for (const auto& c : cases)
        for (bool shared : {false, true}) {
            SCOPED_TRACE(std::string(c.type) + " " + c.op + (shared ? " shared" : " global"));
            const auto text = histogram(c.type, kPlace + " " + c.op + " " + kValue, shared);
            const auto ptx = ptx_of(text);
            EXPECT_EQ(count_of(ptx, std::string(shared ? "atom.shared." : "atom.global.") +
                                        c.instruction),
                      1)
                << ptx;
            EXPECT_EQ(count_of(ptx, ".cas"), 0) << ptx;
            expect_runs_everywhere(text);
        }
}

TEST(Atomic, TryAgain) {
    struct Case {
        const char* type;
        const char* op;
    };
    const Case cases[] = {{"f32", "*="},   {"f32", "max="}, {"f64", "min="}, {"i32", "*="},
                          {"u64", "*="},   {"f16", "max="}, {"bf16", "*="},  {"i8", "+="},
                          {"u16", "max="}, {"i16", "*="}};
    for (const auto& c : cases)
        for (bool shared : {false, true}) {
            SCOPED_TRACE(std::string(c.type) + " " + c.op + (shared ? " shared" : " global"));
            const auto text = histogram(c.type, kPlace + " " + c.op + " " + kValue, shared);
            EXPECT_GE(count_of(ptx_of(text), ".cas.b"), 1) << ptx_of(text);
            expect_runs_everywhere(text);
        }
}

TEST(Atomic, LogicWorksOnTheWordsThatHoldIt) {
    for (const char* op : {"or", "and"})
        for (bool shared : {false, true}) {
            const auto text = histogram("bool", kPlace + " " + op + "= " + kValue, shared);
            EXPECT_EQ(count_of(ptx_of(text),
                               std::string(shared ? "atom.shared." : "atom.global.") + op + ".b32"),
                      1)
                << ptx_of(text);
            expect_runs_everywhere(text);
        }
}

TEST(Atomic, SumsOfBf16HaveAnInstructionFromHopperOn) {
    const auto text = histogram("bf16", kPlace + " += " + kValue, false);
    EXPECT_GE(count_of(ptx_of(text, "sm_80"), ".cas.b"), 1);
    EXPECT_EQ(count_of(ptx_of(text, "sm_90"), "atom.global.add.noftz.bf16"), 1)
        << ptx_of(text, "sm_90");
    expect_runs_everywhere(text);
}

TEST(Atomic, LanesAndMasks) {
    const auto lanes =
        histogram("i32", "[I[ramp(tx*4, 1, 4)] & broadcast(255, 4)] += A[ramp(tx*4, 1, 4)]", false);
    EXPECT_EQ(count_of(ptx_of(lanes), "atom.global.add.u32"), 4) << ptx_of(lanes);
    const auto masked = histogram("i32", "[I[tx] & 255 where tx < 100] += 1", false);
    EXPECT_EQ(count_of(ptx_of(masked), "atom.global.add.u32"), 1) << ptx_of(masked);
    expect_runs_everywhere(lanes);
    expect_runs_everywhere(masked);
}

TEST(Atomic, OfAThreadsOwnMemoryIsNone) {
    const std::string text = R"(program p flat
input A: f32[4096]
output C: f32[256]
launch p on device (A, C) {
    bound thread.x for tx in 0..256 {
        allocate own: f32[1] in register
        own[0] = 0.0
        for k in 0..16 {
            atomic own[0] += A[tx*16 + k]
        }
        C[tx] = own[0]
    }
}
)";
    EXPECT_EQ(count_of(ptx_of(text), "atom."), 0) << ptx_of(text);
    EXPECT_EQ(count_of(ptx_of(text), "add.rn.f32"), 1) << ptx_of(text);
    expect_runs_everywhere(text);
}

} // namespace
} // namespace loopscope::test
