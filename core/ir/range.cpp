#include "core/ir/range.h"

#include "core/ir/float_range.h"
#include "core/ir/half.h"
#include "core/ir/interval_arithmetic.h"
#include "core/ir/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

namespace loopscope {

namespace {

using namespace interval; // exact arithmetic on intervals

// Range of a float expression: what casts, constants, min, max and roundings bound.
struct FloatRange {
    double least = -std::numeric_limits<double>::infinity();
    double greatest = std::numeric_limits<double>::infinity();
    bool nan = true; // NaN is possible
};

FloatRange hull(const FloatRange& a, const FloatRange& b) {
    return {std::min(a.least, b.least), std::max(a.greatest, b.greatest), a.nan || b.nan};
}

double rounded_to(ScalarType type, double value) {
    switch (type) {
    case ScalarType::F32: return static_cast<float>(value);
    case ScalarType::F64: return value;
    default: return constant_float_value(constant_float(type, value));
    }
}

// In one rounding: through f64 the bound could come out below the value that it bounds.
double rounded_to(ScalarType type, std::int64_t value) {
    switch (type) {
    case ScalarType::F16: return f16_value(f16_bits(value));
    case ScalarType::BF16: return bf16_value(bf16_bits(value));
    case ScalarType::F32: return static_cast<float>(value);
    default: return static_cast<double>(value);
    }
}

double significant_digit(ScalarType type) {
    switch (type) {
    case ScalarType::F16: return 0x1p-10;
    case ScalarType::BF16: return 0x1p-7;
    case ScalarType::F32: return 0x1p-23;
    default: return 0x1p-52;
    }
}

// A sum or product of two ends. Where it is not exact it moves outwards by more than a rounding,
// for with the operation after it, it may be contracted into one.
double end_of(ScalarType type, Op op, double a, double b, bool upper) {
    double value = op == Op::Multiply ? a * b : a + b;
    if (std::isnan(value)) // 0 * inf: the range's other ends are infinite
        return 0;
    double other = value - a;
    // Knuth's two-sum
    double lost = op == Op::Multiply ? std::fma(a, b, -value) : (a - (value - other)) + (b - other);
    double rounded = rounded_to(type, value);
    if (std::isinf(rounded) || (rounded == value && lost == 0))
        return rounded;
    double beyond = std::abs(rounded) * significant_digit(type) * 2 + 0x1p-20;
    return upper ? rounded + beyond : rounded - beyond;
}

FloatRange combined(ScalarType type, Op op, const FloatRange& a, FloatRange b) {
    if (op == Op::Subtract)
        b = {-b.greatest, -b.least, b.nan};
    auto infinite = [](const FloatRange& r) {
        return std::isinf(r.least) || std::isinf(r.greatest);
    };
    FloatRange out;
    // inf - inf and 0 * inf
    out.nan = a.nan || b.nan ||
              (op == Op::Multiply ? infinite(a) || infinite(b) : infinite(a) && infinite(b));
    if (op != Op::Multiply) {
        out.least = end_of(type, Op::Add, a.least, b.least, false);
        out.greatest = end_of(type, Op::Add, a.greatest, b.greatest, true);
        return out;
    }
    out.least = std::numeric_limits<double>::infinity();
    out.greatest = -out.least;
    for (double x : {a.least, a.greatest})
        for (double y : {b.least, b.greatest}) {
            out.least = std::min(out.least, end_of(type, op, x, y, false));
            out.greatest = std::max(out.greatest, end_of(type, op, x, y, true));
        }
    return out;
}

// An end of a range of more than 16 bits of which only the type is known. It survives min, max,
// select and casts that keep the value; every other operation may have wrapped by then.
constexpr std::int64_t kOpenLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kOpenGreatest = std::numeric_limits<std::int64_t>::max();

bool is_open(const Interval& i) {
    return !i.empty() && (i.least == kOpenLeast || i.greatest == kOpenGreatest);
}

Interval unknown(ScalarType type) {
    if (is_bool(type) || (!is_float(type) && bits(type) <= 16))
        return {least(type), greatest(type)};
    return {is_unsigned(type) ? 0 : kOpenLeast, kOpenGreatest};
}

class RangeFinder {
public:
    RangeFinder(const RangeOf& variables, const LoadRangeOf& loads)
        : variables_(variables), loads_(loads) {}

    std::optional<Interval> of(const Expr& e) { return closed(bounds(e)); }

    std::optional<Interval> whole(const Expr& e) {
        constexpr double kWhole = 0x1p52; // up to here every whole number is a double
        auto range = of_float(e);
        bool known = !range.nan && range.least <= range.greatest && range.least >= -kWhole &&
                     range.greatest <= kWhole;
        if (!known)
            return std::nullopt;
        return Interval{static_cast<std::int64_t>(std::floor(range.least)),
                        static_cast<std::int64_t>(std::ceil(range.greatest))};
    }

private:
    static std::optional<Interval> closed(const Interval& i) {
        return is_open(i) ? std::nullopt : std::optional(i);
    }

    // The range with open ends where they are not known.
    Interval bounds(const Expr& e) {
        if (auto found = memo_.find(&e); found != memo_.end())
            return found->second;
        auto range = is_float(e.type) ? unknown(e.type) : compute(e);
        memo_.emplace(&e, range);
        return range;
    }

    // What may wrap is any value of its type.
    static Interval within(ScalarType type, const std::optional<WideInterval>& exact) {
        if (!exact)
            return unknown(type);
        if (exact->greatest < exact->least)
            return {};
        bool fits = exact->least >= std::max<Wide>(least(type), -kMaxInRange) &&
                    exact->greatest <= std::min<Wide>(greatest(type), kMaxInRange);
        if (!fits)
            return unknown(type);
        return {static_cast<std::int64_t>(exact->least),
                static_cast<std::int64_t>(exact->greatest)};
    }

    Interval compute(const Expr& e) {
        switch (e.kind) {
        case ExprKind::Constant: return within(e.type, constant(e));
        case ExprKind::Variable: return of_variable(e);
        case ExprKind::Unary: return within(e.type, of_unary(e));
        case ExprKind::Binary: return of_binary(e);
        case ExprKind::Select: return of_select(e);
        case ExprKind::Cast: return of_cast(e);
        case ExprKind::Let: return with_own_memo<Interval>(e, [&] { return bounds(*e.args[1]); });
        case ExprKind::Load: return loaded(e);
        case ExprKind::MaskedLoad:
            return loopscope::hull(loaded(e), {0, 0}); // a lane that is off gives 0
        case ExprKind::Fma:
        case ExprKind::Call:
        case ExprKind::Reinterpret: return unknown(e.type);
        case ExprKind::Ramp: return within(e.type, of_ramp(e));
        case ExprKind::Broadcast: return bounds(*e.args[0]);
        }
        return unknown(e.type);
    }

    static WideInterval constant(const Expr& e) {
        auto value =
            e.type == ScalarType::U64 ? Wide{e.bits} : Wide{static_cast<std::int64_t>(e.bits)};
        return {value, value};
    }

    Interval loaded(const Expr& e) {
        auto range = loads_ ? loads_(e.name, e.component) : std::nullopt;
        return range.value_or(unknown(e.type));
    }

    // Copies of a definition that was inlined twice share the nodes of a let's body, but not the
    // let's value: what is known of the body's nodes holds under this let alone.
    template <typename Result, typename Body> Result with_own_memo(const Expr& let, Body body) {
        bind(let);
        decltype(memo_) outer;
        decltype(float_memo_) outer_floats;
        std::swap(outer, memo_);
        std::swap(outer_floats, float_memo_);
        Result result = body();
        std::swap(outer, memo_);
        std::swap(outer_floats, float_memo_);
        return result;
    }

    void bind(const Expr& e) {
        if (is_float(e.args[0]->type))
            floats_.insert_or_assign(e.name, of_float(*e.args[0]));
        else
            lets_.insert_or_assign(e.name, bounds(*e.args[0]));
    }

    Interval of_variable(const Expr& e) {
        if (auto found = lets_.find(e.name); found != lets_.end())
            return found->second;
        auto range = variables_ ? variables_(e.name) : std::nullopt;
        return range.value_or(unknown(e.type));
    }

    std::optional<WideInterval> of_unary(const Expr& e) {
        auto a = of(*e.args[0]);
        if (!a)
            return std::nullopt;
        if (a->empty())
            return WideInterval{};
        Wide low = a->least, high = a->greatest;
        switch (e.op) {
        case Op::Negate: return WideInterval{-high, -low};
        case Op::LogicalNot: return WideInterval{1 - high, 1 - low};
        case Op::Abs:
            return WideInterval{low > 0 ? low : (high < 0 ? -high : 0), std::max(high, -low)};
        case Op::BitNot:
            if (e.type == ScalarType::U64)
                return std::nullopt;
            return is_signed(e.type)
                       ? WideInterval{-high - 1, -low - 1}
                       : WideInterval{greatest(e.type) - high, greatest(e.type) - low};
        default: return std::nullopt;
        }
    }

    Interval of_binary(const Expr& e) {
        if (is_float(e.args[0]->type))
            return unknown(e.type);
        auto a = bounds(*e.args[0]), b = bounds(*e.args[1]);
        if (a.empty() || b.empty())
            return {};
        switch (e.op) {
        case Op::Min:
        case Op::LogicalAnd: return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
        case Op::Max:
        case Op::LogicalOr: return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
        case Op::Modulo:
            // Whatever is divided, the divisor bounds the rest.
            if (is_open(a) && !is_open(b))
                return within(e.type, modulo({-kMaxInRange, kMaxInRange}, b));
            break;
        case Op::ShiftRight:
            // However unsigned arithmetic wrapped, the value is one of its type.
            if (is_open(a) && !is_open(b) && is_unsigned(e.type) && bits(e.type) <= 32)
                return within(e.type, shift({0, greatest(e.type)}, b, false, bits(e.type)));
            break;
        case Op::BitAnd:
            if (!is_open(a) && a.least >= 0 && is_open(b))
                return {0, a.greatest};
            if (!is_open(b) && b.least >= 0 && is_open(a))
                return {0, b.greatest};
            break;
        default: break;
        }
        return is_open(a) || is_open(b) ? unknown(e.type) : within(e.type, of_closed(e, a, b));
    }

    static WideInterval of_closed(const Expr& e, const Interval& a, const Interval& b) {
        switch (e.op) {
        case Op::Add: return {Wide{a.least} + b.least, Wide{a.greatest} + b.greatest};
        case Op::Subtract: return {Wide{a.least} - b.greatest, Wide{a.greatest} - b.least};
        case Op::Multiply: return multiply(a, b);
        case Op::Divide: return divide(a, b);
        case Op::Modulo: return modulo(a, b);
        case Op::ShiftLeft:
        case Op::ShiftRight: return shift(a, b, e.op == Op::ShiftLeft, bits(e.type));
        case Op::BitAnd:
        case Op::BitXor:
        case Op::BitOr: return bitwise(e.op, a, b);
        default: {
            auto verdict = compare(e.op, a, b);
            return {verdict.least, verdict.greatest};
        }
        }
    }

    // The hull of the arms; an arm that is an operand of the condition is bounded by it, as in
    // select(a < b, a, b).
    Interval of_select(const Expr& e) {
        auto condition = bounds(*e.args[0]);
        if (condition.empty())
            return {};
        if (condition.least == 1)
            return bounds(*e.args[1]);
        if (condition.greatest == 0)
            return bounds(*e.args[2]);
        return loopscope::hull(refined(e.args[1], *e.args[0], true),
                               refined(e.args[2], *e.args[0], false));
    }

    // The range of `arm` where `condition` is `holds`.
    Interval refined(const ExprPtr& arm, const Expr& condition, bool holds) {
        auto range = bounds(*arm);
        bool ordered = condition.op >= Op::Less && condition.op <= Op::GreaterEqual;
        if (condition.kind != ExprKind::Binary || !ordered || is_float(condition.args[0]->type))
            return range;
        bool first = equal(arm, condition.args[0]);
        if (!first && !equal(arm, condition.args[1]))
            return range;
        auto other = bounds(*condition.args[first ? 1 : 0]);
        bool less = condition.op == Op::Less || condition.op == Op::LessEqual;
        int strict = (condition.op == Op::Less || condition.op == Op::Greater) == holds ? 1 : 0;
        if ((less == first) == holds) {
            if (other.greatest != kOpenGreatest)
                range.greatest = std::min(range.greatest, other.greatest - strict);
        } else if (other.least != kOpenLeast) {
            range.least = std::max(range.least, other.least + strict);
        }
        return range;
    }

    Interval of_cast(const Expr& e) {
        const auto& a = *e.args[0];
        if (is_float(a.type))
            return within(e.type, of_float_cast(e));
        auto range = bounds(a);
        if (range.empty())
            return {};
        if (is_bool(e.type))
            return {range.contains({0, 0}) ? 0 : 1, range == Interval{0, 0} ? 0 : 1};
        // An open end stays one when the source's type, which bounds it, fits: the value is kept.
        auto most = Interval{range.least == kOpenLeast ? least(a.type) : range.least,
                             range.greatest == kOpenGreatest ? greatest(a.type) : range.greatest};
        bool saturated = a.type == ScalarType::U64 && range.greatest == kOpenGreatest &&
                         e.type != ScalarType::U64;
        bool fits = !saturated && most.least >= least(e.type) && most.greatest <= greatest(e.type);
        return fits ? range : unknown(e.type);
    }

    // Float to integer truncates and saturates; NaN gives 0.
    std::optional<WideInterval> of_float_cast(const Expr& e) {
        auto range = of_float(*e.args[0]);
        if (is_bool(e.type) || range.greatest < range.least)
            return std::nullopt;
        if (bits(e.type) > 16 && (std::isinf(range.least) || std::isinf(range.greatest)))
            return std::nullopt;
        auto saturated = [&](double value) -> Wide {
            double whole = std::trunc(value);
            if (whole <= static_cast<double>(least(e.type)))
                return least(e.type);
            return whole >= static_cast<double>(greatest(e.type))
                       ? greatest(e.type)
                       : static_cast<std::int64_t>(whole);
        };
        WideInterval result{saturated(range.least), saturated(range.greatest)};
        if (range.nan)
            result = {std::min<Wide>(result.least, 0), std::max<Wide>(result.greatest, 0)};
        return result;
    }

    FloatRange of_float(const Expr& e) {
        if (auto found = float_memo_.find(&e); found != float_memo_.end())
            return found->second;
        auto range = compute_float(e);
        float_memo_.emplace(&e, range);
        return range;
    }

    FloatRange compute_float(const Expr& e) {
        switch (e.kind) {
        case ExprKind::Constant: {
            double value = constant_float_value(std::make_shared<const Expr>(e));
            return std::isnan(value) ? FloatRange{} : FloatRange{value, value, false};
        }
        case ExprKind::Variable: {
            auto found = floats_.find(e.name);
            return found == floats_.end() ? FloatRange{} : found->second;
        }
        case ExprKind::Let:
            return with_own_memo<FloatRange>(e, [&] { return of_float(*e.args[1]); });
        case ExprKind::Select: return hull(of_float(*e.args[1]), of_float(*e.args[2]));
        case ExprKind::Broadcast: return of_float(*e.args[0]);
        case ExprKind::Cast: return cast_to_float(e);
        case ExprKind::Unary: return float_unary(e);
        case ExprKind::Load: return loaded_float(e);
        case ExprKind::MaskedLoad: return hull(loaded_float(e), {0, 0, false});
        case ExprKind::Binary: {
            auto a = of_float(*e.args[0]), b = of_float(*e.args[1]);
            if (e.op == Op::Add || e.op == Op::Subtract || e.op == Op::Multiply)
                return combined(e.type, e.op, a, b);
            if (e.op != Op::Min && e.op != Op::Max)
                return {};
            bool nan = a.nan || b.nan;
            return e.op == Op::Min ? FloatRange{std::min(a.least, b.least),
                                                std::min(a.greatest, b.greatest), nan}
                                   : FloatRange{std::max(a.least, b.least),
                                                std::max(a.greatest, b.greatest), nan};
        }
        default: return {};
        }
    }

    FloatRange loaded_float(const Expr& e) {
        auto range = loads_ ? loads_(e.name, e.component) : std::nullopt;
        if (!range)
            return {};
        return {static_cast<double>(range->least), static_cast<double>(range->greatest), false};
    }

    FloatRange cast_to_float(const Expr& e) {
        if (is_float(e.args[0]->type)) {
            auto range = of_float(*e.args[0]);
            return {rounded_to(e.type, range.least), rounded_to(e.type, range.greatest), range.nan};
        }
        FloatRange range;
        range.nan = false; // every integer has a float near it
        if (auto whole = of(*e.args[0]); whole && !whole->empty()) {
            range.least = rounded_to(e.type, whole->least);
            range.greatest = rounded_to(e.type, whole->greatest);
        }
        return range;
    }

    FloatRange float_unary(const Expr& e) {
        auto a = of_float(*e.args[0]);
        switch (e.op) {
        case Op::Negate: return {-a.greatest, -a.least, a.nan};
        case Op::Floor: return {std::floor(a.least), std::floor(a.greatest), a.nan};
        case Op::Ceil: return {std::ceil(a.least), std::ceil(a.greatest), a.nan};
        case Op::Round: return {std::nearbyint(a.least), std::nearbyint(a.greatest), a.nan};
        case Op::Abs:
            return {a.least > 0 ? a.least : (a.greatest < 0 ? -a.greatest : 0.0),
                    std::max(a.greatest, -a.least), a.nan};
        default: return {};
        }
    }

    std::optional<WideInterval> of_ramp(const Expr& e) {
        auto base = of(*e.args[0]), stride = of(*e.args[1]);
        if (!base || !stride || base->empty() || stride->empty())
            return std::nullopt;
        auto reach = multiply(*stride, {0, e.lanes - 1});
        return WideInterval{base->least + reach.least, base->greatest + reach.greatest};
    }

    const RangeOf& variables_;
    const LoadRangeOf& loads_;
    // Let names are unique, so a shared node means the same wherever it stands: one result per
    // node.
    std::unordered_map<const Expr*, Interval> memo_;
    std::unordered_map<const Expr*, FloatRange> float_memo_;
    std::unordered_map<std::string, Interval> lets_;
    std::unordered_map<std::string, FloatRange> floats_;
};

} // namespace

Interval hull(const Interval& a, const Interval& b) {
    if (a.empty())
        return b;
    if (b.empty())
        return a;
    return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

std::optional<Interval> range_of(const ExprPtr& e, const RangeOf& variables,
                                 const LoadRangeOf& loads) {
    return RangeFinder(variables, loads).of(*e);
}

std::optional<Interval> float_range_of(const ExprPtr& e, const RangeOf& variables,
                                       const LoadRangeOf& loads) {
    return RangeFinder(variables, loads).whole(*e);
}

} // namespace loopscope
