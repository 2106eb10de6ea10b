// Where TVM's simplifier differs from the pipeline language. CI sees the text alone; where TVM is
// installed it runs too.
#include "tests/export_tvm/tvm_support.h"
#include "tests/support/exact_programs.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// The first element that an argmax meets may have the least value of its type: it is the greatest
// so far all the same, as the index, which is i32's least value before, tells.
TEST(TvmSemantics, ArgmaxOfLeastValues) {
    auto tree = tree_of("pipeline p\ninput a: u8[9]\n"
                        "stage s[y]: (u64, i32) = argmax[k in 0..6](u64(k) / u64(a[y] / 64))\n"
                        "output s: [9]\n",
                        "");
    auto source = tvm_source_of(tree, "");
    EXPECT_EQ(source.text.find("== -2147483648"), std::string::npos) << source.text;
    if (!has_tvm())
        GTEST_SKIP() << "as text alone: " << no_tvm();
    said_by(source, tree, 1);
}

// TVM takes numbers of a type for such as never leave it, in indices too.
TEST(TvmSemantics, IndicesThatWrap) {
    auto tree = tree_of(kWraps, "");
    auto source = tvm_source_of(tree, "");
    for (const char* plain : {"* 1500000000", "* 1073741827", "* 668265263", "+ 2147483630"})
        EXPECT_EQ(source.text.find(plain), std::string::npos) << plain << "\n" << source.text;
    if (!has_tvm())
        GTEST_SKIP() << "as text alone: " << no_tvm();
    said_by(source, tree, 1);
}

TEST(TvmSemantics, ZerosAndSaturatingCasts) {
    for (const auto* text : {kZeros, kSaturations}) {
        auto tree = tree_of(text, "");
        auto source = tvm_source_of(tree, "");
        if (has_tvm())
            said_by(source, tree, 1);
    }
    if (!has_tvm())
        GTEST_SKIP() << "as text alone: " << no_tvm();
}

// Beyond its boundary the input is 0, which TVM finds out where an index is always there; 0 / 0 is
// a number to it then.
TEST(TvmSemantics, ZeroOverZeroBeyondABoundary) {
    const std::string pipeline = "pipeline p\ninput a[x]: u64[9] boundary zero\n"
                                 "input b[x]: f32[9] boundary zero\ninput c: u8[9]\n"
                                 "stage z[x]: f32 = f32(c[x] / 255 / 255)\n"
                                 "stage s[x]: f32 = f32(a[x - 9]) / z[x]\n"
                                 "stage t[x]: f32 = b[x + 9] / z[x]\n"
                                 "stage u[x]: f32 = b[x - 9] * (1.0 / z[x])\n"
                                 "stage v[x]: f32 = select(x < 100, 0.0, b[x]) / z[x]\n";
    for (const std::string stage : {"s", "t", "u", "v"}) {
        auto tree = tree_of(pipeline + "output " + stage + ": [9]\n", "");
        auto source = tvm_source_of(tree, "");
        EXPECT_TRUE(source.text.find("= divide(") != std::string::npos ||
                    source.text.find("return divide(") != std::string::npos ||
                    source.text.find("return multiply(") != std::string::npos)
            << source.text;
        if (has_tvm())
            said_by(source, tree, 1);
    }
    if (!has_tvm())
        GTEST_SKIP() << "as text alone: " << no_tvm();
}

} // namespace
