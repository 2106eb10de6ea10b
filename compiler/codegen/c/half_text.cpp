#include "compiler/codegen/c/half_text.h"

#include <map>

namespace loopscope::codegen {

namespace {

const std::map<std::string, const char*>& texts() {
    static const std::map<std::string, const char*> all{
        {"f32_from_f16", R"(// IEEE binary16: 1 sign, 5 exponent, 10 fraction bits. Exact.
static inline float f32_from_f16(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7fff, n;
    float x = (float)magnitude * 0x1p-24f; // a denormal counts units of 2^-24
    COPY_BITS(uint, n, x);
    if (magnitude >= 0x0400) // the biases of the exponents differ by 112; infinity and NaN move up to the top
        n = (magnitude << 13) + (magnitude >= 0x7c00 ? 224u << 23 : 112u << 23);
    n |= sign;
    COPY_BITS(float, x, n);
    return x;
}
)"},
        {"f16_from_f32", R"(// To nearest even; too great becomes infinity; all NaNs are one NaN.
static inline uint16_t f16_from_f32(float x) {
    uint32_t n, magnitude, result;
    float sum;
    COPY_BITS(uint, n, x);
    magnitude = n & 0x7fffffff;
    sum = fabsf(x) + 0.5f; // below 2^-14 the unit is 2^-24, the last place of 0.5: the sum is rounded right
    COPY_BITS(uint, result, sum);
    result -= 0x3f000000;
    if (magnitude >= 113u << 23)
        result = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    if (magnitude >= 0x47800000)
        result = 0x7c00;
    return (uint16_t)(magnitude > 0x7f800000 ? 0x7e00 : result | n >> 31 << 15);
}
)"},
        {"f32_from_bf16", R"(// bf16: the upper half of a float. Exact.
static inline float f32_from_bf16(uint16_t h) {
    uint32_t n = (uint32_t)h << 16;
    float x;
    COPY_BITS(float, x, n);
    return x;
}
)"},
        {"bf16_from_f32",
         R"(// To nearest even; too great becomes infinity; denormals stay; all NaNs are one NaN.
static inline uint16_t bf16_from_f32(float x) {
    uint32_t n;
    COPY_BITS(uint, n, x);
    return (uint16_t)(x != x ? 0x7fc0 : (n + 0x7fff + (n >> 16 & 1)) >> 16);
}
)"},
        {"f32_rounded_to_odd",
         R"(// What a float cannot hold is cut off and the last bit set: rounding once more is then rounding once.
static inline float f32_rounded_to_odd(double x) {
    float nearest = (float)x;
    uint32_t n;
    COPY_BITS(uint, n, nearest);
    n -= fabs((double)nearest) > fabs(x);
    n |= (double)nearest < x || (double)nearest > x;
    COPY_BITS(float, nearest, n);
    return nearest;
}
)"},
        {"f64_rounded_to_odd", R"(// Bits that a double has no room for leave one bit behind.
static inline double f64_rounded_to_odd(uint64_t n) {
    return (double)(n >> 53 ? (n & ~UINT64_C(0x7ff)) | (uint64_t)((n & 0x7ff) != 0) << 11 : n);
}
)"},
    };
    return all;
}

} // namespace

std::string half_text(const std::string& name) { return texts().at(name); }

} // namespace loopscope::codegen
