#include "tests/schedule/scheduling.h"

#include "core/language/loop_parser.h"
#include "core/schedule/region.h"

namespace loopscope::test {
namespace {

TEST(Contract, MarksTheDefinition) {
    auto applied = scheduled(matmul(), "C.contract()\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_TRUE(applied.state.find("C")->definitions[0].contract);
    EXPECT_FALSE(applied.state.find("C")->definitions[0].reassociates)
        << "the reference contracts by the same rule";
    EXPECT_FALSE(applied.state.find("out")->definitions[0].contract);
}

TEST(Contract, IsNoLoopDirective) {
    EXPECT_EQ(refusal(chain(), "a.contract()\na.inline()\n"), "applied");
    EXPECT_EQ(refusal(chain(), "a.inline()\na.contract()\n"), "applied");
}

TEST(Contract, OfOneDefinition) {
    auto sum = update({{v("y"), v("r")}, UpdateOp::Add, input_at({v("r"), v("c")}), nullptr});
    auto applied = scheduled(sum, "S.update(0).contract()\n");
    EXPECT_FALSE(applied.state.find("S")->definitions[0].contract);
    EXPECT_TRUE(applied.state.find("S")->definitions[1].contract);
}

// `**` stands for multiplications, of a value that has a name: it is fused as a*a is. So is a let
// around a product; a let's name is none (compiler/run/reference/contraction.h).
TEST(Contract, FusesPowersAndProductsInsideOfLets) {
    auto contracted = [](const std::string& value) {
        auto result =
            load_pipeline(std::make_shared<SourceFile>(
                              "p.loop", "pipeline p\ninput a[i]: f32[8]\ninput c[i]: f32[8]\n"
                                        "stage s[i] = " +
                                            value + "\noutput s: [8]\n"),
                          {});
        EXPECT_TRUE(result.ok()) << format(result.errors());
        auto applied = scheduled(result->pipeline, "s.contract()\n");
        EXPECT_EQ(refusal(applied), "applied");
        auto derived = derive(applied.state);
        return std::pair<std::string, bool>(
            to_text(derived.pipeline->find("s")->definitions[0].values[0]),
            derived.stages.back().fused_step[0]);
    };
    auto text = [&](const std::string& value) { return contracted(value).first; };
    EXPECT_EQ(text("a[i]**2 + c[i]"), "let power = a[i] in fma(power, power, c[i])");
    EXPECT_EQ(text("c[i] - (a[i] - 1.0)**2"), "let power = a[i] - 1.0 in fma(-power, power, c[i])");
    EXPECT_EQ(text("(let d = a[i] - c[i] in d*d) - c[i]"),
              "let d = a[i] - c[i] in fma(d, d, -c[i])");
    EXPECT_EQ(text("let t = a[i]*c[i] in t + c[i]"), "let t = a[i]*c[i] in t + c[i]");
    EXPECT_TRUE(contracted("sum[k in 0..8](a[k]**2)").second);
    EXPECT_TRUE(contracted("sum[k in 0..8](let d = a[k] - c[k] in d*d)").second);
    EXPECT_FALSE(contracted("sum[k in 0..8](let d = a[k]*c[k] in d)").second);
}

TEST(Contract, Refusals) {
    EXPECT_EQ(refusal(histogram(), "H.contract()\n"),
              "1:1 H computes i32: there is nothing to fuse; contract is for definitions that "
              "compute floats");
    EXPECT_EQ(refusal(matmul(), "D = C.cache_read(A, local)\nD.contract()\n"),
              "2:1 D is a copy: there is nothing to fuse; contract the stage that computes");
    EXPECT_EQ(refusal(matmul(), "X.contract()\n"),
              "1:1 there is no stage X; `show` lists the stages");
}

TEST(Contract, RoundTrip) { expect_round_trip("C.update(0).contract()"); }

} // namespace
} // namespace loopscope::test
