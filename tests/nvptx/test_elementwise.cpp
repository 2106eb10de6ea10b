// Every operator on every type: the instructions that round as the language says, on all
// architectures.
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace {

const std::vector<std::string> kIntegers{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
const std::vector<std::string> kAll{"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                    "u32",  "u64", "f16", "bf16", "f32", "f64"};

// A launch of one element a thread, with a buffer for each result.
class Elementwise {
public:
    void input(const std::string& name, const std::string& type) {
        declarations_ += "input " + name + ": " + type + "[4096]\n";
        arguments_ += (arguments_.empty() ? "" : ", ") + name;
    }
    void result(const std::string& type, const std::string& value) {
        auto name = "o" + std::to_string(results_++);
        declarations_ += "output " + name + ": " + type + "[4096]\n";
        arguments_ += ", " + name;
        stores_ += "            " + name + "[bx*128 + tx] = " + value + "\n";
    }
    std::string text() const {
        return "program elementwise flat\n" + declarations_ + "launch elementwise on device (" +
               arguments_ +
               ") {\n    bound block.x for bx in 0..32 {\n        bound thread.x for tx in 0..128 "
               "{\n" +
               stores_ + "        }\n    }\n}\n";
    }

private:
    std::string declarations_, arguments_, stores_;
    int results_ = 0;
};

Elementwise two_inputs(const std::string& type) {
    Elementwise e;
    e.input("A", type);
    e.input("B", type);
    return e;
}

const std::string kA = "A[bx*128 + tx]", kB = "B[bx*128 + tx]";

TEST(Elementwise, IntegersOfEveryType) {
    for (const auto& type : kIntegers) {
        SCOPED_TRACE(type);
        auto e = two_inputs(type);
        for (const char* op : {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"})
            e.result(type, kA + " " + op + " " + kB);
        for (const char* op : {"<", "<=", "==", "!="})
            e.result("bool", kA + " " + op + " " + kB);
        e.result(type, "min(" + kA + ", " + kB + ")");
        e.result(type, "max(" + kA + ", " + kB + ")");
        e.result(type, "-" + kA);
        e.result(type, "~" + kA);
        if (type[0] == 'i')
            e.result(type, "abs(" + kA + ")");
        expect_runs_everywhere(e.text());
    }
}

TEST(Elementwise, FloatsRoundEachOperationOnce) {
    for (const std::string type : {"f32", "f64"}) {
        SCOPED_TRACE(type);
        auto e = two_inputs(type);
        for (const char* op : {"+", "-", "*", "/"})
            e.result(type, kA + " " + op + " " + kB);
        for (const char* op : {"<", "<=", "==", "!="})
            e.result("bool", kA + " " + op + " " + kB);
        for (const char* f : {"abs", "sqrt", "floor", "ceil", "round"})
            e.result(type, std::string(f) + "(" + kA + ")");
        e.result(type, "-" + kA);
        e.result(type, kA + "*" + kB + " + " + kA);
        expect_runs_everywhere(e.text());
        const auto ptx = ptx_of(e.text());
        for (const char* op : {"add.rn.", "sub.rn.", "mul.rn.", "div.rn.", "sqrt.rn."})
            EXPECT_GE(count_of(ptx, op + type), 1) << op;
        for (const char* mode : {"cvt.rmi.", "cvt.rpi.", "cvt.rni."})
            EXPECT_EQ(count_of(ptx, mode + type + "." + type), 1) << mode;
        // A product and a sum stay two operations.
        EXPECT_EQ(count_of(ptx, "fma"), 0) << ptx;
        EXPECT_EQ(count_of(ptx, "\tadd." + type), 0);
        EXPECT_EQ(count_of(ptx, "\tmul." + type), 0);
    }
}

TEST(Elementwise, FmaIsWhereItIsWritten) {
    auto e = two_inputs("f32");
    e.result("f32", "fma(" + kA + ", " + kB + ", " + kA + ")");
    const auto ptx = ptx_of(e.text());
    EXPECT_EQ(count_of(ptx, "fma.rn.f32"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "mul.rn"), 0) << ptx;
}

TEST(Elementwise, TheGreaterOfANanAndANumberIsTheNan) {
    auto e = two_inputs("f32");
    e.result("f32", "max(" + kA + ", " + kB + ")");
    e.result("f32", "min(" + kA + ", " + kB + ")");
    expect_runs_everywhere(e.text());
    EXPECT_EQ(count_of(ptx_of(e.text(), "sm_80"), "max.NaN.f32"), 1);
    const auto older = ptx_of(e.text(), "sm_75"); // has no such form
    EXPECT_EQ(count_of(older, "max.NaN"), 0);
    EXPECT_GE(count_of(older, "setp.nan.f32"), 1);
    auto wide = two_inputs("f64");
    wide.result("f64", "max(" + kA + ", " + kB + ")");
    expect_runs_everywhere(wide.text());
    EXPECT_GE(count_of(ptx_of(wide.text()), "setp.nan.f64"), 1);
}

TEST(Elementwise, CastsBetweenAllTypes) {
    for (const auto& from : kAll) {
        SCOPED_TRACE(from);
        Elementwise e;
        e.input("A", from);
        for (const auto& to : kAll)
            if (to != from)
                e.result(to, to + "(" + kA + ")");
        expect_runs_everywhere(e.text());
    }
}

TEST(Elementwise, FloatsToIntegersSaturateByOneInstruction) {
    Elementwise e;
    e.input("A", "f32");
    e.result("i32", "i32(" + kA + ")");
    const auto ptx = ptx_of(e.text());
    EXPECT_EQ(count_of(ptx, "cvt.rzi.s32.f32"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "selp"), 0) << ptx;
    Elementwise narrow;
    narrow.input("A", "f32");
    narrow.result("u8", "u8(" + kA + ")");
    const auto pixels = ptx_of(narrow.text());
    EXPECT_EQ(count_of(pixels, "cvt.rzi.u32.f32"), 1) << pixels;
    EXPECT_EQ(count_of(pixels, "min.u32"), 1) << pixels;
}

TEST(Elementwise, HalvesAreConvertedByInstructions) {
    Elementwise e;
    e.input("A", "f16");
    e.input("B", "f16");
    e.result("f16", "f16(f32(" + kA + ") + f32(" + kB + "))");
    expect_runs_everywhere(e.text());
    EXPECT_GE(count_of(ptx_of(e.text()), "cvt.rn.f16.f32"), 1);
    EXPECT_EQ(count_of(ptx_of(e.text()), "cvt.f32.f16"), 2);
    // What processors make of denormals as bf16 is not for all of them right: integer code.
    Elementwise b;
    b.input("A", "f32");
    b.result("bf16", "bf16(" + kA + ")");
    EXPECT_EQ(count_of(ptx_of(b.text(), "sm_90"), "cvt.rn.bf16"), 0);
}

TEST(Elementwise, FunctionsOfThePrelude) {
    for (const std::string type : {"f32", "f64"}) {
        SCOPED_TRACE(type);
        for (const char* f : {"exp", "log", "tanh", "erf", "sin", "cos", "rsqrt", "fast_exp"}) {
            Elementwise e;
            e.input("A", type);
            e.result(type, std::string(f) + "(" + kA + ")");
            expect_runs_everywhere(e.text(), Spills::Allowed);
        }
        auto e = two_inputs(type);
        e.result(type, "pow(" + kA + ", " + kB + ")");
        expect_runs_everywhere(e.text(), Spills::Allowed);
    }
}

TEST(Elementwise, BitsSelectsAndLogic) {
    Elementwise e;
    e.input("A", "f32");
    e.input("B", "f32");
    e.input("M", "bool");
    e.result("u32", "bits(" + kA + ")");
    e.result("f32", "from_bits(f32, bits(" + kA + ") ^ 1u32)");
    e.result("f32", "select(M[bx*128 + tx], " + kA + ", " + kB + ")");
    e.result("bool", "M[bx*128 + tx] and not (" + kA + " < " + kB + ")");
    expect_runs_everywhere(e.text());
    // All NaNs are one: bits are taken of that one.
    EXPECT_GE(count_of(ptx_of(e.text()), "2143289344"), 1) << ptx_of(e.text());
}

} // namespace
} // namespace loopscope::test
