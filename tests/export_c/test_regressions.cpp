// Programs whose exported C gave other results than the compiled one.
#include "tests/export_c/export_support.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// By every compiler: the C of a pipeline under a schedule gives what the compiled one gives.
void expect_the_same(const std::string& pipeline, const std::string& schedule) {
    auto tree = tree_of(pipeline, schedule);
    ASSERT_TRUE(tree);
    auto program = lowered_for_c(*tree);
    auto inputs = random_inputs_of(*tree->pipeline, 3);
    auto expected = run_jit(lowered_for_jit(*tree), inputs);
    auto source = codegen::c_source(program, {});
    ASSERT_TRUE(source) << format(source.errors());
    auto text = source->text + call_wrapper(program, source->function);
    for (const auto& object : shared_objects(text))
        expect_equal(run_object(object, source->function, program, inputs), expected, object);
}

// GCC 12 dropped the call of a function whose stores it took for stores to a local array.
TEST(Regressions, CallsAreNotDropped) {
    expect_the_same(R"(pipeline dropped
input in0: u32[4, 3, 8] boundary zero
stage s0[y, x]: (f64, i32) = argmin[k in 0..5](((f64(in0[x/2, x - 2, (let at1 = 2*k - 3 in at1 + 1)]) + f64(in0[k/2, x/2, 2 - x])) * (f64(x) + f64(in0[0, 3 - x, y + 3]))))
stage s1[y, x]: bool = (((s0[2*y + 0, x + y].0 * 100.0f64) - (s0[y, (let at3 = 2*x - 3 in at3 + 1)].0 * f64(s0[y/2, 2*x + 1].1)) * s0[y + y, (let at2 = 2*x - 3 in at2 + 1)].0) >= (f64(x) * (f64(s0[2*y + 0, 2*y + 0].1) + s0[y - 3, x + 2].0)))
output s1: [9, 17]
)",
                    "schedule for dropped\ns1.reorder(x, y)\ns0.fast_math()\n");
}

// GCC 12 took f32(i32(x)) for trunc(x), which is -0 for x in (-1, 0).
TEST(Regressions, WholeNumbersHaveNoNegativeZero) {
    for (const std::string type : {"f32", "f64"})
        for (const std::string line : {"", "vectorize(x, 8)"}) {
            std::string text =
                "pipeline zeros\nstage A[x]: " + type + " = " + type + "(x)*0.125 - 2.0\n";
            std::string outputs, schedule = "schedule for zeros\n";
            for (const std::string whole : {"i8", "i16", "i32", "i64", "u8", "u32"}) {
                text +=
                    "stage S_" + whole + "[x]: " + type + " = " + type + "(" + whole + "(A[x]))\n";
                outputs += "output S_" + whole + ": [37]\n";
                if (!line.empty())
                    schedule += "S_" + whole + "." + line + "\n";
            }
            SCOPED_TRACE(type + " " + line);
            expect_the_same(text + outputs, schedule);
        }
}

// GCC 12 dropped the rounding to f32 of lanes that it joined without a loop.
TEST(Regressions, RoundingToFloatIsKept) {
    for (const std::string schedule : {"", "B.vectorize(x, 6)\n", "B.unroll(x, 6)\n"}) {
        SCOPED_TRACE(schedule);
        expect_the_same("pipeline rounded\ninput A[x]: f64[6]\n"
                        "stage B[x]: f64 = f64(f32(A[x]))\noutput B: [6]\n",
                        "schedule for rounded\n" + schedule);
    }
    expect_the_same("pipeline tail\ninput A[x]: f64[203]\n"
                    "stage B[x]: f64 = f64(f32(A[x]))\noutput B: [203]\n",
                    "schedule for tail\nB.vectorize(x, 8)\n");
}

} // namespace
