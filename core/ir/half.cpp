#include "core/ir/half.h"

#include <bit>
#include <cmath>

namespace loopscope {

namespace {

struct Format {
    int fraction; // bits
    int bias;
};
constexpr Format kF16{10, 15};
constexpr Format kBF16{7, 127};

std::uint16_t infinity(Format f) {
    return static_cast<std::uint16_t>((2 * f.bias + 1) << f.fraction);
}

double value_of(std::uint16_t bits, Format f) {
    int exponent = (bits & 0x7fff) >> f.fraction;
    int fraction = bits & ((1 << f.fraction) - 1);
    double magnitude;
    if (exponent == 2 * f.bias + 1)
        magnitude = fraction ? std::nan("") : HUGE_VAL;
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, 1 - f.bias - f.fraction);
    else
        magnitude = std::ldexp(fraction + (1 << f.fraction), exponent - f.bias - f.fraction);
    return bits & 0x8000 ? -magnitude : magnitude;
}

// significand * 2^exponent, rounded once.
std::uint16_t rounded(std::uint64_t significand, int exponent, Format f) {
    if (significand == 0)
        return 0;
    int top = 63 - std::countl_zero(significand) + exponent; // 2^top <= value < 2^(top+1)
    if (top > f.bias)
        return infinity(f);
    int unit = (top < 1 - f.bias ? 1 - f.bias : top) - f.fraction; // the result is n * 2^unit
    int drop = unit - exponent;
    std::uint64_t n;
    if (drop <= 0) {
        n = significand << -drop;
    } else if (drop > 63) {
        n = 0; // below half a unit: a significand is below 2^53, or whole and then never so small
    } else {
        n = significand >> drop;
        auto half = std::uint64_t{1} << (drop - 1);
        auto rest = significand & ((std::uint64_t{1} << drop) - 1);
        if (rest > half || (rest == half && (n & 1)))
            ++n;
    }
    // n carries into the exponent by itself, up to infinity.
    auto biased = static_cast<std::uint64_t>(unit + f.fraction + f.bias - 1);
    return static_cast<std::uint16_t>((biased << f.fraction) + n);
}

std::uint16_t from_double(double value, Format f) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>(infinity(f) | (1u << (f.fraction - 1)));
    auto sign = static_cast<std::uint16_t>(bits >> 63 << 15);
    if (std::isinf(value))
        return static_cast<std::uint16_t>(sign | infinity(f));
    int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    auto fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent)
        fraction |= std::uint64_t{1} << 52;
    else
        exponent = 1;
    return static_cast<std::uint16_t>(sign | rounded(fraction, exponent - 1075, f));
}

std::uint16_t from_signed(std::int64_t value, Format f) {
    auto magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) | rounded(magnitude, 0, f));
}

} // namespace

double f16_value(std::uint16_t bits) { return value_of(bits, kF16); }
double bf16_value(std::uint16_t bits) { return value_of(bits, kBF16); }
std::uint16_t f16_bits(double value) { return from_double(value, kF16); }
std::uint16_t bf16_bits(double value) { return from_double(value, kBF16); }
std::uint16_t f16_bits(std::int64_t value) { return from_signed(value, kF16); }
std::uint16_t bf16_bits(std::int64_t value) { return from_signed(value, kBF16); }
std::uint16_t f16_bits(std::uint64_t value) { return rounded(value, 0, kF16); }
std::uint16_t bf16_bits(std::uint64_t value) { return rounded(value, 0, kBF16); }

double fma_to_odd(double a, double b, double c) {
    double product = a * b; // exact: at most 22 significant bits
    double sum = product + c;
    if (!std::isfinite(sum))
        return sum;
    // Knuth's two-sum: `error` is exactly what rounding took away.
    double c_part = sum - product;
    double error = (product - (sum - c_part)) + (c - c_part);
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if (error == 0 || (bits & 1))
        return sum;
    // The neighbour towards the exact value is odd.
    bool away = (error > 0) == (sum > 0);
    return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

} // namespace loopscope
