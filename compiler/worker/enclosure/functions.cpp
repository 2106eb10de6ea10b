#include "compiler/worker/enclosure/functions.h"

#include "compiler/run/float_values.h"
#include "compiler/worker/enclosure/terms.h"
#include "core/ir/functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope::worker {

namespace {

ExprPtr smaller(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Min, a, b); }
ExprPtr greater(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Max, a, b); }

// f16 and bf16 evaluate the function of f32.
ScalarType evaluated_in(ScalarType type) { return type == kWide ? kWide : ScalarType::F32; }

class Called {
public:
    Called(const std::string& function, bool approximated, const std::vector<Enclosure>& arguments)
        : reference_(function), arguments_(arguments), type_(arguments.front().low->type) {
        const auto fast = approximation_of(function);
        base_ = fast.substr(fast.find('_') + 1);
        scheduled_ = approximated ? fast : function;
        approximates_ = scheduled_ == fast;
        // One unit more for rounding the ends to the type.
        error_ = (prelude_error_ulp(reference_, type_) + prelude_error_ulp(scheduled_, type_) + 2) *
                 unit_roundoff(type_);
        least_normal_ = least_normal(type_);
    }

    Enclosure enclose() const {
        if (reference_ == scheduled_ && all_exact(arguments_))
            return exactly(at({arguments_.front().low, arguments_.back().low}));
        auto possible = base_ == "sin" || base_ == "cos" ? of_wave() : of_monotone();
        if (approximates_)
            possible = choose(declared(), possible, anything(type_));
        if (reference_ != scheduled_)
            return possible;
        // The sign of a certain 0 is not known: it is treated as an interval.
        auto certain = constant_bool(true);
        for (const auto& argument : arguments_)
            if (!argument.exact())
                certain = both(certain,
                               both(is_certain(argument),
                                    binary(Op::NotEqual, argument.low, constant_float(type_, 0))));
        return choose(certain, exactly(at({arguments_.front().low, arguments_.back().low})),
                      possible);
    }

private:
    ExprPtr at(std::vector<ExprPtr> arguments) const {
        arguments.resize(static_cast<std::size_t>(prelude_parameters(reference_)));
        return call(reference_, std::move(arguments));
    }

    Enclosure between() const {
        const auto& x = arguments_.front();
        if (base_ == "pow")
            return between_powers();
        auto low = cast(kWide, at({x.low})), high = x.exact() ? low : cast(kWide, at({x.high}));
        if (base_ != "rsqrt")
            return {low, high};
        // The value at 0 is infinite, with the zero's sign, which is not known.
        auto positive = binary(Op::Greater, x.low, constant_float(type_, 0));
        return choose(positive, {high, low}, anything(kWide));
    }

    // The base above 0 and no infinity, of which a 0 may make a NaN: else nothing is known.
    Enclosure between_powers() const {
        const auto &x = arguments_[0], &y = arguments_[1];
        Enclosure all;
        for (const auto& a : {x.low, x.high})
            for (const auto& b : {y.low, y.high}) {
                auto power = cast(kWide, at({a, b}));
                all = all.low ? Enclosure{smaller(all.low, power), greater(all.high, power)}
                              : exactly(power);
            }
        auto fits = binary(Op::Greater, x.low, constant_float(type_, 0));
        for (const auto& argument : arguments_)
            fits = both(fits, binary(Op::Less, cast(kWide, greatest_magnitude(argument)),
                                     number(std::numeric_limits<double>::infinity())));
        return choose(fits, all, anything(kWide));
    }

    // Results that are no normal numbers have an absolute error instead: that of the least normal
    // one, of which u are half a denormal, so that 64 are 32 of these for two errors of 4 u at
    // most, their roundings and the type's. An approximation may make 0 of them: off by a least
    // normal number, twice.
    Enclosure of_monotone() const {
        auto ends = between();
        auto tiny =
            number(approximates_ ? 2 * least_normal_ : 64 * least_normal_ * unit_roundoff(type_));
        auto margin = [&](const ExprPtr& end) {
            return add(multiply(unary(Op::Abs, end), number(error_)), tiny);
        };
        auto low = subtract(ends.low, margin(ends.low)), high = add(ends.high, margin(ends.high));
        // What surely overflows is infinite, or so great that it just did not.
        const double infinity = std::numeric_limits<double>::infinity();
        const double great =
            std::min(overflow_threshold(type_), std::numeric_limits<double>::max()) * (1 - error_);
        low = select(binary(Op::Equal, ends.low, number(infinity)), number(great), low);
        high = select(binary(Op::Equal, ends.high, number(-infinity)), number(-great), high);
        return {cast(type_, low), cast(type_, high)};
    }

    Enclosure of_wave() const {
        const auto& x = arguments_.front();
        auto low = cast(kWide, at({x.low})), high = cast(kWide, at({x.high}));
        auto half = multiply(subtract(cast(kWide, x.high), cast(kWide, x.low)), number(0.5));
        auto margin = add(half, number(error_));
        auto end = 1 + error_;
        return {cast(type_, greater(subtract(smaller(low, high), margin), number(-end))),
                cast(type_, smaller(add(greater(low, high), margin), number(end)))};
    }

    // Is the approximation's error declared for all these arguments?
    ExprPtr declared() const {
        const auto inner = evaluated_in(type_);
        const double greatest_exponent = inner == kWide ? 1022 : 126;
        auto x = arguments_.front();
        auto low = cast(kWide, x.low), high = cast(kWide, x.high);
        auto is_normal = binary(Op::GreaterEqual, low, number(least_normal(inner)));
        if (base_ == "sin" || base_ == "cos")
            return both(binary(Op::GreaterEqual, low, number(-1e4)),
                        binary(Op::LessEqual, high, number(1e4)));
        if (base_ == "log" || base_ == "rsqrt")
            return is_normal;
        if (base_ == "exp")
            return binary(Op::Less, high, number((greatest_exponent + 1) * std::log(2.0)));
        if (base_ != "pow")
            return constant_bool(true);
        auto ends = between_powers();
        return both(
            is_normal,
            both(binary(Op::Greater, ends.low, number(std::ldexp(1, -int(greatest_exponent)))),
                 binary(Op::Less, ends.high, number(std::ldexp(1, int(greatest_exponent))))));
    }

    const std::string reference_;
    std::string base_, scheduled_;
    const std::vector<Enclosure>& arguments_;
    const ScalarType type_;
    bool approximates_ = false;
    double error_ = 0, least_normal_ = 0;
};

} // namespace

Enclosure enclose_call(const std::string& function, bool approximated,
                       const std::vector<Enclosure>& arguments) {
    return Called(function, approximated, arguments).enclose();
}

} // namespace loopscope::worker
