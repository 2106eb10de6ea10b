// What TensorIR has under other names, or as annotations: where TVM is installed it takes the
// calls, and results are right.
#include "tests/export_foreign/directive_programs.h"
#include "tests/export_tvm/tvm_support.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

struct Mapped {
    const char *label, *pipeline, *schedule;
    // "TVM refuses …", with the reason that the program itself gives; empty: nothing
    const char* refused;
};

const Mapped kMapped[] = {
    {"ahead", kProduct,
     "schedule for product\nC.split(k, ko, ki, 8)\nC.reorder(i, ko, ki, j)\n"
     "As = C.cache_read(A, local)\nBs = C.cache_read(B, shared)\nAs.compute_at(C, ko)\n"
     "Bs.compute_at(C, ko)\nAs.pipeline(3)\nBs.pipeline(2)\n",
     ""},
    {"ahead in two levels", kProduct,
     "schedule for product\nC.split(k, ko, ki, 8)\nC.reorder(i, ko, ki, j)\n"
     "As = C.cache_read(A, local)\nAss = C.cache_read(As, local)\nAss.compute_at(C, ko)\n"
     "As.compute_at(C, ko)\nAs.pipeline(4)\nAss.pipeline(2)\n",
     ""},
    {"ahead and padded", kProduct,
     "schedule for product\nC.split(k, ko, ki, 8)\nC.reorder(i, ko, ki, j)\n"
     "Bs = C.cache_read(B, local)\nBs.compute_at(C, ko)\nBs.pad_storage(j, 5)\nBs.pipeline(2)\n"
     "C.parallel(i)\n",
     ""},
    {"farther ahead than the loop runs", kProduct,
     "schedule for product\nC.split(k, ko, ki, 32)\nC.reorder(i, ko, ki, j)\n"
     "As = C.cache_read(A, local)\nAs.compute_at(C, ko)\nAs.pipeline(8)\n",
     "TVM refuses As.pipeline(8): the loop has fewer iterations than it would be ahead"},
    {"shared loops", kPair,
     "schedule for pair\nlow.split(y, yo, yi, 8)\nhigh.split(y, yo, yi, 8)\nlow.parallel(yo)\n"
     "high.parallel(yo)\nhigh.vectorize(x, 8)\nhigh.compute_with(low, yi)\n",
     ""},
    {"three share loops",
     "pipeline between\ninput a[y, x]: f32[16, 24]\nstage p[y, x] = a[y, x] + 1.0\n"
     "stage q[y, x] = p[y, x] * 2.0\nstage r[y, x] = q[y, x] - p[y, x]\n"
     "output p: [16, 24]\noutput q: [16, 24]\noutput r: [16, 24]\n",
     "schedule for between\nq.compute_with(p, x)\nr.compute_with(q, y)\n", ""},
    {"too far apart",
     "pipeline apart\ninput a[y]: f32[16]\nstage p[y] = a[y] + 1.0\nstage q[y] = a[y] * 2.0\n"
     "stage r[y] = p[y] - 3.0\noutput p: [16]\noutput q: [16]\noutput r: [16]\n",
     "schedule for apart\nr.compute_with(p, y)\n",
     "TVM refuses r.compute_with(p, y): another block stands between r_block and p_block"},
    {"layout", kStencil,
     "schedule for stencil\nlow.compute_at(high, y)\nlow.reorder_storage(y, x)\n"
     "low.reorder_storage(x, y)\nlow.pad_storage(y, 7)\nlow.pad_storage(y, 3)\n"
     "low.scope(shared)\nlow.scope(local)\n",
     ""},
    {"layout of a pair",
     "pipeline both\ninput a[y, x]: f32[16, 24]\nstage s[y, x]: (f32, i32) = (a[y, x] * 2.0, x)\n"
     "stage t[y, x]: f32 = s[y, x].0 + f32(s[y, x].1)\noutput t: [16, 24]\n",
     "schedule for both\ns.reorder_storage(x, y)\ns.pad_storage(y, 3)\ns.scope(local)\n", ""},
    {"kinds", kStencil,
     "schedule for stencil\nhigh.parallel(y)\nhigh.split(y, yo, yi, 24)\nhigh.unroll(yi)\n"
     "high.unroll(x, 4)\nhigh.fuse(yi, x, f)\nlow.parallel(y)\nlow.serial(y)\n"
     "low.compute_at(high, yo)\nlow.compute_root()\n",
     ""},
};

class MappedToTvm : public testing::TestWithParam<Mapped> {};

TEST_P(MappedToTvm, GivesTheResultsOfTheCompiledProgram) {
    const auto& each = GetParam();
    auto tree = tree_of(each.pipeline, each.schedule);
    auto source = tvm_source_of(tree, each.schedule);
    EXPECT_TRUE(source.warnings.empty()) << format(source.warnings);
    if (!has_tvm())
        GTEST_SKIP() << "as text alone: " << no_tvm();
    auto said = said_by(source, tree, 3);
    EXPECT_EQ(said.substr(0, said.find('\n')), each.refused) << said;
}

INSTANTIATE_TEST_SUITE_P(Schedules, MappedToTvm, testing::ValuesIn(kMapped), [](const auto& one) {
    std::string name = one.param.label;
    for (auto& c : name)
        c = c == ' ' ? '_' : c;
    return name;
});

} // namespace
