#include "compiler/run/float_values.h"

#include "core/ir/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

int significand_bits(ScalarType type) {
    switch (type) {
    case ScalarType::F16: return 11;
    case ScalarType::BF16: return 8;
    case ScalarType::F32: return 24;
    default: return 53;
    }
}

double unit_roundoff(ScalarType type) { return std::ldexp(1, -significand_bits(type)); }

double least_denormal(ScalarType type) {
    switch (type) {
    case ScalarType::F16: return 0x1p-24;
    case ScalarType::BF16: return 0x1p-133;
    case ScalarType::F32: return std::numeric_limits<float>::denorm_min();
    default: return std::numeric_limits<double>::denorm_min();
    }
}

double least_normal(ScalarType type) {
    return std::ldexp(least_denormal(type), significand_bits(type) - 1);
}

double overflow_threshold(ScalarType type) {
    return std::ldexp(1, type == ScalarType::F16 ? 16 : type == ScalarType::F64 ? 1024 : 128);
}

double element_value(const Buffer& buffer, std::int64_t position) {
    switch (buffer.type) {
    case ScalarType::Bool:
    case ScalarType::U8: return buffer.as<std::uint8_t>()[position];
    case ScalarType::I8: return buffer.as<std::int8_t>()[position];
    case ScalarType::I16: return buffer.as<std::int16_t>()[position];
    case ScalarType::I32: return buffer.as<std::int32_t>()[position];
    case ScalarType::I64: return static_cast<double>(buffer.as<std::int64_t>()[position]);
    case ScalarType::U16: return buffer.as<std::uint16_t>()[position];
    case ScalarType::U32: return buffer.as<std::uint32_t>()[position];
    case ScalarType::U64: return static_cast<double>(buffer.as<std::uint64_t>()[position]);
    case ScalarType::F16: return f16_value(buffer.as<std::uint16_t>()[position]);
    case ScalarType::BF16: return bf16_value(buffer.as<std::uint16_t>()[position]);
    case ScalarType::F32: return buffer.as<float>()[position];
    case ScalarType::F64: break;
    }
    return buffer.as<double>()[position];
}

double greatest_magnitude(const Buffer& buffer) {
    double greatest = 0;
    for (std::int64_t i = 0; i < buffer.count(); ++i)
        if (double value = std::fabs(element_value(buffer, i)); std::isfinite(value))
            greatest = std::max(greatest, value);
    return greatest;
}

} // namespace loopscope
