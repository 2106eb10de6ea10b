#include "compiler/run/random_inputs.h"

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

template <typename T> using BitsOf =
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

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

template <typename T> T real(Random& random) {
    // 24 bits of mantissa are exact in f32 as well.
    T mantissa = T(1) + std::ldexp(static_cast<T>(random.below(std::uint64_t{1} << 23)), -23);
    int exponent = static_cast<int>(random.below(16)) - 8;
    return std::ldexp(random.below(2) ? -mantissa : mantissa, exponent);
}

template <typename T> T float_value(Random& random, RandomMode mode) {
    switch (mode) {
    case RandomMode::Hostile:
        return random.below(8) == 0 ? special_float<T>(random) : real<T>(random);
    case RandomMode::SmallWhole: return static_cast<T>(static_cast<int>(random.below(17)) - 8);
    case RandomMode::FullRange: return any_finite<T>(random);
    case RandomMode::Reals: break;
    }
    return real<T>(random);
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
        return static_cast<T>(std::is_signed_v<T> ? static_cast<int>(random.below(17)) - 8
                                                  : static_cast<int>(random.below(9)));
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
    default:
        return error(std::string("random values of type ") + name(type) + " are not there yet",
                     "use f32 or f64");
    }
    return buffer;
}

} // namespace loopscope
