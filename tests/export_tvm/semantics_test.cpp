// Where TVM's simplifier differs from the pipeline language. CI sees the text alone; where TVM is installed it runs too.
#include "tests/export_tvm/tvm_support.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// The first element that an argmax meets may have the least value of its type: it is the greatest so far all the same, as the
// index, which is i32's least value before, tells.
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

} // namespace
