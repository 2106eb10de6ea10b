// Directives as Halide's calls, and what Halide does not have as comments and warnings.
#include "tests/export_halide/halide_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;
using testing::HasSubstr;

namespace {

constexpr const char* kBlur = R"(pipeline blur
param H = 20
param W = 37
input img[y, x]: f32[H, W] boundary mirror
stage rows[y, x] = img[y, x-1] + img[y, x] + img[y, x+1]
stage out[y, x] = max(rows[y-1, x], rows[y+1, x]) / 3.0
output out: [H, W]
)";

constexpr const char* kSums = R"(pipeline sums
param N = 24
param K = 19
input a[i, k]: i32[N, K]
input f[i, k]: f32[N, K]
stage total[i]: i32 = sum[k in 0..K where k != i](a[i, k] * 70000)
stage best[i]: (f32, i32) = argmax[k in 0..K](f[i, k])
stage hist[v]: i32 = 0
update hist[a[r, q] % 16] += 1 over r in 0..N, q in 0..K
stage scan[i]: f32 = f[i, 0]
update scan[r] = scan[r-1] * 0.5 + f[r, 1] over r in 1..N
stage pick[i]: i32 = best[i].1 + i32(clamp(f[i, 0] * 1e20, -1e30, 1e30)) / (a[i, 1] - a[i, 2]) + (a[i, 3] << (a[i, 4] % 40))
output total: [N]
output best: [N]
output hist: [16]
output scan: [N]
output pick: [N]
)";

TEST(HalideDirectives, EachHasItsCall) {
    auto source = halide_source_of({"",
                                    kBlur,
                                    "schedule for blur\n"
                                    "out.tile(y, x, yo, xo, yi, xi, 4, 8, shift)\n"
                                    "out.fuse(yo, xo, t)\n"
                                    "out.parallel(t)\n"
                                    "out.unroll(yi)\n"
                                    "out.vectorize(xi)\n"
                                    "c = rows.cache_read(img, local)\n"
                                    "rows.reorder_storage(x, y)\n"
                                    "rows.compute_at(out, t)\n"
                                    "c.compute_at(out, t)\n",
                                    {}})
                      .text;
    for (const char* call :
         {"out.split(y, yo, yi, 4, ", "out.split(x, xo, xi, 8, TailStrategy::ShiftInwards)",
          "out.reorder(xi, yi, xo, yo);", "out.fuse(xo, yo, t);", "out.parallel(t);",
          "out.unroll(yi);", "out.vectorize(xi);", "rows.reorder_storage(y, x);",
          "rows.compute_at(out, t);", "c.compute_at(out, t);", "mirror_image(img",
          "c(x, y) = img_everywhere(x, y)"})
        EXPECT_THAT(source, HasSubstr(call));
}

TEST(HalideDirectives, WhatHalideDoesNotHaveIsSaid) {
    auto source = halide_source_of({"",
                                    kBlur,
                                    "schedule for blur\n"
                                    "out.contract()\n"
                                    "rows.swizzle()\n"
                                    "out.bind(y, block.x)\n",
                                    {}});
    ASSERT_EQ(source.warnings.size(), 3u);
    for (const auto& warning : source.warnings)
        EXPECT_EQ(warning.severity, Severity::Warning);
    EXPECT_THAT(source.warnings[1].message, HasSubstr("rows.swizzle()"));
    EXPECT_THAT(source.text, HasSubstr("// rows.swizzle(): left out"));
    EXPECT_THAT(source.text, HasSubstr("// out.bind(y, block.x): left out"));
}

// cache_write moves the updates into the copy: what was said of them before has no nest any more.
TEST(HalideDirectives, OfAnUpdateThatACopyTookOver) {
    auto source = halide_source_of({"moved",
                                    "pipeline p\ninput a: f32[8]\nstage s[x]: f32 = a[x]\n"
                                    "update s[x] = (s[x] * 2.0 + a[x]) over x in 0..4\n"
                                    "stage o[x]: f32 = s[x]\noutput o: [8]\n",
                                    "schedule for p\ns.update(0).contract()\n"
                                    "c = s.cache_write(local)\n",
                                    {}});
    EXPECT_NE(source.text.find("moved what it speaks of into a copy"), std::string::npos)
        << source.text;
}

TEST(HalideDirectives, ProgramsGiveTheResultsOfTheCompiledOnes) {
    if (!without_halide().empty())
        GTEST_SKIP() << without_halide();
    expect_right(
        {{"blur, sliding",
          kBlur,
          "schedule for blur\nrows.compute_at(out, y)\nrows.store_root()\nout.vectorize(x, 8)\n",
          {}},
         {"blur, padded",
          kBlur,
          "schedule for blur\nrows.split(x, xo, xi, 8, pad)\nrows.vectorize(xi)\nout.split(y, yo, "
          "yi, 8, shift)\nrows.compute_at(out, yo)\n",
          {}},
         {"blur, padded memory",
          kBlur,
          "schedule for blur\nrows.reorder_storage(x, y)\nrows.pad_storage(y, 3)\n"
          "rows.pad_storage(x, 5)\nrows.scope(global)\nrows.compute_at(out, y)\n",
          {}},
         {"blur, stored elsewhere and back",
          kBlur,
          "schedule for blur\nout.parallel(y)\nout.serial(y)\nrows.compute_at(out, y)\n"
          "rows.store_root()\nrows.compute_root()\nout.parallel(y)\nout.split(y, yo, yi, 4)\n",
          {}},
         {"sums, default", kSums, "", {}},
         {"sums, scheduled",
          kSums,
          "schedule for sums\ntotal.split(k, ko, ki, 4)\ntotal.reorder(ko, i, ki)\n"
          "p = total.rfactor(ko)\nhist.update(0).atomic()\nhist.update(0).parallel(r)\n"
          "best.vectorize(i, 4)\n",
          {}}});
}

} // namespace
