// What Halide means otherwise than the pipeline language, and random pipelines found.
#include "tests/export_halide/halide_support.h"
#include "tests/support/exact_programs.h"

#include <gtest/gtest.h>

using namespace loopscope::test;

namespace {

// Without a variable of its domain a step is taken once.
constexpr const char* kSteps = R"(pipeline steps
input a: f32[8]
stage s[y]: f32 = a[y]
update s[y] *= 2.0 over r in 0..5
stage t[y]: f32 = sum[k in 0..3](a[y])
stage u[y]: i32 = sum[k in 0..6 where a[y] > 0.5](3)
output s: [8]
output t: [8]
output u: [8]
)";

// Halide 14 makes infinities of NaNs, and rounds doubles twice: the first of `twice` lies behind a
// tie that f32 takes it for.
constexpr const char* kHalves = R"(pipeline halves
input b: u32[512]
stage wild[x]: f32 = from_bits(f32, b[x] * 2654435769u32 ^ u32(x) * 40503u32)
stage h[x]: f16 = f16(wild[x])
stage m[x]: bf16 = bf16(wild[x])
stage twice[x]: f16 = f16(f64(x % 2) + 1.000488281251f64)
stage of_long[x]: bf16 = bf16(16842753i32 + i32(x))
stage none[x]: f16 = f16(x % 2) / f16(0.0)
stage fewer[x]: f16 = f16(m[x])
output h: [512]
output m: [512]
output twice: [512]
output of_long: [512]
output none: [512]
output fewer: [512]
)";

// C++ computes with plain numbers by rules of its own.
constexpr const char* kNumbers = R"(pipeline numbers
input a: f32[8]
stage s[x]: i32 = i32(a[x]) + i32((~6i32)) % 4
stage t[x]: f32 = min(a[x], floor((0.5f32)))
stage u[x]: u8 = 5u8 | (u8(x) + u8(a[x]))
stage v[x]: bool = a[x] > 0.5 or (a[x] < 0.0 or false)
output s: [8]
output t: [8]
output u: [8]
output v: [8]
)";

// Solving k*3 + l == INT_MIN overflows in Halide.
constexpr const char* kArgmin = R"(pipeline least
input a: i32[16, 16]
stage best[y, x]: (i32, i32) = argmin[k in -1..3, l in 0..3](a[y + k + 1, x + l] * (x - 4))
output best: [12, 12]
)";

// A condition that implies a boundary's clamp takes it away, while the whole loop's region does not
// know of the condition.
constexpr const char* kCondition = R"(pipeline condition
input a: i32[13] boundary edge
input b: i32[3] boundary zero
stage s[x, c]: i32 = 5
update s[x, (r + r) % 3] = r * a[2*x] over r in 0..6 where b[x + x] != 0
stage t[x]: i32 = s[x - 2, 0] + s[x - 2, 1]
output t: [7]
)";

TEST(HalideSemantics, IsThatOfThePipelineLanguage) {
    if (!without_halide().empty())
        GTEST_SKIP() << without_halide();
    expect_right({{"steps", kSteps, "", {}},
                  {"halves", kHalves, "", {}},
                  {"numbers", kNumbers, "", {}},
                  {"least", kArgmin, "", {}},
                  {"condition", kCondition, "", {}},
                  {"zeros", kZeros, "", {}},
                  {"wraps", kWraps, "", {}},
                  {"saturations", kSaturations, "", {}}});
}

} // namespace
