#include "compiler/codegen/c/constant_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace loopscope::codegen {

namespace {

template <typename Float> std::string shortest(Float value, const char* suffix) {
    if (std::isnan(value))
        return "NAN";
    if (std::isinf(value))
        return value < 0 ? "-INFINITY" : "INFINITY";
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text + suffix;
}

} // namespace

std::string constant_text(const Expr& e) {
    auto as_signed = static_cast<std::int64_t>(e.bits);
    switch (e.type) {
    case ScalarType::Bool: return e.bits ? "true" : "false";
    case ScalarType::I8:
    case ScalarType::I16: return std::to_string(as_signed);
    case ScalarType::I32:
        return as_signed == std::numeric_limits<std::int32_t>::min() ? "INT32_MIN"
                                                                     : std::to_string(as_signed);
    case ScalarType::I64:
        return as_signed == std::numeric_limits<std::int64_t>::min()
                   ? "INT64_MIN"
                   : (as_signed < 0 ? "-INT64_C(" : "INT64_C(") +
                         std::to_string(as_signed < 0 ? -as_signed : as_signed) + ")";
    case ScalarType::U8:
    case ScalarType::U16: return std::to_string(e.bits);
    case ScalarType::U32: return std::to_string(e.bits) + "u";
    case ScalarType::U64: return "UINT64_C(" + std::to_string(e.bits) + ")";
    case ScalarType::F16:
    case ScalarType::BF16: {
        char buffer[16];
        std::snprintf(buffer, sizeof buffer, "0x%04x", static_cast<unsigned>(e.bits & 0xffff));
        return buffer;
    }
    case ScalarType::F32:
        return shortest(static_cast<float>(constant_float_value(std::make_shared<const Expr>(e))),
                        "f");
    case ScalarType::F64:
        return shortest(constant_float_value(std::make_shared<const Expr>(e)), "");
    }
    return {};
}

} // namespace loopscope::codegen
