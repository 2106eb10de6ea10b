#include "core/polyhedral/nearest_pair.h"

#include "core/base/index.h"
#include "core/base/integer_division.h"
#include "core/base/magnitude.h"

#include <algorithm>

namespace loopscope::polyhedral {

namespace {

constexpr std::int64_t kMaxIterations = 2048;

struct Iteration {
    std::vector<std::int64_t> axes;  // those that are not free
    std::vector<std::int64_t> loops; // of the nest
    std::vector<Wide> first, second; // what the accesses touch
};

class Enumeration {
public:
    Enumeration(const DependenceQuery& query, const Access& first, const Access& second)
        : query_(query), extents_(loop_extents(query)) {
        const auto& axes = query.accesses.axes;
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (!axes[i].free)
                counted_.push_back(i);
        values_.assign(axes.size(), 0);
        add(0, first, second);
    }

    // In the definition's own order.
    const std::vector<Iteration>& iterations() const { return iterations_; }

private:
    void add(std::size_t depth, const Access& first, const Access& second) {
        if (depth < counted_.size()) {
            const auto& axis = query_.accesses.axes[counted_[depth]];
            for (auto v = axis.begin; v < axis.end; ++v) {
                values_[counted_[depth]] = v;
                add(depth + 1, first, second);
            }
            return;
        }
        for (const auto& condition : query_.accesses.conditions)
            if (value(condition) < 0)
                return;
        Iteration made;
        for (const auto i : counted_)
            made.axes.push_back(values_[i]);
        made.loops = loops();
        for (const auto& index : first.indices)
            made.first.push_back(value(*index));
        for (const auto& index : second.indices)
            made.second.push_back(value(*index));
        iterations_.push_back(std::move(made));
    }

    Wide value(const Affine& form) const {
        Wide sum = form.constant;
        for (const auto& [variable, c] : form.terms) {
            const auto v = index(variable);
            if (v < values_.size()) {
                sum += Wide{c} * values_[v];
            } else {
                const auto& division = query_.accesses.divisions[v - values_.size()];
                sum += c * floor_div(value(division.numerator), Wide{division.divisor});
            }
        }
        return sum;
    }

    std::vector<std::int64_t> loops() const {
        std::vector<std::int64_t> all(index(query_.loop_count), 0);
        for (const auto i : counted_)
            all[i] = values_[i] - query_.accesses.axes[i].begin;
        for (const auto& r : query_.relations) {
            auto& outer = all[index(r.outer)];
            auto& inner = all[index(r.inner)];
            auto& parent = all[index(r.parent)];
            if (r.fuse) {
                parent = outer * extents_[index(r.inner)] + inner;
            } else {
                outer = parent / r.factor;
                inner = parent % r.factor;
            }
        }
        std::vector<std::int64_t> nest;
        for (const auto loop : query_.nest)
            nest.push_back(all[index(loop)]);
        return nest;
    }

    const DependenceQuery& query_;
    std::vector<std::int64_t> extents_;
    std::vector<std::size_t> counted_; // axes that are not free
    std::vector<std::int64_t> values_;
    std::vector<Iteration> iterations_;
};

bool holds(const PairOrder& order, const Iteration& a, const Iteration& b) {
    const auto at = static_cast<std::ptrdiff_t>(order.position);
    return std::equal(a.loops.begin(), a.loops.begin() + at, b.loops.begin()) &&
           (order.greater ? a.loops[order.position] > b.loops[order.position]
                          : a.loops[order.position] != b.loops[order.position]);
}

std::vector<std::int64_t> distance_of(const Iteration& a, const Iteration& b) {
    std::vector<std::int64_t> out{0};
    for (std::size_t i = 0; i < a.axes.size(); ++i) {
        out.push_back(b.axes[i] - a.axes[i]);
        out[0] += static_cast<std::int64_t>(magnitude(out.back()));
    }
    out.insert(out.end(), a.axes.begin(), a.axes.end());
    return out;
}

} // namespace

bool has_few_pairs(const DependenceQuery& query, const Access& first, const Access& second) {
    std::int64_t iterations = 1;
    for (const auto& axis : query.accesses.axes)
        if (!axis.free &&
            (iterations *= std::max<std::int64_t>(1, axis.end - axis.begin)) > kMaxIterations)
            return false;
    auto is_free = [&](const auto& term) {
        return index(term.first) < query.accesses.axes.size() &&
               query.accesses.axes[index(term.first)].free;
    };
    auto any_free = [&](const Affine& form) {
        return std::any_of(form.terms.begin(), form.terms.end(), is_free);
    };
    for (std::size_t d = 0; d < std::min(first.indices.size(), second.indices.size()); ++d)
        for (std::size_t i = 0; i < query.accesses.axes.size(); ++i)
            if (query.accesses.axes[i].free &&
                first.indices[d]->coefficient(static_cast<int>(i)) !=
                    second.indices[d]->coefficient(static_cast<int>(i)))
                return false;
    return std::none_of(query.accesses.conditions.begin(), query.accesses.conditions.end(),
                        any_free) &&
           std::none_of(query.accesses.divisions.begin(), query.accesses.divisions.end(),
                        [&](const auto& division) { return any_free(division.numerator); });
}

std::optional<std::vector<std::int64_t>> nearest_pair(const DependenceQuery& query,
                                                      const Access& first, const Access& second,
                                                      const PairOrder& order) {
    const Enumeration all(query, first, second);
    std::optional<std::vector<std::int64_t>> nearest;
    for (auto a = all.iterations().begin(); a != all.iterations().end(); ++a)
        for (auto b = a + 1; b != all.iterations().end(); ++b) {
            if (a->first != b->second || !holds(order, *a, *b))
                continue;
            auto distance = distance_of(*a, *b);
            if (!nearest || distance < *nearest)
                nearest = std::move(distance);
        }
    return nearest;
}

} // namespace loopscope::polyhedral
