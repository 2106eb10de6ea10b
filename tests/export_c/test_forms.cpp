// The forms that schedules take in C: tiles in arrays of their own, loops of elements, casts as
// calls. Each must be there, and give the compiled program's bits under every compiler.
#include "tests/export_c/export_support.h"
#include "tests/support/quick_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;
using testing::HasSubstr;
using testing::Not;

namespace test_forms {

// The text of the function.
std::string expect_as_compiled(const std::string& pipeline, const std::string& schedule) {
    auto tree = tree_of(pipeline, schedule);
    if (!tree)
        return "";
    auto program = lowered_for_c(*tree);
    auto inputs = random_inputs_of(*tree->pipeline, 3);
    auto expected = run_jit(lowered_for_jit(*tree), inputs);
    auto source = codegen::c_source(program, {});
    EXPECT_TRUE(source.ok()) << format(source.errors());
    auto objects = shared_objects(source->text + call_wrapper(program, source->function));
    for (std::size_t c = 0; c < objects.size(); ++c)
        expect_equal(run_object(objects[c], source->function, program, inputs), expected,
                     source->function + " by " + compilers()[c].label);
    return source->text.substr(source->text.find("\nvoid "));
}

std::string product(int m, int n, int k) {
    auto text = [](int v) { return std::to_string(v); };
    return "pipeline product\ninput A[i, k]: f32[" + text(m) + ", " + text(k) +
           "]\ninput B[k, j]: f32[" + text(k) + ", " + text(n) +
           "]\nstage C[i, j]: f32 = sum[k in 0.." + text(k) + "](A[i, k] * B[k, j])\noutput C: [" +
           text(m) + ", " + text(n) + "]\n";
}

TEST(Tiles, OfVectors) {
    const char* schedule = "schedule for product\nC.contract()\n"
                           "C.tile(i, j, io, jo, ii, ji, 4, 16)\nC.reorder(jo, io, k, ii, ji)\n"
                           "C.unroll(ii)\nC.vectorize(ji)\nC.parallel(jo)\n";
    auto whole = expect_as_compiled(product(24, 48, 19), schedule);
    EXPECT_THAT(whole, HasSubstr("C_tile_1[ii_init*16 + lane] = 0.0f;"));
    EXPECT_THAT(whole, HasSubstr("C_tile_1[ii*16 + lane] = fmaf("));
    expect_as_compiled(product(25, 45, 19), schedule);
    expect_as_compiled(product(3, 7, 2), schedule);
}

TEST(Tiles, OfScalarsWithAnUnrolledSum) {
    const char* schedule = "schedule for product\n"
                           "C.tile(i, j, io, jo, ii, ji, 4, 4)\nC.split(k, ko, ki, 2)\n"
                           "C.reorder(io, jo, ko, ki, ii, ji)\n"
                           "C.unroll(ii)\nC.unroll(ji)\nC.unroll(ki)\n";
    auto whole = expect_as_compiled(product(24, 20, 18), schedule);
    EXPECT_THAT(whole, HasSubstr("C_tile_1[ii*4 + ji] = C_tile_1[ii*4 + ji] +"));
    expect_as_compiled(product(23, 21, 17), schedule);
}

// Too many elements for registers stay where they are.
TEST(Tiles, NotOfTenByTen) {
    LOOPSCOPE_LONG_TEST();
    auto text = expect_as_compiled(product(10, 10, 5),
                                   "schedule for product\nC.reorder(k, i, j)\nC.unroll(i)\n"
                                   "C.unroll(j)\n");
    EXPECT_THAT(text, Not(HasSubstr("tile")));
    EXPECT_THAT(text, HasSubstr("UNROLL(10)"));
}

TEST(Elements, OfSeveralTypesWithTailsAndBoundaries) {
    auto text = expect_as_compiled(R"(pipeline mixed
input a[y, x]: u8[9, 101] boundary edge
input w[x]: f32[101]
stage f[y, x]: f32 = (f32(a[y, x-1]) + f32(a[y+1, x])) * 0.25
stage peak[y, x]: bool = f[y, x] > 3.0 and f[y, x] >= f[y, x+1] and not (f[y-1, x] < f[y, x])
stage out[y, x]: u8 = select(peak[y, x] or peak[y+1, x], 255, u8((u16(a[y, x]) + u16(a[y+1, x])) / 2))
stage other[y, x]: f32 = select(f[y, x] > 2.0 and w[x] < 3.0, w[x], f[y, x] / (w[x] + 1.5))
output out: [9, 101]
output other: [9, 101]
)",
                                   "schedule for mixed\nout.vectorize(x, 32)\n"
                                   "peak.vectorize(x, 16)\npeak.compute_at(out, y)\n"
                                   "f.vectorize(x, 8)\nother.vectorize(x, 8)\n");
    EXPECT_THAT(text, HasSubstr("x = 0; x < 96; x++) {"));
    EXPECT_THAT(text, HasSubstr("lane < 5; lane++) {"));
    EXPECT_THAT(text, HasSubstr(" | "));
}

TEST(Elements, OfTuplesAndScansAlongTheOtherAxis) {
    expect_as_compiled(R"(pipeline both
input a[y, x]: i32[17, 43]
stage s[y, x]: i32 = a[y, x]
update s[y, x] = s[y-1, x] + s[y, x] over y in 1..17
stage best[x]: (i32, i32) = argmax[k in 0..17](s[k, x])
stage t[y, x]: (i16, f64) = (i16(s[y, x]), f64(a[y, x]) / 3.0)
stage out[y, x]: f64 = f64(t[y, x].0) + t[y, x].1 + f64(best[x].0 - best[x].1)
output out: [17, 43]
)",
                       "schedule for both\ns.vectorize(x, 8)\ns.update(0).vectorize(x, 8)\n"
                       "best.vectorize(x, 8)\nt.vectorize(x, 4)\nout.vectorize(x, 4)\n");
}

TEST(Casts, ToHalvesAreCalls) {
    auto text = expect_as_compiled(R"(pipeline halves
input d: f64[33]
input i: i32[33]
input l: i64[33]
stage a[x]: f16 = f16(d[x]) + f16(i[x])
stage b[x]: bf16 = bf16(d[x]) * bf16(l[x]) + bf16(i[x])
stage c[x]: f16 = fma(f16(l[x]), f16(d[x]), f16(i[x]))
output a: [33]
output b: [33]
output c: [33]
)",
                                   "schedule for halves\na.vectorize(x, 16)\nb.vectorize(x, 8)\n");
    for (auto call : {"f16_from_f64(d[x])", "f16_from_i32(i[x])", "bf16_from_f64(d[x])",
                      "bf16_from_i64(l[x])", "bf16_from_i32(i[x])", "f16_from_i64(l[x])"})
        EXPECT_THAT(text, HasSubstr(call));
}

} // namespace test_forms
