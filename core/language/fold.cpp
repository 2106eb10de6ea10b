#include "core/language/fold.h"

#include <bit>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

std::uint64_t canonical(double value, ScalarType type) {
    if (std::isnan(value))
        return type == ScalarType::F64 ? 0x7ff8000000000000u : 0x7fc00000u;
    return constant_float(type, value)->bits;
}

// ---- integers: the operands as 64 bits, extended by their sign; the result wraps to the type ----

// a shifted left by `amount` (right when negative); amounts beyond the width leave 0, or the sign.
std::uint64_t shifted(ScalarType type, std::uint64_t a, std::int64_t amount) {
    if (amount >= bits(type))
        return 0;
    if (amount >= 0)
        return a << amount;
    auto by = amount <= -64 ? 63 : static_cast<int>(-amount);
    if (is_signed(type))
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> by);
    return amount <= -64 ? 0 : a >> by;
}

std::uint64_t divide_signed(std::int64_t a, std::int64_t b, bool modulo) {
    if (b == 0)
        return 0;
    if (b == -1) // the least divided by -1 wraps
        return modulo ? 0 : 0 - static_cast<std::uint64_t>(a);
    auto quotient = a / b, rest = a % b;
    bool adjust = rest != 0 && (rest < 0) != (b < 0);
    return static_cast<std::uint64_t>(modulo ? rest + (adjust ? b : 0)
                                             : quotient - (adjust ? 1 : 0));
}

std::uint64_t divide(ScalarType type, std::uint64_t a, std::uint64_t b, bool modulo) {
    if (is_signed(type))
        return divide_signed(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), modulo);
    if (b == 0)
        return 0;
    return modulo ? a % b : a / b;
}

bool less(ScalarType type, std::uint64_t a, std::uint64_t b) {
    return is_signed(type) ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

// Amounts have the operand's type; an unsigned one above the greatest int64 is beyond any width.
std::int64_t shift_amount(ScalarType type, std::uint64_t b) {
    auto amount = static_cast<std::int64_t>(b);
    if (!is_signed(type) && amount < 0)
        return 64;
    return std::max<std::int64_t>(std::min<std::int64_t>(amount, 64), -64);
}

std::uint64_t integer_binary(Op op, ScalarType type, std::uint64_t a, std::uint64_t b) {
    switch (op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Divide: return divide(type, a, b, false);
    case Op::Modulo: return divide(type, a, b, true);
    case Op::ShiftLeft: return shifted(type, a, shift_amount(type, b));
    case Op::ShiftRight: return shifted(type, a, -shift_amount(type, b));
    case Op::BitAnd:
    case Op::LogicalAnd: return a & b;
    case Op::BitXor: return a ^ b;
    case Op::BitOr:
    case Op::LogicalOr: return a | b;
    case Op::Min: return less(type, b, a) ? b : a;
    case Op::Max: return less(type, a, b) ? b : a;
    case Op::Less: return less(type, a, b);
    case Op::LessEqual: return !less(type, b, a);
    case Op::Greater: return less(type, b, a);
    case Op::GreaterEqual: return !less(type, a, b);
    case Op::Equal: return a == b;
    default: return a != b;
    }
}

std::uint64_t integer_unary(Op op, ScalarType type, std::uint64_t a) {
    switch (op) {
    case Op::Negate: return 0 - a;
    case Op::BitNot: return ~a;
    case Op::LogicalNot: return a == 0;
    case Op::Abs: return is_signed(type) && static_cast<std::int64_t>(a) < 0 ? 0 - a : a;
    default: return a;
    }
}

// ---- floats: computed in the type itself, so that each operation rounds once ----

template <typename Float> Float float_minmax(Op op, Float a, Float b) {
    if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<Float>::quiet_NaN();
    if (a == b) // -0 < +0
        return std::signbit(a) == (op == Op::Min) ? a : b;
    return (a < b) == (op == Op::Min) ? a : b;
}

template <typename Float> Float float_binary(Op op, Float a, Float b) {
    switch (op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Divide: return a / b;
    default: return float_minmax(op, a, b);
    }
}

template <typename Float> Float float_unary(Op op, Float a) {
    switch (op) {
    case Op::Negate: return -a;
    case Op::Abs: return std::fabs(a);
    case Op::Sqrt: return std::sqrt(a);
    case Op::Floor: return std::floor(a);
    case Op::Ceil: return std::ceil(a);
    default: return std::nearbyint(a); // half to even: the rounding mode is never changed
    }
}

bool float_compare(Op op, double a, double b) {
    switch (op) {
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    case Op::GreaterEqual: return a >= b;
    case Op::Equal: return a == b;
    default: return a != b;
    }
}

bool is_comparison(Op op) { return op >= Op::Less && op <= Op::NotEqual; }

ExprPtr fold_binary(const Expr& e) {
    const auto& a = e.args[0];
    const auto& b = e.args[1];
    if (!is_float(a->type)) {
        auto result = integer_binary(e.op, a->type, a->bits, b->bits);
        return constant_int(e.type, static_cast<std::int64_t>(result), e.where);
    }
    double x = constant_float_value(a), y = constant_float_value(b);
    if (is_comparison(e.op))
        return constant_bool(float_compare(e.op, x, y), e.where);
    double result = e.type == ScalarType::F32
                        ? float_binary(e.op, static_cast<float>(x), static_cast<float>(y))
                        : float_binary(e.op, x, y);
    return constant_bits(e.type, canonical(result, e.type), e.where);
}

ExprPtr fold_unary(const Expr& e) {
    const auto& a = e.args[0];
    if (!is_float(a->type)) {
        auto result = integer_unary(e.op, a->type, a->bits);
        return constant_int(e.type, static_cast<std::int64_t>(result), e.where);
    }
    double x = constant_float_value(a);
    double result =
        e.type == ScalarType::F32 ? float_unary(e.op, static_cast<float>(x)) : float_unary(e.op, x);
    return constant_bits(e.type, canonical(result, e.type), e.where);
}

std::uint64_t float_to_integer(double x, ScalarType type) {
    if (std::isnan(x))
        return 0;
    double cut = std::trunc(x);
    if (type == ScalarType::U64)
        return cut <= 0 ? 0 : cut >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(cut);
    // The ends are compared as doubles: 2^63 is not below 2^63, so nothing out of range is converted.
    if (cut < static_cast<double>(least(type)))
        return static_cast<std::uint64_t>(least(type));
    if (cut >= static_cast<double>(greatest(type)))
        return static_cast<std::uint64_t>(greatest(type));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(cut));
}

ExprPtr fold_cast(const Expr& e) {
    const auto& a = e.args[0];
    if (is_float(a->type)) {
        double x = constant_float_value(a);
        if (is_bool(e.type))
            return constant_bool(x != 0, e.where);
        if (is_float(e.type))
            return constant_bits(e.type, canonical(x, e.type), e.where);
        return constant_bits(e.type, float_to_integer(x, e.type), e.where);
    }
    if (is_bool(e.type))
        return constant_bool(a->bits != 0, e.where);
    if (!is_float(e.type))
        return constant_int(e.type, static_cast<std::int64_t>(a->bits), e.where);
    bool wide = e.type == ScalarType::F64;
    auto value = static_cast<std::int64_t>(a->bits);
    // From 64 bits straight to the type: through f64 an f32 would round twice.
    double result = is_unsigned(a->type)
                        ? (wide ? static_cast<double>(a->bits) : static_cast<float>(a->bits))
                        : (wide ? static_cast<double>(value) : static_cast<float>(value));
    return constant_bits(e.type, canonical(result, e.type), e.where);
}

} // namespace

ExprPtr fold(const ExprPtr& e) {
    for (const auto& a : e->args)
        if (!is_constant(a))
            return e;
    switch (e->kind) {
    case ExprKind::Unary: return fold_unary(*e);
    case ExprKind::Binary: return fold_binary(*e);
    case ExprKind::Cast: return fold_cast(*e);
    case ExprKind::Select: return e->args[e->args[0]->bits ? 1 : 2];
    default: return e;
    }
}

} // namespace loopscope
