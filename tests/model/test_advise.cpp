#include "model_support.h"

#include "core/language/schedule_parser.h"

using namespace loopscope;
using namespace loopscope::test;

namespace {

std::vector<std::string> directives(const std::vector<model::Advice>& all) {
    std::vector<std::string> out;
    for (const auto& a : all)
        out.push_back(a.directive);
    return out;
}

TEST(Advise, NamesADirectiveThatTheModelSaysWouldPay) {
    auto tree = tree_of(kBlur, "blur_x.compute_at(out, y)\n", {{"H", 512}, {"W", 512}});
    ASSERT_TRUE(tree);
    auto all = model::advise(*tree, machine(), {4});
    EXPECT_THAT(directives(all),
                ::testing::IsSupersetOf({"out.parallel(y)", "out.vectorize(x, native)",
                                         "blur_x.vectorize(x, native)"}));
    for (std::size_t i = 1; i < all.size(); ++i)
        EXPECT_GE(all[i - 1].saving, all[i].saving);
    EXPECT_THAT(all[0].sentence, ::testing::HasSubstr("`" + all[0].directive + "` would save "));
}

TEST(Advise, WhatItSaysIsTrue) {
    auto tree =
        tree_of(kBlur, "out.split(y, yo, yi, 4)\nout.vectorize(x, native)\nblur_x.inline()\n",
                {{"H", 512}, {"W", 512}});
    ASSERT_TRUE(tree);
    double now = *model::find_model("bottleneck")->estimate(*tree, machine(), {1}).seconds;
    auto all = model::advise(*tree, machine(), {1});
    for (const auto& advice : all) {
        auto directive = parse_directive(advice.directive);
        ASSERT_TRUE(directive) << advice.directive;
        auto device = machine();
        ApplyContext context;
        context.device = &device;
        auto state = tree->state;
        ASSERT_TRUE((*directive)->apply(state, context)) << advice.directive;
        auto changed = build_tree(state);
        ASSERT_TRUE(changed);
        double then = *model::find_model("bottleneck")->estimate(**changed, machine(), {1}).seconds;
        EXPECT_NEAR(advice.saving, 1 - then / now, 1e-9) << advice.directive;
    }
}

TEST(Advise, SaysHowOftenAStageIsComputed) {
    // Thirty operations at each of three uses: worth storing.
    std::string heavy = "a[y, x]";
    for (int i = 0; i < 12; ++i)
        heavy = "sqrt(" + heavy + " / 3.0)";
    auto tree = tree_of(
        "pipeline heavy\ninput a[y, x]: f32[258, 256]\nstage f[y, x]: f32 = " + heavy +
            "\nstage out[y, x]: f32 = f[y, x] + f[y+1, x] + f[y+2, x]\noutput out: [256, 256]\n",
        "f.inline()\n");
    ASSERT_TRUE(tree);
    auto all = model::advise(*tree, machine(), {1});
    ASSERT_FALSE(all.empty());
    bool said = false;
    for (const auto& advice : all)
        said = said || advice.sentence.find("`f` is computed 3.0 times; `f.compute_") == 0;
    EXPECT_TRUE(said) << all[0].sentence;
}

// A stage that is read where an update writes, and nowhere else.
TEST(Advise, PlacesWhatIndicesOfUpdatesRead) {
    auto tree = tree_of("pipeline counts\ninput a[y, r]: i32[2048, 4096]\n"
                        "stage bin[y, r]: i32 = (a[y, r]*7 + 3) / 5\nstage h[y, v]: i32 = 0\n"
                        "update h[y, clamp(bin[y, r], 0, 9)] += 1 over r in 0..4096\n"
                        "stage out[y, v]: i32 = h[y, v]\noutput out: [2048, 10]\n",
                        "h.compute_at(out, y)\nout.parallel(y)\nbin.parallel(y)\n"
                        "bin.vectorize(r, native)\n");
    ASSERT_TRUE(tree);
    EXPECT_THAT(directives(model::advise(*tree, machine(), {4})),
                ::testing::Contains("bin.compute_at(out, y)"));
}

TEST(Advise, GivesTheReductionOtherSumsToAddTo) {
    auto tree = tree_of(kMatmul, "C.contract()\n", {{"M", 128}, {"N", 128}, {"K", 128}});
    ASSERT_TRUE(tree);
    EXPECT_THAT(directives(model::advise(*tree, machine(), {1})),
                ::testing::Contains("C.reorder(k, j)"));
}

TEST(Advise, IsSilentWhereNothingIsKnownOrNothingPays) {
    auto tree = tree_of(kScale);
    ASSERT_TRUE(tree);
    EXPECT_TRUE(model::advise(*tree, device::Device{}, {1}).empty());
    auto best = tree_of(kScale, "out.vectorize(x, 4*native)\nout.parallel(y)\n",
                        {{"H", 4096}, {"W", 4096}});
    ASSERT_TRUE(best);
    EXPECT_TRUE(model::advise(*best, machine(), {4}).empty());
}

} // namespace
