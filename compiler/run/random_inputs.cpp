#include "compiler/run/random_inputs.h"

#include "core/base/bits_of.h"
#include "core/ir/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(combine(kHashSeed, seed)) {}
    std::uint64_t next() { return state_ = combine(state_, ++count_); }
    // Uniform in [0, n); the bias of a modulo is far below what a test could see.
    std::uint64_t below(std::uint64_t n) { return next() % n; }

private:
    std::uint64_t state_;
    std::uint64_t count_ = 0;
};

template <typename T> T any_finite(Random& random) {
    for (;;) {
        auto value = std::bit_cast<T>(static_cast<BitsOf<T>>(random.next()));
        if (std::isfinite(value))
            return value;
    }
}

template <typename T> T special_float(Random& random) {
    using Limits = std::numeric_limits<T>;
    const T values[] = {T(0),
                        -T(0),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::denorm_min(),
                        -Limits::min(),
                        T(1),
                        T(0.5),
                        T(2.5),
                        T(-1.5)};
    return values[random.below(std::size(values))];
}

template <typename T> T random_real(Random& random) {
    // 24 bits of mantissa are exact in f32 as well.
    T mantissa = T(1) + std::ldexp(static_cast<T>(random.below(std::uint64_t{1} << 23)), -23);
    int exponent = static_cast<int>(random.below(16)) - 8;
    return std::ldexp(random.below(2) ? -mantissa : mantissa, exponent);
}

// From -greatest to greatest, or from 0 where there is no sign.
int random_whole(Random& random, int greatest, bool is_signed) {
    auto choices = static_cast<std::uint64_t>(is_signed ? 2 * greatest + 1 : greatest + 1);
    return static_cast<int>(random.below(choices)) - (is_signed ? greatest : 0);
}

template <typename T> T float_value(Random& random, RandomMode mode) {
    switch (mode) {
    case RandomMode::Hostile:
        return random.below(8) == 0 ? special_float<T>(random) : random_real<T>(random);
    case RandomMode::SmallWhole: return static_cast<T>(random_whole(random, 8, true));
    case RandomMode::TinyWhole: return static_cast<T>(random_whole(random, 1, true));
    case RandomMode::FullRange: return any_finite<T>(random);
    case RandomMode::Reals: break;
    }
    return random_real<T>(random);
}

// A 16-bit float: its fraction bits and the greatest exponent of the format.
struct HalfFormat {
    int fraction;
    int bias;
    int least_exponent, greatest_exponent; // of Reals
    std::uint16_t (*bits)(double);
};
constexpr HalfFormat kF16{10, 15, -4, 1, f16_bits};
constexpr HalfFormat kBF16{7, 127, -8, 7, bf16_bits};

std::uint16_t special_half(Random& random, const HalfFormat& format) {
    const auto infinity = static_cast<std::uint16_t>((2 * format.bias + 1) << format.fraction);
    const auto least_normal = static_cast<std::uint16_t>(1 << format.fraction);
    const std::uint16_t sign = 0x8000;
    const std::uint16_t values[] = {
        0,
        sign,
        infinity,
        static_cast<std::uint16_t>(sign | infinity),
        static_cast<std::uint16_t>(infinity | 1 << (format.fraction - 1)),
        static_cast<std::uint16_t>(infinity - 1),
        static_cast<std::uint16_t>(sign | (infinity - 1)),
        1,
        static_cast<std::uint16_t>(sign | least_normal),
        format.bits(1),
        format.bits(0.5),
        format.bits(2.5),
        format.bits(-1.5)};
    return values[random.below(std::size(values))];
}

std::uint16_t real_half(Random& random, const HalfFormat& format) {
    auto fraction = static_cast<int>(random.below(std::uint64_t{1} << format.fraction));
    auto exponents =
        static_cast<std::uint64_t>(format.greatest_exponent - format.least_exponent + 1);
    int exponent = static_cast<int>(random.below(exponents)) + format.least_exponent;
    double value = std::ldexp(fraction + (1 << format.fraction), exponent - format.fraction);
    return format.bits(random.below(2) ? -value : value);
}

std::uint16_t half_value(Random& random, RandomMode mode, const HalfFormat& format) {
    switch (mode) {
    case RandomMode::Hostile:
        return random.below(8) == 0 ? special_half(random, format) : real_half(random, format);
    case RandomMode::SmallWhole: return format.bits(random_whole(random, 8, true));
    case RandomMode::TinyWhole: return format.bits(random_whole(random, 1, true));
    case RandomMode::FullRange:
        for (;;) {
            auto bits = static_cast<std::uint16_t>(random.next());
            if ((bits & 0x7fff) >> format.fraction != 2 * format.bias + 1)
                return bits;
        }
    case RandomMode::Reals: break;
    }
    return real_half(random, format);
}

template <typename T> T special_integer(Random& random) {
    using Limits = std::numeric_limits<T>;
    const T values[] = {0,
                        1,
                        static_cast<T>(-1),
                        2,
                        Limits::max(),
                        Limits::min(),
                        static_cast<T>(Limits::max() - 1)};
    return values[random.below(std::size(values))];
}

template <typename T> T integer_value(Random& random, RandomMode mode) {
    switch (mode) {
    case RandomMode::Hostile:
        if (random.below(4) == 0)
            return special_integer<T>(random);
        break;
    case RandomMode::SmallWhole:
        return static_cast<T>(random_whole(random, 8, std::is_signed_v<T>));
    case RandomMode::TinyWhole: return static_cast<T>(random_whole(random, 1, std::is_signed_v<T>));
    case RandomMode::Reals:
        if (sizeof(T) > 2)
            return static_cast<T>(static_cast<std::int64_t>(random.below(65536)) -
                                  (std::is_signed_v<T> ? 32768 : 0));
        break;
    case RandomMode::FullRange: break;
    }
    return static_cast<T>(random.next());
}

template <typename T> void fill(Buffer& buffer, Random& random, RandomMode mode) {
    T* data = buffer.as<T>();
    for (std::int64_t i = 0; i < buffer.count(); ++i)
        if constexpr (std::is_floating_point_v<T>)
            data[i] = float_value<T>(random, mode);
        else
            data[i] = integer_value<T>(random, mode);
}

void fill_halves(Buffer& buffer, Random& random, RandomMode mode, const HalfFormat& format) {
    auto* data = buffer.as<std::uint16_t>();
    for (std::int64_t i = 0; i < buffer.count(); ++i)
        data[i] = half_value(random, mode, format);
}

} // namespace

Result<Buffer> random_buffer(ScalarType type, std::vector<std::int64_t> extents, std::uint64_t seed,
                             RandomMode mode) {
    auto buffer = make_buffer(type, std::move(extents));
    if (!buffer)
        return buffer;
    Random random(seed);
    switch (type) {
    case ScalarType::Bool:
        for (auto& byte : buffer->data)
            byte = static_cast<std::byte>(random.below(2));
        break;
    case ScalarType::I8: fill<std::int8_t>(*buffer, random, mode); break;
    case ScalarType::I16: fill<std::int16_t>(*buffer, random, mode); break;
    case ScalarType::I32: fill<std::int32_t>(*buffer, random, mode); break;
    case ScalarType::I64: fill<std::int64_t>(*buffer, random, mode); break;
    case ScalarType::U8: fill<std::uint8_t>(*buffer, random, mode); break;
    case ScalarType::U16: fill<std::uint16_t>(*buffer, random, mode); break;
    case ScalarType::U32: fill<std::uint32_t>(*buffer, random, mode); break;
    case ScalarType::U64: fill<std::uint64_t>(*buffer, random, mode); break;
    case ScalarType::F32: fill<float>(*buffer, random, mode); break;
    case ScalarType::F64: fill<double>(*buffer, random, mode); break;
    case ScalarType::F16: fill_halves(*buffer, random, mode, kF16); break;
    case ScalarType::BF16: fill_halves(*buffer, random, mode, kBF16); break;
    }
    return buffer;
}

} // namespace loopscope
