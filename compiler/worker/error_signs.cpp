#include "compiler/worker/error_signs.h"

namespace loopscope::worker {

namespace {

constexpr auto kWide = ScalarType::F64;
constexpr auto kIndex = ScalarType::I32;

ExprPtr number_of(std::int64_t value) { return constant_int(kIndex, value); }

ExprPtr is_odd(const ExprPtr& count) {
    auto bit = binary(Op::BitAnd, count, number_of(1));
    return binary(Op::NotEqual, bit, number_of(0));
}

// Any bit of a product with an odd constant depends on all lower ones; integers wrap.
ExprPtr scattered(const std::vector<std::string>& point, int number) {
    auto mixed = number_of(number);
    for (const auto& name : point) {
        mixed = binary(Op::Multiply, binary(Op::Add, mixed, variable(name)), number_of(0x2c1b3c6d));
        mixed = binary(Op::BitXor, mixed, binary(Op::ShiftRight, mixed, number_of(15)));
    }
    mixed = binary(Op::Multiply, mixed, number_of(0x297a2d39));
    return binary(Op::ShiftRight, mixed, number_of(19));
}

ExprPtr alternating(const std::vector<std::string>& point, int number) {
    auto place = number_of(number);
    for (const auto& name : point)
        place = binary(Op::Add, place, variable(name));
    return place;
}

} // namespace

ExprPtr signed_error(double error, ErrorSigns signs, const std::vector<std::string>& point,
                     int number) {
    auto up = constant_float(kWide, error), down = constant_float(kWide, -error);
    switch (signs) {
    case ErrorSigns::AllUp: return up;
    case ErrorSigns::AllDown: return down;
    case ErrorSigns::Alternating: return select(is_odd(alternating(point, number)), down, up);
    case ErrorSigns::Scattered: break;
    }
    return select(is_odd(scattered(point, number)), down, up);
}

} // namespace loopscope::worker
