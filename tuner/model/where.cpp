#include "tuner/model/where.h"

#include "core/ir/condition_count.h"
#include "core/ir/cost.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace loopscope::model {

namespace {

// Ways of the loops outside that are looked at, and as many where they move several axes of the
// condition at once and each is counted by itself.
constexpr double kMaxWays = 65536, kMaxWaysTogether = 4096;

// An axis named by the condition whose range moves with loops around the stage.
struct Moving {
    std::size_t axis;
    Form min;
    std::int64_t extent;
    std::uint64_t depths;
};

// The loops at the depths given run over all their values; `body` gets them by depth, and ends it
// by false.
bool run_loops(std::uint64_t depths, const std::vector<double>& trips,
               const std::function<bool(const std::vector<std::int64_t>&)>& body) {
    std::vector<std::int64_t> at(trips.size(), 0);
    while (true) {
        if (!body(at))
            return false;
        std::size_t d = trips.size();
        while (d-- > 0) {
            if (!(depths & (std::uint64_t{1} << d)))
                continue;
            if (++at[d] < static_cast<std::int64_t>(trips[d]))
                break;
            at[d] = 0;
        }
        if (d >= trips.size())
            return true;
    }
}

double ways(std::uint64_t depths, const std::vector<double>& trips) {
    double product = 1;
    for (std::size_t d = 0; d < trips.size(); ++d)
        product *= depths & (std::uint64_t{1} << d) ? trips[d] : 1;
    return product;
}

// All values that the axis takes while the loops outside run.
bool spread_out(const FormTable& forms, const Moving& moving, const std::vector<double>& trips,
                AxisValues& values) {
    auto starts = forms.range(moving.min);
    values.range = {starts.least, starts.greatest + moving.extent - 1};
    if (ways(moving.depths, trips) > kMaxWays ||
        static_cast<double>(values.range.extent()) > kMaxWays)
        return false;
    // Where ranges begin and end; their sums are how many ranges a value lies in.
    values.times.assign(static_cast<std::size_t>(values.range.extent()) + 1, 0);
    bool known = run_loops(moving.depths, trips, [&](const auto& loops) {
        auto min = forms.value(moving.min, loops);
        if (min) {
            values.times[static_cast<std::size_t>(*min - starts.least)] += 1;
            values.times[static_cast<std::size_t>(*min + moving.extent - starts.least)] -= 1;
        }
        return min.has_value();
    });
    std::partial_sum(values.times.begin(), values.times.end(), values.times.begin());
    values.times.pop_back();
    return known;
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
            // inside without help
            if (range && range->least >= 0 && range->greatest < input->extents[d].hint())
                continue;
            if (compute_.vectorized)
                exact = false;
            double times = 1;
            switch (input->boundary.kind) {
            case BoundaryKind::Zero:
            case BoundaryKind::Constant: times = 3; break;
            case BoundaryKind::Mirror: times = 2; break;
            case BoundaryKind::Reflect: times = input->extents[d].hint() == 1 ? 0 : 2; break;
            default: break;
            }
            // the test before the vector evaluates it up to four times
            if (compute_.vectorized)
                times = std::max(times, 1.0) + 4;
            more += each * (times - 1);
        }
        return more;
    }

    const ScheduleTree& tree_;
    const ComputeInfo& compute_;
};

} // namespace

WherePoints where_holds(const FormTable& forms, const Stage& stage, const Definition& definition,
                        const std::vector<Form>& mins, const std::vector<std::int64_t>& computed,
                        const std::vector<double>& trips) {
    std::vector<AxisValues> axes;
    std::vector<Moving> moving;
    WherePoints out;
    out.points = 1;
    std::uint64_t depths = 0;
    bool together = false; // a loop moves several axes: they are not independent
    for (const auto& v : definition.free) {
        const auto& min = mins[stage.dimension_of(v)];
        auto extent = computed[axes.size()];
        if (!min.terms.empty() && uses_variable(definition.condition, v)) {
            moving.push_back({axes.size(), min, extent, forms.depths(min)});
            together = together || (depths & moving.back().depths);
            depths |= moving.back().depths;
        }
        axes.push_back({v, {min.constant, min.constant + extent - 1}, {}});
        out.points *= static_cast<double>(extent);
    }
    for (const auto& axis : definition.axes) {
        axes.push_back(
            {axis.name, {axis.begin.hint(), axis.begin.hint() + axis.extent().hint() - 1}, {}});
        out.points *= static_cast<double>(axis.extent().hint());
    }
    out.exact = false;
    const WherePoints all = out;
    bool numbered = trips.size() < 63 && !(depths >> trips.size());
    if (!numbered || (together && ways(depths, trips) > kMaxWaysTogether))
        return all;
    out.executions = ways(depths, trips);
    out.points = 0;
    out.exact = true;
    if (!together) {
        for (const auto& m : moving)
            if (!spread_out(forms, m, trips, axes[m.axis]))
                return all;
        auto points = count_where(definition.condition, axes);
        out.points = points.value_or(0);
        return points ? out : all;
    }
    bool known = run_loops(depths, trips, [&](const auto& loops) {
        for (const auto& m : moving) {
            auto min = forms.value(m.min, loops);
            if (!min)
                return false;
            axes[m.axis].range = {*min, *min + m.extent - 1};
        }
        auto points = count_where(definition.condition, axes);
        out.points += points.value_or(0);
        return points.has_value();
    });
    return known ? out : all;
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

// An fma replaces the term's product: one more operation, as an addition would be. argmin and
// argmax compare.
double step_flops(const Stage& stage, const Definition& definition) {
    if (definition.kind == DefinitionKind::Reduction && is_arg(definition.reduction))
        return 0;
    return static_cast<double>(std::count_if(stage.types.begin(), stage.types.end(), is_float));
}

namespace {

// As cost_of counts: a node as often as it occurs in the text, and the value of a let once.
double integer_operations(const ExprPtr& e, std::map<const Expr*, double>& known) {
    if (!e || e->kind == ExprKind::Load)
        return 0;
    if (const auto found = known.find(e.get()); found != known.end())
        return found->second;
    double all = static_cast<double>(cost_of_node(*e).integer_operations);
    for (const auto& argument : e->args)
        all += integer_operations(argument, known);
    return known[e.get()] = all;
}

} // namespace

double point_integer_operations(const Stage& stage, const Definition& definition,
                                ComputeRole role) {
    if (role == ComputeRole::Init)
        return 0;
    double all = 0;
    std::map<const Expr*, double> known;
    for (const auto& value : definition.values)
        all += integer_operations(value, known);
    const bool combines = role == ComputeRole::Step ||
                          (role == ComputeRole::Update && definition.update != UpdateOp::Assign);
    if (combines && !(definition.kind == DefinitionKind::Reduction && is_arg(definition.reduction)))
        all += static_cast<double>(
            std::count_if(stage.types.begin(), stage.types.end(),
                          [](ScalarType t) { return !is_float(t) && t != ScalarType::Bool; }));
    return all;
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
