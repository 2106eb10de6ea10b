// Programs whose exported C gave other results than the compiled one.
#include "tests/export_c/export_support.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// GCC 12 dropped the call of a function whose stores it took for stores to a local array.
TEST(Regressions, CallsAreNotDropped) {
    auto tree = tree_of(R"(pipeline dropped
input in0: u32[4, 3, 8] boundary zero
stage s0[y, x]: (f64, i32) = argmin[k in 0..5](((f64(in0[x/2, x - 2, (let at1 = 2*k - 3 in at1 + 1)]) + f64(in0[k/2, x/2, 2 - x])) * (f64(x) + f64(in0[0, 3 - x, y + 3]))))
stage s1[y, x]: bool = (((s0[2*y + 0, x + y].0 * 100.0f64) - (s0[y, (let at3 = 2*x - 3 in at3 + 1)].0 * f64(s0[y/2, 2*x + 1].1)) * s0[y + y, (let at2 = 2*x - 3 in at2 + 1)].0) >= (f64(x) * (f64(s0[2*y + 0, 2*y + 0].1) + s0[y - 3, x + 2].0)))
output s1: [9, 17]
)",
                        "schedule for dropped\ns1.reorder(x, y)\ns0.fast_math()\n");
    auto program = lowered_for_c(*tree);
    auto inputs = random_inputs_of(*tree->pipeline, 3);
    auto expected = run_jit(lowered_for_jit(*tree), inputs);
    auto source = codegen::c_source(program, {});
    ASSERT_TRUE(source) << format(source.errors());
    auto text = source->text + call_wrapper(program, source->function);
    for (const auto& object : shared_objects(text))
        expect_equal(run_object(object, source->function, program, inputs), expected, object);
}

} // namespace
