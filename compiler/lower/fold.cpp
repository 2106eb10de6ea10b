#include "compiler/lower/fold.h"

#include "core/ir/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace loopscope::lower {

namespace {

std::int64_t signed_bits(const Expr& e) { return static_cast<std::int64_t>(e.bits); }

ExprPtr integer(ScalarType type, std::uint64_t value) {
    return constant_int(type, static_cast<std::int64_t>(value)); // wraps to the type
}

template <typename T> bool compare(Op op, T a, T b) {
    switch (op) {
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    case Op::GreaterEqual: return a >= b;
    case Op::Equal: return a == b;
    default: return a != b;
    }
}

// A shift by more than the width gives 0 or the sign, by a negative amount it goes the other way.
std::uint64_t shift_left(ScalarType type, std::uint64_t value, std::int64_t amount);

std::uint64_t shift_right(ScalarType type, std::uint64_t value, std::int64_t amount) {
    if (amount < 0)
        return amount == std::numeric_limits<std::int64_t>::min()
                   ? 0
                   : shift_left(type, value, -amount);
    bool arithmetic = is_signed(type);
    if (amount >= bits(type))
        return arithmetic && static_cast<std::int64_t>(value) < 0 ? ~std::uint64_t{0} : 0;
    return arithmetic ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> amount)
                      : value >> amount;
}

std::uint64_t shift_left(ScalarType type, std::uint64_t value, std::int64_t amount) {
    if (amount < 0)
        return shift_right(type, value,
                           amount == std::numeric_limits<std::int64_t>::min() ? 64 : -amount);
    return amount >= bits(type) ? 0 : value << amount;
}

// The amount of a shift: an unsigned one above 2^63 is only "more than the width".
std::int64_t shift_amount(const Expr& b) {
    auto amount = signed_bits(b);
    return is_unsigned(b.type) && amount < 0 ? 64 : amount;
}

ExprPtr fold_integer(Op op, const Expr& a, const Expr& b) {
    auto type = a.type;
    if (is_comparison(op))
        return constant_bool(is_unsigned(type) ? compare(op, a.bits, b.bits)
                                               : compare(op, signed_bits(a), signed_bits(b)));
    bool unsigned_less = a.bits < b.bits,
         less = is_unsigned(type) ? unsigned_less : signed_bits(a) < signed_bits(b);
    switch (op) {
    case Op::Add: return integer(type, a.bits + b.bits);
    case Op::Subtract: return integer(type, a.bits - b.bits);
    case Op::Multiply: return integer(type, a.bits * b.bits);
    case Op::Divide:
        if (is_unsigned(type))
            return integer(type, b.bits ? a.bits / b.bits : 0);
        return constant_int(type, floor_divide(signed_bits(a), signed_bits(b)));
    case Op::Modulo:
        if (is_unsigned(type))
            return integer(type, b.bits ? a.bits % b.bits : 0);
        return constant_int(type, floor_modulo(signed_bits(a), signed_bits(b)));
    case Op::ShiftLeft: return integer(type, shift_left(type, a.bits, shift_amount(b)));
    case Op::ShiftRight: return integer(type, shift_right(type, a.bits, shift_amount(b)));
    case Op::BitAnd: return integer(type, a.bits & b.bits);
    case Op::BitXor: return integer(type, a.bits ^ b.bits);
    case Op::BitOr: return integer(type, a.bits | b.bits);
    case Op::Min: return integer(type, less ? a.bits : b.bits);
    case Op::Max: return integer(type, less ? b.bits : a.bits);
    default: return nullptr;
    }
}

ExprPtr fold_bool(Op op, const Expr& a, const Expr& b) {
    switch (op) {
    case Op::LogicalAnd: return constant_bool(a.bits && b.bits);
    case Op::LogicalOr: return constant_bool(a.bits || b.bits);
    default: return is_comparison(op) ? constant_bool(compare(op, a.bits, b.bits)) : nullptr;
    }
}

// All NaNs are one NaN.
template <typename T> ExprPtr floating(ScalarType type, T value) {
    return constant_float(type, std::isnan(value) ? std::nan("") : double{value});
}

// NaN in, NaN out; -0 < +0.
template <typename T> T minimum(T a, T b) {
    if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<T>::quiet_NaN();
    return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
}
template <typename T> T maximum(T a, T b) {
    if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<T>::quiet_NaN();
    return a == b ? (std::signbit(a) ? b : a) : (a < b ? b : a);
}

template <typename T> ExprPtr fold_float(Op op, const Expr& x, T a, T b) {
    if (is_comparison(op))
        return constant_bool(compare(op, a, b));
    switch (op) {
    case Op::Add: return floating<T>(x.type, a + b);
    case Op::Subtract: return floating<T>(x.type, a - b);
    case Op::Multiply: return floating<T>(x.type, a * b);
    case Op::Divide: return floating<T>(x.type, a / b);
    case Op::Min: return floating<T>(x.type, minimum(a, b));
    case Op::Max: return floating<T>(x.type, maximum(a, b));
    default: return nullptr;
    }
}

template <typename T> ExprPtr fold_float_unary(const Expr& e, T a) {
    switch (e.op) {
    case Op::Negate: return floating<T>(e.type, -a);
    case Op::Abs: return floating<T>(e.type, std::fabs(a));
    case Op::Sqrt: return floating<T>(e.type, std::sqrt(a));
    case Op::Floor: return floating<T>(e.type, std::floor(a));
    case Op::Ceil: return floating<T>(e.type, std::ceil(a));
    case Op::Round:
        return floating<T>(e.type, std::nearbyint(a)); // half to even, the default rounding mode
    default: return nullptr;
    }
}

ExprPtr fold_unary(const Expr& e) {
    const auto& a = *e.args[0];
    if (a.type == ScalarType::F32)
        return fold_float_unary(e, static_cast<float>(constant_float_value(e.args[0])));
    // An f64 operation on 16-bit values, rounded once more, is rounded right: f64 has more than
    // twice their digits.
    if (is_float(a.type))
        return fold_float_unary(e, constant_float_value(e.args[0]));
    if (e.op == Op::LogicalNot)
        return constant_bool(!a.bits);
    if (!is_integer(a.type))
        return nullptr;
    switch (e.op) {
    case Op::Negate: return integer(e.type, 0 - a.bits);
    case Op::BitNot: return integer(e.type, ~a.bits);
    case Op::Abs:
        return integer(e.type, is_signed(a.type) && signed_bits(a) < 0 ? 0 - a.bits : a.bits);
    default: return nullptr;
    }
}

ExprPtr fold_binary(const Expr& e) {
    const auto &a = *e.args[0], &b = *e.args[1];
    if (is_integer(a.type))
        return fold_integer(e.op, a, b);
    if (is_bool(a.type))
        return fold_bool(e.op, a, b);
    if (a.type == ScalarType::F32)
        return fold_float(e.op, a, static_cast<float>(constant_float_value(e.args[0])),
                          static_cast<float>(constant_float_value(e.args[1])));
    return fold_float(e.op, a, constant_float_value(e.args[0]), constant_float_value(e.args[1]));
}

// An integer to a 16-bit float, rounded once.
ExprPtr half_from_integer(ScalarType type, const Expr& a) {
    bool wide = is_unsigned(a.type) || is_bool(a.type), f16 = type == ScalarType::F16;
    if (wide)
        return constant_bits(type, f16 ? f16_bits(a.bits) : bf16_bits(a.bits));
    return constant_bits(type, f16 ? f16_bits(signed_bits(a)) : bf16_bits(signed_bits(a)));
}

// Integers and bools among each other; an integer to a float, or a float to another, rounded once.
ExprPtr fold_cast(const Expr& e) {
    const auto& a = *e.args[0];
    if (e.type == a.type)
        return e.args[0];
    if (is_float(a.type)) {
        if (!is_float(e.type))
            return nullptr;
        double value = constant_float_value(e.args[0]); // exact
        return e.type == ScalarType::F32 ? floating<float>(e.type, static_cast<float>(value))
                                         : floating<double>(e.type, value);
    }
    if (is_bool(e.type))
        return constant_bool(a.bits != 0);
    if (!is_float(e.type))
        return integer(e.type, a.bits);
    bool is_unsigned_value = is_unsigned(a.type) || is_bool(a.type);
    if (e.type == ScalarType::F64)
        return floating<double>(e.type, is_unsigned_value ? static_cast<double>(a.bits)
                                                          : static_cast<double>(signed_bits(a)));
    if (e.type == ScalarType::F32)
        return floating<float>(e.type, is_unsigned_value ? static_cast<float>(a.bits)
                                                         : static_cast<float>(signed_bits(a)));
    return half_from_integer(e.type, a);
}

// A NaN becomes the one NaN before its bits are taken.
ExprPtr fold_reinterpret(const Expr& e) {
    const auto& a = *e.args[0];
    bool nan = is_float(a.type) && std::isnan(constant_float_value(e.args[0]));
    return constant_bits(e.type, nan ? constant_float(a.type, std::nan(""))->bits : a.bits);
}

ExprPtr fold_fma(const Expr& e) {
    double a = constant_float_value(e.args[0]), b = constant_float_value(e.args[1]),
           c = constant_float_value(e.args[2]);
    if (e.type == ScalarType::F64)
        return floating<double>(e.type, std::fma(a, b, c));
    if (e.type != ScalarType::F32)
        return floating<double>(e.type, fma_to_odd(a, b, c));
    return floating<float>(
        e.type, std::fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}

} // namespace

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    if (b == 0)
        return 0;
    // the least value wraps
    if (b == -1)
        return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
    auto quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1)
        return 0;
    auto rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

ExprPtr folded(const Expr& e) {
    if (e.args.empty() || e.lanes != 1)
        return nullptr;
    for (const auto& a : e.args)
        if (!is_constant(a))
            return nullptr;
    switch (e.kind) {
    case ExprKind::Unary: return fold_unary(e);
    case ExprKind::Binary: return fold_binary(e);
    case ExprKind::Cast: return fold_cast(e);
    case ExprKind::Fma: return fold_fma(e);
    case ExprKind::Reinterpret: return fold_reinterpret(e);
    case ExprKind::Select: return e.args[0]->bits ? e.args[1] : e.args[2];
    default: return nullptr;
    }
}

} // namespace loopscope::lower
