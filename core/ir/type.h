#pragma once
// Scalar types of the pipeline language and of loop programs.

#include <cstdint>
#include <string>

namespace loopscope {

enum class ScalarType : std::uint8_t {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64
};

constexpr int bits(ScalarType t) {
    switch (t) {
    case ScalarType::Bool:
    case ScalarType::I8:
    case ScalarType::U8: return 8; // bool is stored in a byte
    case ScalarType::I16:
    case ScalarType::U16:
    case ScalarType::F16:
    case ScalarType::BF16: return 16;
    case ScalarType::I32:
    case ScalarType::U32:
    case ScalarType::F32: return 32;
    default: return 64;
    }
}
constexpr int bytes(ScalarType t) { return bits(t) / 8; }
constexpr bool is_float(ScalarType t) { return t >= ScalarType::F16; }
constexpr bool is_bool(ScalarType t) { return t == ScalarType::Bool; }
constexpr bool is_signed(ScalarType t) { return t >= ScalarType::I8 && t <= ScalarType::I64; }
constexpr bool is_unsigned(ScalarType t) { return t >= ScalarType::U8 && t <= ScalarType::U64; }
constexpr bool is_integer(ScalarType t) { return is_signed(t) || is_unsigned(t); } // bool is none

// Least and greatest value of an integer type (u64's greatest saturates to INT64_MAX: no index can
// use more).
std::int64_t least(ScalarType t);
std::int64_t greatest(ScalarType t);
double greatest_finite(ScalarType t); // of a float type

const char* name(ScalarType t); // "f32"
bool parse_scalar_type(const std::string& text, ScalarType& out);

} // namespace loopscope
