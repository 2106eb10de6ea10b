// Each statement of the language: what it makes.
#include "tests/language/loop_support.h"

namespace loopscope::test {
namespace {

TEST(LoopStatements, TheExampleOfTheReference) {
    auto p = loaded(R"(
pipeline harris
param H = 1024                       # integer parameters
param W = 1920
const KAPPA = 0.04

input img[c, y, x]: u8[3, H, W] boundary edge

stage gray[y, x]: f32 = 0.299*f32(img[0,y,x]) + 0.587*f32(img[1,y,x]) + 0.114*f32(img[2,y,x])
stage iy[y, x] = (gray[y+1,x-1] - gray[y-1,x-1] + 2.0*(gray[y+1,x] - gray[y-1,x]) + gray[y+1,x+1] - gray[y-1,x+1]) / 12.0
stage ix[y, x] = (gray[y-1,x+1] - gray[y-1,x-1] + 2.0*(gray[y,x+1] - gray[y,x-1]) + gray[y+1,x+1] - gray[y+1,x-1]) / 12.0
def box(f)[y, x] = f[y-1,x-1] + f[y-1,x] + f[y-1,x+1] + f[y,x-1] + f[y,x] + f[y,x+1] + f[y+1,x-1] + f[y+1,x] + f[y+1,x+1]
stage ixx[y, x] = ix[y,x]**2
stage iyy[y, x] = iy[y,x]**2
stage ixy[y, x] = ix[y,x]*iy[y,x]
stage sxx[y, x] = box(ixx)[y, x]
stage syy[y, x] = box(iyy)[y, x]
stage sxy[y, x] = box(ixy)[y, x]
stage out[y, x] = let t = sxx[y,x] + syy[y,x] in sxx[y,x]*syy[y,x] - sxy[y,x]**2 - KAPPA*t*t
output out: [H, W]
)",
                    {{{"H", 64}}});
    ASSERT_EQ(p->stages.size(), 11u);
    EXPECT_EQ(p->name, "harris");
    EXPECT_EQ(p->params[0].value, 64);
    EXPECT_EQ(p->params[0].default_value, 1024);
    EXPECT_EQ(p->params[1].value, 1920);
    EXPECT_EQ(p->find("img")->extents[1].constant(), 64);
    EXPECT_EQ(p->find("out")->types[0], ScalarType::F32);
    EXPECT_EQ(p->outputs[0].extents[0].constant(), 64);
    EXPECT_EQ(to_text(p->find("ixx")->definitions[0].values[0]),
              "let power = ix[y, x] in power*power");
}

TEST(LoopStatements, InputsAndBoundaries) {
    auto p = loaded("pipeline p\n"
                    "input a: f32[4, 5]\n"
                    "input b[i]: u8[4] boundary constant(7)\n"
                    "input c[i]: f64[4] boundary constant(-1.5)\n"
                    "input d[i]: i16[4] boundary mirror\n"
                    "input e[i]: bool[4] boundary reflect\n"
                    "input f[i]: u64[4] boundary wrap\n"
                    "input h[i]: i64[4] boundary zero\n"
                    "stage s[i] = a[0, i]\n"
                    "output s: [5]\n");
    EXPECT_EQ(p->find("a")->variables, (std::vector<std::string>{"d0", "d1"}));
    EXPECT_EQ(p->find("a")->boundary.kind, BoundaryKind::None);
    EXPECT_EQ(to_text(p->find("b")->boundary.value), "7u8");
    EXPECT_EQ(to_text(p->find("c")->boundary.value), "-1.5f64");
    EXPECT_EQ(p->find("d")->boundary.kind, BoundaryKind::Mirror);
    EXPECT_EQ(p->find("e")->boundary.kind, BoundaryKind::Reflect);
    EXPECT_EQ(p->find("f")->boundary.kind, BoundaryKind::Wrap);
    EXPECT_EQ(p->find("h")->boundary.kind, BoundaryKind::Zero);
}

TEST(LoopStatements, Reductions) {
    auto p =
        loaded(around("stage s[i]: f32 = sum[k in 0..4, l in -1..2 where k != l](a[i+k]*a[l])\n"
                      "stage m[i] = min[k in 0..4](a[k+i])\n"
                      "stage y[i] = any[k in 0..4](b[k] > i)"));
    const auto& d = p->find("s")->definitions[0];
    EXPECT_EQ(d.kind, DefinitionKind::Reduction);
    EXPECT_EQ(d.reduction, ReductionOp::Sum);
    ASSERT_EQ(d.axes.size(), 2u);
    EXPECT_EQ(d.axes[1].name, "l");
    EXPECT_EQ(d.axes[1].begin.constant(), -1);
    EXPECT_EQ(d.axes[1].extent().constant(), 3);
    EXPECT_EQ(to_text(d.condition), "k != l");
    EXPECT_EQ(d.free, std::vector<std::string>{"i"});
    EXPECT_EQ(p->find("m")->definitions[0].reduction, ReductionOp::Min);
    EXPECT_EQ(p->find("y")->types[0], ScalarType::Bool);
}

TEST(LoopStatements, AnEmptyRangeIsAllowed) {
    auto p = loaded(around("stage s[i]: f32 = sum[k in 4..2](a[k])"));
    EXPECT_EQ(p->find("s")->definitions[0].axes[0].extent().constant(), 0);
}

TEST(LoopStatements, ArraysOfDifferentRankAndOutputsInAnyOrder) {
    auto p =
        loaded("pipeline p\ninput a[i]: f32[8] boundary zero\nstage s[i] = a[i]\noutput s: [8]\n"
               "stage t[j, i] = s[i] + s[j]\noutput t: [4, 2*2]\n");
    EXPECT_EQ(p->outputs.size(), 2u);
    EXPECT_EQ(p->find_output("t")->extents[1].constant(), 4);
}

TEST(LoopStatements, PlacesAreThoseOfTheText) {
    auto p = loaded(
        "pipeline p\ninput a[i]: f32[8] boundary zero\nstage s[i] =\ta[i+1]\noutput s: [8]\n");
    const auto& stage = *p->find("s");
    EXPECT_EQ(stage.origin.range.file->position(stage.origin.range.begin).line, 3);
    const auto& load = stage.definitions[0].values[0];
    EXPECT_EQ(load->where.file->position(load->where.begin).column, 14);
    const auto& index = load->args[0];
    EXPECT_EQ(
        index->where.file->text().substr(index->where.begin, index->where.end - index->where.begin),
        "i+1");
}

TEST(LoopStatements, ByteOrderMarkAndCarriageReturns) {
    auto p = loaded("\xEF\xBB\xBFpipeline p\r\ninput a[i]: f32[8] boundary zero\r\nstage s[i] = "
                    "(a[i] # one\r\n + a[i+1])\r\n"
                    "output s: [8]\r\n");
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]), "a[i] + a[i + 1]");
}

TEST(LoopStatements, ParamsMayUseParamsAndTakeTheCallersValues) {
    std::string text = "pipeline p\nparam N = 4\nparam M = 2*N + 1\ninput a[i]: f32[M]\nstage s[i] "
                       "= a[i]\noutput s: [M]\n";
    EXPECT_EQ(loaded(text)->params[1].value, 9);
    EXPECT_EQ(loaded(text, {{{"N", 10}}})->params[1].value, 21);
    EXPECT_EQ(loaded(text, {{{"M", 3}}})->outputs[0].extents[0].constant(), 3);
    EXPECT_EQ(errors(text, {{{"NN", 3}}}),
              "error: the pipeline has no param 'NN'; did you mean 'N'?\n");
    EXPECT_EQ(errors(text, {{{"LENGTH", 3}}}),
              "error: the pipeline has no param 'LENGTH'; its params are N, M\n");
}

TEST(LoopStatements, TypedAndUntypedConsts) {
    auto p = loaded(around("const THIRD = 1.0/3\n"
                           "const ROOT: f64 = sqrt(2.0)\n"
                           "const BYTE: u8 = 300 - 45\n"
                           "const YES = 3 > 2\n"
                           "stage s[i] = a[i]*THIRD\n"
                           "stage t[i] = f64(a[i])*ROOT*THIRD\n"
                           "stage v[i] = u[i] + BYTE\n"
                           "stage w[i] = YES"));
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]), "a[i]*0.33333334");
    EXPECT_EQ(to_text(p->find("t")->definitions[0].values[0]),
              "f64(a[i])*1.4142135623730951f64*0.3333333333333333f64");
    EXPECT_EQ(to_text(p->find("v")->definitions[0].values[0]), "u[i] + 255u8");
    EXPECT_EQ(to_text(p->find("w")->definitions[0].values[0]), "true");
}

TEST(LoopStatements, DecimalArithmeticRoundsOnce) {
    // In f32 arithmetic 0.1 + 0.2 - 0.3 is not zero, and 1.0 - 0.9 is not 0.1.
    EXPECT_EQ(value_text("a[i] + (0.1 + 0.2 - 0.3)"), "a[i] + 0.0");
    EXPECT_EQ(value_text("a[i] * (1.0 - 0.9)"), "a[i]*0.1");
}

// A word that is no name takes no template, whatever follows on its line.
TEST(LoopStatements, ElseNeedsASpaceBeforeItsBrace) {
    for (const auto* block : {"{stage s[i] = 2}", "{ stage s[i] = 2 }", "{\nstage s[i] = 2\n}"}) {
        auto text = errors(around(std::string("if 1 > 2 { stage s[i] = 1 }else") + block));
        EXPECT_EQ(text.substr(0, text.find('\n')),
                  "t.loop:6:32: error: a '{' right after a name opens a template; put a space "
                  "before it to open a block");
        EXPECT_EQ(text.find(": error: "), text.rfind(": error: ")) << text;
    }
}

} // namespace
} // namespace loopscope::test
