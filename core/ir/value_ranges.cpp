#include "core/ir/value_ranges.h"

#include "core/ir/float_range.h"
#include "core/ir/limits.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

using Wide = __int128;

// The interval if it stays in the type and within 62 bits.
std::optional<Interval> fitting(Wide least_value, Wide greatest_value, ScalarType type) {
    bool fits = least_value >= std::max<Wide>(least(type), -kMaxInRange) &&
                greatest_value <= std::min<Wide>(greatest(type), kMaxInRange);
    if (!fits)
        return std::nullopt;
    return Interval{static_cast<std::int64_t>(least_value),
                    static_cast<std::int64_t>(greatest_value)};
}

std::optional<Interval> type_range(ScalarType type) {
    if (is_float(type) || (!is_bool(type) && bits(type) > 16))
        return std::nullopt;
    return Interval{least(type), greatest(type)};
}

// How often a definition's axes run in all; saturates at the limit.
Wide iterations(const Definition& d) {
    Wide count = 1;
    for (const auto& axis : d.axes)
        count = std::min<Wide>(count * axis.extent().hint(), kMaxInRange);
    return count;
}

// The range of what is added by up to `count` terms, none or some of them missing.
std::pair<Wide, Wide> accumulated(const Interval& term, Wide count) {
    return {std::min<Wide>(0, term.least * count), std::max<Wide>(0, term.greatest * count)};
}

} // namespace

std::optional<Interval> ValueRanges::of(const std::string& stage, int component) {
    Key key{pipeline_.index_of(stage), component};
    if (key.stage < 0)
        return std::nullopt;
    if (auto found = known_.find(key); found != known_.end())
        return found->second;
    // Stages stand in topological order: computing what is reached in that order needs no
    // recursion, however long the chain of stages is.
    for (const auto& needed : needed_by(key))
        if (!known_.count(needed))
            known_.emplace(needed, compute(needed));
    return known_.at(key);
}

const Stage& ValueRanges::source(const Key& key) const {
    const auto& stage = pipeline_.stages[static_cast<std::size_t>(key.stage)];
    return stage.original ? *stage.original : stage;
}

std::vector<ValueRanges::Key> ValueRanges::needed_by(const Key& key) const {
    std::set<Key> reached{key};
    std::vector<Key> open{key};
    while (!open.empty()) {
        const auto current = open.back();
        open.pop_back();
        for (const auto& d : source(current).definitions)
            visit(d.values[static_cast<std::size_t>(current.component)], [&](const Expr& e) {
                if (e.kind == ExprKind::Load)
                    if (Key next{pipeline_.index_of(e.name), e.component};
                        next.stage >= 0 && !known_.count(next) && reached.insert(next).second)
                        open.push_back(next);
                return e.kind != ExprKind::Load; // a value does not depend on where it is read
            });
    }
    return {reached.begin(), reached.end()};
}

std::optional<Interval> ValueRanges::known(const Key& key) const {
    auto found = known_.find(key);
    // a stage's reads of itself: anything
    return found == known_.end() ? std::nullopt : found->second;
}

std::optional<Interval> ValueRanges::compute(const Key& key) const {
    const auto& stage = source(key);
    auto type = stage.types[static_cast<std::size_t>(key.component)];
    if (stage.is_input)
        return type_range(type);
    const bool floats = is_float(type);
    auto loads = [&](const std::string& name, int component) {
        return known({pipeline_.index_of(name), component});
    };
    std::optional<Interval> range;
    for (const auto& d : stage.definitions) {
        RangeOf variables = [&](const std::string& name) -> std::optional<Interval> {
            for (const auto& axis : d.axes)
                if (axis.name == name)
                    return Interval{axis.begin.hint(), axis.end.hint() - 1};
            for (const auto& symbol : pipeline_.symbols)
                if (symbol.name == name)
                    return Interval{symbol.hint, symbol.hint};
            return std::nullopt;
        };
        const auto& e = d.values[static_cast<std::size_t>(key.component)];
        auto value = floats ? float_range_of(e, variables, loads) : range_of(e, variables, loads);
        if (d.kind == DefinitionKind::Pure) {
            range = value;
        } else if (d.kind == DefinitionKind::Reduction) {
            range = value ? after_reduction(d, key.component, *value, type) : std::nullopt;
        } else if (d.update == UpdateOp::Add && range && value && !floats) {
            auto [low, high] = accumulated(*value, iterations(d));
            range = fitting(range->least + low, range->greatest + high, type);
        } else if (d.update == UpdateOp::Add || d.update == UpdateOp::Multiply || !range ||
                   !value) {
            range = std::nullopt;
        } else {
            range = hull(*range, *value); // =, max=, min= keep one of the two
        }
        if (!range)
            range = type_range(type);
    }
    return range;
}

std::optional<Interval> ValueRanges::after_reduction(const Definition& d, int component,
                                                     const Interval& term, ScalarType type) const {
    auto count = iterations(d);
    auto whole = [](std::int64_t value) { return Interval{value, value}; };
    std::int64_t identity = 0;
    auto identities = reduction_identity(d.reduction, {type}); // of a pair, the rank's is of i32
    bool known_identity = constant_value(identities[static_cast<std::size_t>(component)], identity);
    bool always = count > 0 && !d.condition;
    switch (d.reduction) {
    case ReductionOp::Sum: {
        if (is_float(type)) // rounded at each step, in any order
            return std::nullopt;
        if (always)
            return fitting(term.least * count, term.greatest * count, type);
        auto [low, high] = accumulated(term, count);
        return fitting(low, high, type);
    }
    case ReductionOp::Product: return std::nullopt;
    case ReductionOp::Any:
    case ReductionOp::All: return Interval{0, 1};
    case ReductionOp::Min:
    case ReductionOp::Max:
    case ReductionOp::ArgMin:
    case ReductionOp::ArgMax: break;
    }
    // Some term, or its rank, and where there may be none the identity.
    if (always)
        return term;
    return known_identity ? std::optional(hull(term, whole(identity))) : std::nullopt;
}

} // namespace loopscope
