#include "compiler/run/compare.h"

#include "core/base/bits_of.h"
#include "core/ir/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace loopscope {

namespace {

constexpr auto kFar = std::numeric_limits<std::uint64_t>::max();

struct F16 {
    std::uint16_t bits;
};
struct BF16 {
    std::uint16_t bits;
};
template <typename T> constexpr bool kIsFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

double real(float value) { return value; }
double real(double value) { return value; }
double real(F16 value) { return f16_value(value.bits); }
double real(BF16 value) { return bf16_value(value.bits); }

// The position of a float among all floats, from the least to the greatest; neighbours differ by 1,
// as do -0 and +0.
template <typename T> std::uint64_t rank(T value) {
    auto bits = std::bit_cast<BitsOf<T>>(value);
    constexpr auto sign = static_cast<BitsOf<T>>(BitsOf<T>{1} << (sizeof(T) * 8 - 1));
    return static_cast<BitsOf<T>>(bits & sign ? ~bits : bits | sign);
}

template <typename T> void note(Comparison& c, T a, T b) {
    if constexpr (kIsFloat<T>) {
        if (std::isnan(real(a)) || std::isnan(real(b))) {
            c.max_abs_error = std::numeric_limits<double>::infinity();
            c.max_ulp = kFar;
            return;
        }
        auto distance = std::fabs(real(a) - real(b));
        auto x = rank(a), y = rank(b);
        c.max_abs_error = std::max(c.max_abs_error, distance);
        c.max_ulp = std::max<std::uint64_t>(c.max_ulp, x < y ? y - x : x - y);
    } else {
        auto low = static_cast<std::uint64_t>(std::min(a, b)),
             high = static_cast<std::uint64_t>(std::max(a, b));
        c.max_ulp = std::max(c.max_ulp, high - low);
        c.max_abs_error = std::max(c.max_abs_error, static_cast<double>(high - low));
    }
}

template <typename T> bool is_nan(T value) {
    if constexpr (kIsFloat<T>)
        return std::isnan(real(value));
    return false;
}

template <typename T> bool same(T a, T b) {
    if (is_nan(a) && is_nan(b))
        return true;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

template <typename T> Comparison compare_as(const Buffer& a, const Buffer& b) {
    Comparison c;
    const T *x = a.as<T>(), *y = b.as<T>();
    for (std::int64_t i = 0; i < a.count(); ++i) {
        if (same(x[i], y[i]))
            continue;
        if (c.equal)
            c.first_difference = i;
        c.equal = false;
        ++c.differences;
        note(c, x[i], y[i]);
    }
    return c;
}

template <typename T> Hash hash_as(const Buffer& buffer) {
    const T* x = buffer.as<T>();
    Hash hash = kHashSeed;
    for (std::int64_t i = 0; i < buffer.count(); ++i) {
        std::uint64_t bits = 0;
        // no other element of up to 32 bits has it, and of 64 bits only a NaN
        if (kIsFloat<T> && is_nan(x[i]))
            bits = kFar;
        else
            std::memcpy(&bits, &x[i], sizeof x[i]);
        hash = combine(hash, bits);
    }
    return hash;
}

// `use(T())` with the type of the elements.
template <typename Use> auto with_type(ScalarType type, const Use& use) {
    switch (type) {
    case ScalarType::Bool:
    case ScalarType::U8: return use(std::uint8_t());
    case ScalarType::I8: return use(std::int8_t());
    case ScalarType::I16: return use(std::int16_t());
    case ScalarType::I32: return use(std::int32_t());
    case ScalarType::I64: return use(std::int64_t());
    case ScalarType::U16: return use(std::uint16_t());
    case ScalarType::U32: return use(std::uint32_t());
    case ScalarType::U64: return use(std::uint64_t());
    case ScalarType::F32: return use(float());
    case ScalarType::F64: return use(double());
    case ScalarType::F16: return use(F16());
    case ScalarType::BF16: return use(BF16());
    }
    throw std::logic_error("elements of no type");
}

} // namespace

Comparison compare(const Buffer& a, const Buffer& b) {
    if (a.type != b.type || a.extents != b.extents)
        throw std::logic_error("compare: " + std::string(name(a.type)) + shape_text(a.extents) +
                               " with " + name(b.type) + shape_text(b.extents));
    return with_type(a.type, [&](auto element) { return compare_as<decltype(element)>(a, b); });
}

Hash hash_of_elements(const Buffer& buffer) {
    return with_type(buffer.type, [&](auto element) { return hash_as<decltype(element)>(buffer); });
}

} // namespace loopscope
