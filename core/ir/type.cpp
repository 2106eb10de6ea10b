#include "core/ir/type.h"

#include <limits>

namespace loopscope {

namespace {
constexpr const char* kNames[] = {"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                  "u32",  "u64", "f16", "bf16", "f32", "f64"};
}

const char* name(ScalarType t) { return kNames[static_cast<int>(t)]; }

bool parse_scalar_type(const std::string& text, ScalarType& out) {
    for (int i = 0; i <= static_cast<int>(ScalarType::F64); ++i)
        if (text == kNames[i]) {
            out = static_cast<ScalarType>(i);
            return true;
        }
    return false;
}

std::int64_t least(ScalarType t) {
    if (!is_signed(t))
        return 0;
    return bits(t) == 64 ? std::numeric_limits<std::int64_t>::min()
                         : -(std::int64_t{1} << (bits(t) - 1));
}

std::int64_t greatest(ScalarType t) {
    if (is_bool(t))
        return 1;
    if (bits(t) == 64)
        return std::numeric_limits<std::int64_t>::max();
    return is_signed(t) ? (std::int64_t{1} << (bits(t) - 1)) - 1 : (std::int64_t{1} << bits(t)) - 1;
}

double greatest_finite(ScalarType t) {
    switch (t) {
    case ScalarType::F16: return 65504;
    case ScalarType::BF16: return 0x1.fep127;
    case ScalarType::F32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
    }
}

} // namespace loopscope
