#include "tests/schedule/scheduling.h"

#include "core/ir/functions.h"
#include "core/language/loop_parser.h"

namespace loopscope::test {
namespace test_fast_math {

// t[i] = exp(in[i]) * 2 + in[i]; s[i] = sum[k in 0..4](log(t[k]) * t[i]); both f32, over 8.
PipelinePtr calls() {
    using T = ScalarType;
    auto p = std::make_shared<Pipeline>();
    p->name = "calls";
    Stage in;
    in.name = "in";
    in.is_input = true;
    in.types = {T::F32};
    in.variables = {"i"};
    in.extents = {Extent(8)};
    in.boundary.kind = BoundaryKind::Edge;
    Stage t;
    t.name = "t";
    t.types = {T::F32};
    t.variables = {"i"};
    Definition d;
    d.free = {"i"};
    auto at = load("in", T::F32, {variable("i")});
    d.values = {
        binary(Op::Add, binary(Op::Multiply, call("exp", {at}), constant_float(T::F32, 2)), at)};
    t.definitions = {d};
    Stage s = t;
    s.name = "s";
    d.kind = DefinitionKind::Reduction;
    d.axes = {{"k", 0, 4, {}}};
    d.values = {binary(Op::Multiply, call("log", {load("t", T::F32, {variable("k")})}),
                       load("t", T::F32, {variable("i")}))};
    s.definitions = {d};
    p->stages = {in, t, s};
    p->outputs = {{"s", {Extent(8)}, {}}};
    p->seal();
    return p;
}

ScheduleTreePtr tree_of(const std::string& lines) {
    return test::tree_of(scheduled(calls(), lines));
}

std::string value(const ScheduleTree& tree, const std::string& stage) {
    return to_text(tree.find_stage(stage)->stage.definitions[0].values[0]);
}

TEST(FastMath, ContractsAndApproximates) {
    auto tree = tree_of("t.fast_math()\n");
    EXPECT_EQ(value(*tree, "t"), "fma(fast_exp(in[i]), 2.0, in[i])");
    EXPECT_EQ(value(*tree, "s"), "log(t[k])*t[i]") << "of this definition only";
    const auto& t = *tree->find_stage("t");
    EXPECT_TRUE(t.approximated[0] && t.contracted[0] && t.reassociates[0]);
    EXPECT_FALSE(tree->find_stage("s")->approximated[0]);
    EXPECT_TRUE(tree->reassociates());
    auto sum = tree_of("s.fast_math()\n");
    EXPECT_EQ(value(*sum, "s"), "fast_log(t[k])*t[i]");
    EXPECT_TRUE(sum->find_stage("s")->fused_step[0]);
}

TEST(FastMath, ReachesWhatIsInlined) {
    // exp is approximated by s's fast_math, though not contracted: contraction is of the definition
    // as written.
    EXPECT_EQ(value(*tree_of("t.inline()\ns.fast_math()\n"), "s"),
              "fast_log(fast_exp(in[k])*2.0 + in[k])*(fast_exp(in[i])*2.0 + in[i])");
    EXPECT_EQ(value(*tree_of("t.fast_math()\nt.inline()\n"), "s"),
              "log(fma(fast_exp(in[k]), 2.0, in[k]))*fma(fast_exp(in[i]), 2.0, in[i])");
}

TEST(FastMath, StaysMarked) {
    auto applied =
        scheduled(calls(), "s.fast_math()\ns.parallel(i)\nt.fast_math()\nt.vectorize(i)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_TRUE(applied.state.find("s")->definitions[0].reassociates);
    EXPECT_TRUE(applied.state.find("t")->definitions[0].reassociates);
}

TEST(FastMath, GoesWithAFactor) {
    auto tree = tree_of("s.fast_math()\nR = s.rfactor(k)\n");
    EXPECT_EQ(value(*tree, "R"), "fast_log(t[k])*t[i]");
    EXPECT_TRUE(tree->find_stage("R")->approximated[0]);
}

TEST(FastMath, EveryFunctionHasAnApproximation) {
    for (const auto& name : prelude_names())
        EXPECT_TRUE(is_prelude_function(approximation_of(name))) << name;
}

TEST(FastMath, Refusals) {
    EXPECT_EQ(refusal(histogram(), "H.fast_math()\n"),
              "1:1 H computes i32: there is nothing to approximate; fast_math is for definitions "
              "that compute floats");
    EXPECT_EQ(
        refusal(matmul(), "D = C.cache_read(A, local)\nD.fast_math()\n"),
        "2:1 D is a copy: there is nothing to approximate; give it to the stage that computes");
    EXPECT_EQ(refusal(matmul(), "X.fast_math()\n"),
              "1:1 there is no stage X; `show` lists the stages");
}

// A definition of whole numbers whose index or condition floats decide computes floats, too.
TEST(FastMath, WhereFloatsDecideAnIndexOrACondition) {
    auto loaded =
        load_pipeline(std::make_shared<SourceFile>(
                          "p.loop", "pipeline p\n"
                                    "input a[i]: f32[64]\n"
                                    "stage H[b] = 0\n"
                                    "update H[clamp(i32(exp(a[r])), 0, 7)] += 1 "
                                    "over r in 0..64\n"
                                    "stage c[i] = sum[k in 0..64 where a[k]*2.0 > 1.0](1)\n"
                                    "output H: [8]\noutput c: [1]\n"),
                      {});
    ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
    auto applied = scheduled(loaded->pipeline, "H.update(0).fast_math()\nc.contract()\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(refusal(loaded->pipeline, "H.fast_math()\n").substr(0, 18), "1:1 H computes i32");
}

TEST(FastMath, RoundTrip) { expect_round_trip("C.update(0).fast_math()"); }

} // namespace test_fast_math
} // namespace loopscope::test
