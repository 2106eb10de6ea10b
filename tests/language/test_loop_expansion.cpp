// Names, templates, for, if, def and let.
#include "tests/language/loop_support.h"

namespace loopscope::test {
namespace {

TEST(LoopExpansion, ForMakesStagesWithTemplates) {
    auto p = loaded(around("stage g0[y, x] = g[y, x]\n"
                           "for l in 1..4 {\n"
                           "    const SCALE = 0.5**l\n"
                           "    stage g{l}[y, x] = g{l-1}[2*y, 2*x]*SCALE\n"
                           "}\n"
                           "stage s[i] = g3[i, 0]"));
    const auto* g2 = p->find("g2");
    ASSERT_TRUE(g2);
    EXPECT_EQ(to_text(g2->definitions[0].values[0]), "g1[2*y, 2*x]*0.25");
    EXPECT_EQ(g2->origin.iteration, "l=2");
    EXPECT_EQ(g2->origin.group, "l=2");
    EXPECT_EQ(p->find("g0")->origin.iteration, "");
    EXPECT_EQ(g2->origin.range.begin, p->find("g3")->origin.range.begin);
}

TEST(LoopExpansion, NestedLoopsAndConditions) {
    auto p = loaded(around("for l in 0..2 {\n"
                           "    for m in 0..3 {\n"
                           "        if (l + m) % 2 == 0 {\n"
                           "            stage t{l}_{m}[i] = a[i+l]\n"
                           "        } else if m == 1 { stage t{l}_{m}[i] = a[i-m] } else {\n"
                           "            stage t{l}_{m}[i] = 0.0\n"
                           "        }\n"
                           "    }\n"
                           "}\n"
                           "stage s[i] = t0_1[i] + t1_0[i] + t1_1[i]"));
    EXPECT_EQ(to_text(p->find("t0_1")->definitions[0].values[0]), "a[i - 1]");
    EXPECT_EQ(to_text(p->find("t1_0")->definitions[0].values[0]), "0.0");
    EXPECT_EQ(to_text(p->find("t1_1")->definitions[0].values[0]), "a[i + 1]");
    EXPECT_EQ(p->find("t1_2")->origin.group, "l=1/m=2");
    EXPECT_EQ(p->find("t1_2")->origin.iteration, "l=1, m=2");
}

TEST(LoopExpansion, ConstsOfALoopBelongToItUnlessTheirNameHasATemplate) {
    auto p = loaded(
        around("for l in 0..3 {\n    const w{l} = l*l\n    const t = l\n}\nstage s[i] = a[i]*w2"));
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]), "a[i]*4.0");
    EXPECT_EQ(errors(around("for l in 0..3 {\n    const t = l\n}\nstage s[i] = a[i]*t")),
              "t.loop:9:19: error: unknown name 't'; it is defined at 7:11, and known only inside "
              "of the block there\n"
              "stage s[i] = a[i]*t\n"
              "                  ^\n");
}

TEST(LoopExpansion, AnEmptyForDoesNothing) {
    auto p = loaded(around("for l in 3..3 { stage t{l}[i] = nonsense }\nfor l in 5..0 { stage "
                           "t{l}[i] = a[i] }\nstage s[i] = a[i]"));
    EXPECT_EQ(p->stages.size(), 5u);
}

TEST(LoopExpansion, DefsOfExpressions) {
    EXPECT_EQ(
        to_text(
            loaded(
                around("def lerp(p, q, t) = p + (q - p)*t\nstage s[i] = lerp(a[i], a[i+1], 0.25)"))
                ->find("s")
                ->definitions[0]
                .values[0]),
        "a[i] + (a[i + 1] - a[i])*0.25");
    EXPECT_EQ(to_text(loaded(around("def twice(x) = x + x\ndef four(x) = twice(twice(x))\nstage "
                                    "s[i] = b[i] + four(3)"))
                          ->find("s")
                          ->definitions[0]
                          .values[0]),
              "b[i] + 12");
}

TEST(LoopExpansion, DefsOfStages) {
    auto p = loaded(around("def down(f)[y, x] = (f[2*y, x] + f[2*y+1, x])*0.5\n"
                           "def across(f)[y, x] = down(f)[x, y]\n"
                           "stage t[y, x] = down(g)[y, x+1]\n"
                           "stage v[y, x] = down(across(t))[y, 3]\n"
                           "stage s[i] = v[i, 0]"));
    EXPECT_EQ(to_text(p->find("t")->definitions[0].values[0]),
              "(g[2*y, x + 1] + g[2*y + 1, x + 1])*0.5");
    EXPECT_EQ(
        to_text(p->find("v")->definitions[0].values[0]),
        "((t[2*3, 2*y] + t[2*3 + 1, 2*y])*0.5 + (t[2*3, 2*y + 1] + t[2*3 + 1, 2*y + 1])*0.5)*0.5");
}

TEST(LoopExpansion, DefsAreHygienic) {
    // The def's own x is an index name of the stage too, and its c is the const, not the stage's
    // axis.
    auto p = loaded(around("const c = 2\ndef f(x) = x*c\ndef h(q) = let t = q + 1 in t*t\n"
                           "stage s[i] = let t = b[i] in f(t) + h(t)"));
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]),
              "let t = b[i] in t*2 + (let t_1 = t + 1 in t_1*t_1)");
}

TEST(LoopExpansion, LetNamesAreUniqueInThePipeline) {
    auto p = loaded(around("stage r[k] = let x = a[k] in x*x\n"
                           "stage s[i] = let t = a[i] in t + (let q = t*t in q*q)\n"
                           "stage v[i] = let t = r[i] in t*t\n"
                           "stage w[y, x] = let t = g[y, x] in t*t"));
    EXPECT_EQ(to_text(p->find("r")->definitions[0].values[0]),
              "let x_1 = a[k] in x_1*x_1"); // x is an axis elsewhere
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]),
              "let t = a[i] in t + (let q = t*t in q*q)");
    EXPECT_EQ(to_text(p->find("v")->definitions[0].values[0]), "let t_1 = r[i] in t_1*t_1");
    EXPECT_EQ(to_text(p->find("w")->definitions[0].values[0]), "let t_2 = g[y, x] in t_2*t_2");
}

TEST(LoopExpansion, AnArgumentWithALetIsExpandedAnewAtEachUse) {
    auto p = loaded(around("def sq(x) = x*x\nstage s[i] = sq(let t = a[i] in t + t)"));
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]),
              "(let t = a[i] in t + t)*(let t_1 = a[i] in t_1 + t_1)");
}

TEST(LoopExpansion, ALetOfAConstantIsAConstant) {
    EXPECT_EQ(value_text("let t = 3 in a[i]*t + t/2"), "a[i]*3.0 + 1.0");
}

TEST(LoopExpansion, StagesAndAxesMayShareAName) {
    auto p = loaded(around("stage x[y] = a[y]\nstage s[i] = x[i]\nstage z[y, x] = x[x] + f32(x)"));
    EXPECT_EQ(to_text(p->find("z")->definitions[0].values[0]), "x[x] + f32(x)");
}

TEST(LoopExpansion, UpdatesMayReadStagesDefinedLater) {
    auto p = loaded(around("stage s[i] = a[i]\nstage t[i] = a[i+1]\nupdate s[i] += t[i]"));
    EXPECT_LT(p->index_of("t"), p->index_of("s"));
    EXPECT_EQ(p->find("s")->definitions.size(), 2u);
}

} // namespace
} // namespace loopscope::test
