#include "tuner/model/where.h"

#include "core/ir/cost.h"
#include "tuner/model/axis_form.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace loopscope::model {

namespace {

constexpr double kMaxCases = 65536;

using Constraint = AxisForm; // at least zero

class Conditions {
public:
    explicit Conditions(std::vector<Axis> axes) : axes_(std::move(axes)) {}

    // Solves `e` as a conjunction of affine comparisons; false when it is none.
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
        auto left = axis_form(e->args[0], axes_), right = axis_form(e->args[1], axes_);
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

    // Points of the box of all axes at which every constraint holds; nullopt: too many cases.
    std::optional<double> count() const {
        std::vector<std::size_t> involved;
        double free = 1;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            bool used = std::any_of(constraints_.begin(), constraints_.end(),
                                    [&](const Constraint& c) { return c.a[i] != 0; });
            if (used)
                involved.push_back(i);
            else
                free *= static_cast<double>(axes_[i].range.extent());
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
        return free * enumerate(involved, 0, rest);
    }

private:
    bool feasible() const {
        return std::all_of(constraints_.begin(), constraints_.end(),
                           [](const Constraint& c) { return c.constant >= 0; });
    }

    double enumerate(const std::vector<std::size_t>& involved, std::size_t at,
                     const std::vector<std::int64_t>& rest) const {
        auto axis = involved[at];
        const auto& range = axes_[axis].range;
        if (at + 1 == involved.size()) {
            std::int64_t low = range.least, high = range.greatest;
            for (std::size_t c = 0; c < constraints_.size(); ++c) {
                auto a = constraints_[c].a[axis];
                auto r = rest[c];
                auto floor = [](std::int64_t x, std::int64_t y) {
                    return x >= 0 ? x / y : -((-x + y - 1) / y);
                };
                if (a == 0) {
                    if (r < 0)
                        return 0;
                } else if (a > 0) { // x >= ceil(-r / a)
                    low = std::max(low, -floor(r, a));
                } else { // x <= floor(r / -a)
                    high = std::min(high, floor(r, -a));
                }
            }
            return high < low ? 0 : static_cast<double>(high - low + 1);
        }
        double sum = 0;
        std::vector<std::int64_t> next(rest.size());
        for (auto x = range.least; x <= range.greatest; ++x) {
            for (std::size_t c = 0; c < rest.size(); ++c)
                next[c] = rest[c] + constraints_[c].a[axis] * x;
            sum += enumerate(involved, at + 1, next);
        }
        return sum;
    }

    bool at_least(const Constraint& a, const Constraint& b, std::int64_t by) {
        Constraint c = a;
        for (std::size_t i = 0; i < c.a.size(); ++i)
            c.a[i] -= b.a[i];
        c.constant -= b.constant + by;
        constraints_.push_back(std::move(c));
        return true;
    }

    std::vector<Axis> axes_;
    std::vector<Constraint> constraints_;
};

// The value of an integer or bool expression of the axes; nullopt: it reads data, uses floats, or
// leaves 32 bits.
std::optional<std::int64_t> evaluate(const ExprPtr& e,
                                     const std::unordered_map<std::string, std::int64_t>& at) {
    if (is_float(e->type) || bits(e->type) > 32 || is_unsigned(e->type))
        return std::nullopt;
    std::int64_t value = 0;
    if (constant_value(e, value))
        return value;
    if (e->kind == ExprKind::Variable) {
        auto it = at.find(e->name);
        return it == at.end() ? std::nullopt : std::optional(it->second);
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

// Points at which a condition of any form holds, by looking at every combination of the axes that
// it names.
std::optional<double> enumerate(const ExprPtr& condition, const std::vector<Axis>& axes) {
    std::vector<const Axis*> involved;
    double others = 1, cases = 1;
    for (const auto& axis : axes) {
        bool used = false;
        visit(condition, [&](const Expr& node) {
            used = used || (node.kind == ExprKind::Variable && node.name == axis.name);
            return !used;
        });
        if (used)
            involved.push_back(&axis);
        (used ? cases : others) *= static_cast<double>(axis.range.extent());
    }
    if (cases > kMaxCases)
        return std::nullopt;
    std::unordered_map<std::string, std::int64_t> at;
    double holds = 0;
    bool known = true;
    std::function<void(std::size_t)> step = [&](std::size_t i) {
        if (!known)
            return;
        if (i == involved.size()) {
            auto value = evaluate(condition, at);
            known = known && value.has_value();
            holds += value && *value ? 1 : 0;
            return;
        }
        for (auto x = involved[i]->range.least; x <= involved[i]->range.greatest && known; ++x) {
            at[involved[i]->name] = x;
            step(i + 1);
        }
    };
    step(0);
    return known ? std::optional(holds * others) : std::nullopt;
}

bool names(const ExprPtr& e, const std::string& name) {
    bool found = false;
    visit(e, [&](const Expr& node) {
        found = found || (node.kind == ExprKind::Variable && node.name == name);
        return !found;
    });
    return found;
}

class FlopCounter {
public:
    FlopCounter(const ScheduleTree& tree, const ComputeInfo& compute)
        : tree_(tree), compute_(compute) {}

    double of(const ExprPtr& e) {
        double all = static_cast<double>(cost_of(e).flops);
        if (all == 0)
            return 0;
        visit(e, [&](const Expr& node) {
            if (node.kind == ExprKind::Load)
                all += repeated(node);
            return true;
        });
        return all;
    }

    bool exact = true;

private:
    // The evaluations of float operations in an input's indices that its boundary adds to the one
    // that stands there.
    double repeated(const Expr& load) {
        const Stage* input = tree_.derived->find(load.name);
        if (!input || !input->is_input || input->boundary.kind == BoundaryKind::None)
            return 0;
        double more = 0;
        for (std::size_t d = 0; d < load.args.size(); ++d) {
            double each = of(load.args[d]);
            if (each == 0)
                continue;
            auto range = range_of(load.args[d], [](const std::string&) { return std::nullopt; });
            if (range && range->least >= 0 && range->greatest < input->extents[d].hint())
                continue; // inside without help
            if (compute_.vectorised)
                exact = false;
            double times = 1;
            switch (input->boundary.kind) {
            case BoundaryKind::Zero:
            case BoundaryKind::Constant: times = 3; break;
            case BoundaryKind::Mirror: times = 2; break;
            case BoundaryKind::Reflect: times = input->extents[d].hint() == 1 ? 0 : 2; break;
            default: break;
            }
            if (compute_.vectorised)
                times = std::max(times, 1.0) +
                        4; // the test before the vector evaluates it up to four times
            more += each * (times - 1);
        }
        return more;
    }

    const ScheduleTree& tree_;
    const ComputeInfo& compute_;
};

} // namespace

WherePoints where_holds(const DerivedStage& stage, const Definition& definition,
                        const TreeNode& stage_node, const std::vector<std::int64_t>& computed) {
    std::vector<Axis> axes;
    WherePoints all;
    all.points = 1;
    bool fixed = true;
    for (const auto& v : definition.free) {
        auto d = stage.stage.dimension_of(v);
        auto extent = computed[axes.size()];
        std::int64_t least = 0;
        if (!constant_value(stage_node.region.dimensions[d].min, least))
            fixed = fixed && !names(definition.condition, v);
        axes.push_back({v, {least, least + extent - 1}});
        all.points *= static_cast<double>(extent);
    }
    for (const auto& axis : definition.axes) {
        axes.push_back(
            {axis.name, {axis.begin.hint(), axis.begin.hint() + axis.extent().hint() - 1}});
        all.points *= static_cast<double>(axis.extent().hint());
    }
    all.exact = false;
    if (!fixed)
        return all;
    Conditions conditions(axes);
    std::optional<double> points;
    if (conditions.add(definition.condition))
        points = conditions.count();
    else
        points = enumerate(definition.condition, axes);
    if (!points)
        return all;
    return {*points, true};
}

PointFlops point_flops(const ScheduleTree& tree, const DerivedStage& stage,
                       const ComputeInfo& compute) {
    if (compute.role == ComputeRole::Init)
        return {};
    auto d = static_cast<std::size_t>(compute.definition);
    const auto& definition = stage.stage.definitions[d];
    FlopCounter counter(tree, compute);
    double sum = 0;
    for (const auto& value : definition.values)
        sum += counter.of(value);
    bool reads_old = compute.role == ComputeRole::Step ||
                     (compute.role == ComputeRole::Update && definition.update != UpdateOp::Assign);
    const auto components = static_cast<double>(stage.stage.types.size());
    for (const auto& left : definition.left)
        sum += counter.of(left) * (reads_old ? 2 : 1) * components;
    if (reads_old)
        sum += step_flops(stage.stage, definition);
    return {sum, counter.exact};
}

// An fma replaces the term's product: one more operation, as an addition would be. argmin and argmax compare.
double step_flops(const Stage& stage, const Definition& definition) {
    if (definition.kind == DefinitionKind::Reduction && is_arg(definition.reduction))
        return 0;
    return static_cast<double>(std::count_if(stage.types.begin(), stage.types.end(), is_float));
}

PointFlops condition_flops(const ScheduleTree& tree, const Definition& definition,
                           const ComputeInfo& compute) {
    if (!definition.condition)
        return {};
    FlopCounter counter(tree, compute);
    double sum = counter.of(definition.condition);
    return {sum, counter.exact};
}

} // namespace loopscope::model
