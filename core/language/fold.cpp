#include "core/language/fold.h"

#include "core/ir/half.h"
#include "core/language/prelude.h"

#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace loopscope {

namespace {

std::uint64_t canonical(double value, ScalarType type) {
    if (std::isnan(value)) // whatever its sign and payload: there is one NaN
        value = std::numeric_limits<double>::quiet_NaN();
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

// ---- floats ----
// f32 and f64 are computed in the type itself, so that each operation rounds once; f16 and bf16 in
// f64, which has more than twice their bits and two: rounding that once more gives what rounding
// the exact result gives.

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
    // The ends are compared as doubles: 2^63 is not below 2^63, so nothing out of range is
    // converted.
    if (cut < static_cast<double>(least(type)))
        return static_cast<std::uint64_t>(least(type));
    if (cut >= static_cast<double>(greatest(type)))
        return static_cast<std::uint64_t>(greatest(type));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(cut));
}

// From 64 bits straight to the type: through f64 a narrower one would round twice.
template <typename Integer> std::uint64_t float_of(Integer value, ScalarType type) {
    switch (type) {
    case ScalarType::F16: return f16_bits(value);
    case ScalarType::BF16: return bf16_bits(value);
    case ScalarType::F32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default: return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    }
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
    auto bits = is_signed(a->type) ? float_of(static_cast<std::int64_t>(a->bits), e.type)
                                   : float_of(a->bits, e.type);
    return constant_bits(e.type, bits, e.where);
}

ExprPtr fold_fma(const Expr& e) {
    double a = constant_float_value(e.args[0]), b = constant_float_value(e.args[1]),
           c = constant_float_value(e.args[2]);
    double result =
        e.type == ScalarType::F64 ? std::fma(a, b, c)
        : e.type == ScalarType::F32
            ? std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c))
            : fma_to_odd(a, b, c);
    return constant_bits(e.type, canonical(result, e.type), e.where);
}

ExprPtr fold_reinterpret(const Expr& e) {
    const auto& a = e.args[0];
    auto type = is_float(e.type) ? e.type : a->type;
    auto value = constant_float_value(constant_bits(type, a->bits));
    return constant_bits(e.type, std::isnan(value) ? canonical(value, type) : a->bits, e.where);
}

// The value of an expression of constants, lets and the given variables.
class Evaluation {
public:
    explicit Evaluation(std::unordered_map<std::string, ExprPtr> values)
        : values_(std::move(values)) {}

    ExprPtr of(const ExprPtr& e) {
        if (is_constant(e))
            return e;
        if (e->kind == ExprKind::Variable)
            return values_.at(e->name);
        if (auto known = known_.find(e.get()); known != known_.end())
            return known->second;
        ExprPtr result;
        if (e->kind == ExprKind::Let) {
            values_[e->name] = of(e->args[0]);
            result = of(e->args[1]);
        } else {
            std::vector<ExprPtr> args;
            for (const auto& a : e->args)
                args.push_back(of(a));
            result = fold(with_args(e, std::move(args)));
        }
        return known_.emplace(e.get(), result).first->second;
    }

private:
    std::unordered_map<std::string, ExprPtr> values_; // names of lets are unique
    std::unordered_map<const Expr*, ExprPtr> known_;
};

ExprPtr fold_call(const Expr& e) {
    const auto& function = prelude_function(e.name, e.type);
    std::unordered_map<std::string, ExprPtr> arguments;
    for (std::size_t i = 0; i < e.args.size(); ++i)
        arguments.emplace(function.parameters.at(i), e.args[i]);
    return constant_bits(e.type, Evaluation(std::move(arguments)).of(function.body)->bits, e.where);
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
    case ExprKind::Fma: return fold_fma(*e);
    case ExprKind::Reinterpret: return fold_reinterpret(*e);
    case ExprKind::Call: return fold_call(*e);
    default: return e;
    }
}

} // namespace loopscope
