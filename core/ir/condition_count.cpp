#include "core/ir/condition_count.h"

#include "core/base/integer_division.h"
#include "core/ir/axis_form.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace loopscope {

namespace {

constexpr double kMaxCases = 65536;

double times_of(const AxisValues& axis, std::int64_t value) {
    return axis.times.empty() ? 1 : axis.times[static_cast<std::size_t>(value - axis.range.least)];
}

// The values of floor(axis / divisor).
AxisValues quotients(const AxisValues& axis, std::int64_t divisor) {
    AxisValues out{axis.name,
                   {floor_div(axis.range.least, divisor), floor_div(axis.range.greatest, divisor)},
                   {}};
    out.times.assign(static_cast<std::size_t>(out.range.extent()), 0);
    for (auto q = out.range.least; q <= out.range.greatest; ++q) {
        auto& times = out.times[static_cast<std::size_t>(q - out.range.least)];
        auto first = std::max(axis.range.least, q * divisor),
             last = std::min(axis.range.greatest, q * divisor + divisor - 1);
        if (axis.times.empty())
            times = static_cast<double>(last - first + 1);
        else
            for (auto x = first; x <= last; ++x)
                times += times_of(axis, x);
    }
    return out;
}

// The one constant by which a condition divides each of its axes, wherever that stands; 1 for an
// axis by itself. Axes that occur in several ways are 0.
std::map<std::string, std::int64_t> divisors(const ExprPtr& condition) {
    std::map<std::string, std::int64_t> out;
    auto found = [&](const std::string& name, std::int64_t divisor) {
        auto [at, first] = out.emplace(name, divisor);
        if (!first && at->second != divisor)
            at->second = 0;
    };
    visit(condition, [&](const Expr& e) {
        std::int64_t divisor = 0;
        if (e.kind == ExprKind::Binary && e.op == Op::Divide &&
            e.args[0]->kind == ExprKind::Variable && constant_value(e.args[1], divisor) &&
            divisor > 1) {
            found(e.args[0]->name, divisor);
            return false;
        }
        if (e.kind == ExprKind::Variable)
            found(e.name, 1);
        return true;
    });
    return out;
}

// A conjunction of affine comparisons, each as a form that is at least zero.
class Conjunction {
public:
    explicit Conjunction(std::vector<AxisValues> axes, const std::vector<std::int64_t>& divisors)
        : axes_(std::move(axes)) {
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            if (divisors[i] > 1)
                axes_[i] = quotients(axes_[i], divisors[i]);
            forms_.push_back(
                {axes_[i].name, axes_[i].range, std::max<std::int64_t>(divisors[i], 1)});
        }
    }

    // False when `e` is no such conjunction.
    bool add(const ExprPtr& e) {
        if (e->kind == ExprKind::Constant) {
            if (!e->bits)
                constraints_.push_back({std::vector<std::int64_t>(axes_.size(), 0), -1});
            return true;
        }
        if (e->kind != ExprKind::Binary)
            return false;
        if (e->op == Op::LogicalAnd)
            return add(e->args[0]) && add(e->args[1]);
        auto left = axis_form(e->args[0], forms_), right = axis_form(e->args[1], forms_);
        if (!left || !right)
            return false;
        const auto &a = *left, &b = *right;
        switch (e->op) {
        case Op::Less: return at_least(b, a, 1);
        case Op::LessEqual: return at_least(b, a, 0);
        case Op::Greater: return at_least(a, b, 1);
        case Op::GreaterEqual: return at_least(a, b, 0);
        case Op::Equal: return at_least(a, b, 0) && at_least(b, a, 0);
        default: return false;
        }
    }

    std::optional<double> count() const {
        std::vector<std::size_t> involved;
        double free = 1;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            bool used = std::any_of(constraints_.begin(), constraints_.end(),
                                    [&](const AxisForm& c) { return c.a[i] != 0; });
            if (used)
                involved.push_back(i);
            else
                free *= axes_[i].count();
        }
        if (free == 0)
            return 0;
        if (involved.empty())
            return feasible() ? free : 0;
        // The longest axis is solved, the others are enumerated.
        std::stable_sort(involved.begin(), involved.end(), [&](auto x, auto y) {
            return axes_[x].range.extent() < axes_[y].range.extent();
        });
        double cases = 1;
        for (std::size_t i = 0; i + 1 < involved.size(); ++i)
            cases *= static_cast<double>(axes_[involved[i]].range.extent());
        if (cases > kMaxCases)
            return std::nullopt;
        std::vector<std::int64_t> rest;
        for (const auto& c : constraints_)
            rest.push_back(c.constant);
        const auto& solved = axes_[involved.back()].times;
        std::vector<double> sums(solved.empty() ? 0 : solved.size() + 1, 0);
        if (!solved.empty())
            std::partial_sum(solved.begin(), solved.end(), sums.begin() + 1);
        return free * enumerate(involved, 0, rest, sums);
    }

private:
    bool feasible() const {
        return std::all_of(constraints_.begin(), constraints_.end(),
                           [](const AxisForm& c) { return c.constant >= 0; });
    }

    // `rest`: of each constraint, with the axes before `at` put in. `sums`: how often the solved
    // axis takes its first n values.
    double enumerate(const std::vector<std::size_t>& involved, std::size_t at,
                     const std::vector<std::int64_t>& rest, const std::vector<double>& sums) const {
        auto axis = involved[at];
        const auto& range = axes_[axis].range;
        if (at + 1 == involved.size()) {
            auto solution = solve(axis, rest);
            if (solution.empty())
                return 0;
            if (sums.empty())
                return static_cast<double>(solution.extent());
            return sums[static_cast<std::size_t>(solution.greatest - range.least) + 1] -
                   sums[static_cast<std::size_t>(solution.least - range.least)];
        }
        double sum = 0;
        std::vector<std::int64_t> next(rest.size());
        for (auto x = range.least; x <= range.greatest; ++x) {
            double times = times_of(axes_[axis], x);
            if (times == 0)
                continue;
            for (std::size_t c = 0; c < rest.size(); ++c)
                next[c] = rest[c] + constraints_[c].a[axis] * x;
            sum += times * enumerate(involved, at + 1, next, sums);
        }
        return sum;
    }

    Interval solve(std::size_t axis, const std::vector<std::int64_t>& rest) const {
        auto solution = axes_[axis].range;
        for (std::size_t c = 0; c < constraints_.size(); ++c) {
            auto a = constraints_[c].a[axis];
            if (a == 0 && rest[c] < 0)
                return {};
            if (a > 0) // x >= ceil(-rest / a)
                solution.least = std::max(solution.least, -floor_div(rest[c], a));
            else if (a < 0) // x <= floor(rest / -a)
                solution.greatest = std::min(solution.greatest, floor_div(rest[c], -a));
        }
        return solution;
    }

    bool at_least(const AxisForm& a, const AxisForm& b, std::int64_t by) {
        AxisForm c = a;
        for (std::size_t i = 0; i < c.a.size(); ++i)
            c.a[i] -= b.a[i];
        c.constant -= b.constant + by;
        constraints_.push_back(std::move(c));
        return true;
    }

    std::vector<AxisValues> axes_; // divided
    std::vector<Axis> forms_;      // the same, as forms name them
    std::vector<AxisForm> constraints_;
};

using Assignment = std::vector<std::pair<const std::string*, std::int64_t>>;

// The value of an integer or bool expression of the axes; nullopt: it reads data, uses floats, or
// leaves 32 bits.
std::optional<std::int64_t> evaluate(const ExprPtr& e, const Assignment& at) {
    if (is_float(e->type) || bits(e->type) > 32 || is_unsigned(e->type))
        return std::nullopt;
    std::int64_t value = 0;
    if (constant_value(e, value))
        return value;
    if (e->kind == ExprKind::Variable) {
        for (const auto& [name, assigned] : at)
            if (*name == e->name)
                return assigned;
        return std::nullopt;
    }
    if (e->kind != ExprKind::Unary && e->kind != ExprKind::Binary)
        return std::nullopt;
    auto a = evaluate(e->args[0], at);
    if (!a)
        return std::nullopt;
    auto fits = [](std::int64_t v) -> std::optional<std::int64_t> {
        return v >= INT32_MIN && v <= INT32_MAX ? std::optional(v) : std::nullopt;
    };
    if (e->kind == ExprKind::Unary) {
        if (e->op == Op::Negate)
            return fits(-*a);
        if (e->op == Op::LogicalNot)
            return !*a;
        return std::nullopt;
    }
    auto b = evaluate(e->args[1], at);
    if (!b)
        return std::nullopt;
    auto floor = [](std::int64_t x, std::int64_t y) {
        return x / y - (x % y != 0 && (x < 0) != (y < 0));
    };
    switch (e->op) {
    case Op::Add: return fits(*a + *b);
    case Op::Subtract: return fits(*a - *b);
    case Op::Multiply: return fits(*a * *b);
    case Op::Divide: return fits(*b ? floor(*a, *b) : 0);
    case Op::Modulo: return *b ? *a - *b * floor(*a, *b) : 0;
    case Op::Min: return std::min(*a, *b);
    case Op::Max: return std::max(*a, *b);
    case Op::Less: return *a < *b;
    case Op::LessEqual: return *a <= *b;
    case Op::Greater: return *a > *b;
    case Op::GreaterEqual: return *a >= *b;
    case Op::Equal: return *a == *b;
    case Op::NotEqual: return *a != *b;
    case Op::LogicalAnd: return *a && *b;
    case Op::LogicalOr: return *a || *b;
    default: return std::nullopt;
    }
}

// A condition of any form: every combination of the axes that it names.
std::optional<double> enumerate(const ExprPtr& condition, const std::vector<AxisValues>& axes,
                                const std::map<std::string, std::int64_t>& named) {
    std::vector<const AxisValues*> involved;
    double others = 1, cases = 1;
    for (const auto& axis : axes)
        if (named.count(axis.name)) {
            involved.push_back(&axis);
            cases *= static_cast<double>(axis.range.extent());
        } else {
            others *= axis.count();
        }
    if (cases > kMaxCases)
        return std::nullopt;
    Assignment at;
    for (const auto* axis : involved)
        at.emplace_back(&axis->name, 0);
    double holds = 0;
    bool known = true;
    std::function<void(std::size_t, double)> step = [&](std::size_t i, double times) {
        if (i == involved.size()) {
            auto value = evaluate(condition, at);
            known = known && value.has_value();
            holds += value && *value ? times : 0;
            return;
        }
        for (auto x = involved[i]->range.least; x <= involved[i]->range.greatest && known; ++x)
            if (double each = times_of(*involved[i], x); each != 0) {
                at[i].second = x;
                step(i + 1, times * each);
            }
    };
    step(0, 1);
    return known ? std::optional(holds * others) : std::nullopt;
}

} // namespace

double AxisValues::count() const {
    return times.empty() ? static_cast<double>(range.extent())
                         : std::accumulate(times.begin(), times.end(), 0.0);
}

std::optional<double> count_where(const ExprPtr& condition, const std::vector<AxisValues>& axes) {
    auto named = divisors(condition);
    bool one_way = true;
    std::vector<std::int64_t> by;
    for (const auto& axis : axes) {
        auto at = named.find(axis.name);
        by.push_back(at == named.end() ? 1 : at->second);
        double quotients = static_cast<double>(axis.range.extent()) /
                           static_cast<double>(std::max<std::int64_t>(by.back(), 1));
        one_way = one_way && by.back() > 0 && (by.back() == 1 || quotients <= kMaxCases);
    }
    if (one_way) {
        Conjunction conjunction(axes, by);
        if (conjunction.add(condition))
            return conjunction.count();
    }
    return enumerate(condition, axes, named);
}

} // namespace loopscope
