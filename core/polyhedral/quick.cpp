#include "core/polyhedral/quick.h"

#include "core/base/index.h"
#include "core/base/integer_division.h"

#include <algorithm>

namespace loopscope::polyhedral {

namespace {

// An axis of more values is left to isl, which knows divisions in general.
constexpr std::int64_t kMaxTabulated = 1 << 12;

// The parts of a form that are not known to be equal, as a function of the one axis that they
// depend on: shifts, masks and casts are sums of divisions, of which no single one tells two values
// apart.
class OfOneAxis {
public:
    OfOneAxis(const Accesses& accesses, int axis) : accesses_(accesses), axis_(axis) {}

    bool depends_on_it_alone(int variable) const {
        const auto axes = static_cast<int>(accesses_.axes.size());
        if (variable < axes)
            return variable == axis_;
        const auto& terms = numerator(variable).terms;
        return std::all_of(terms.begin(), terms.end(),
                           [&](const auto& term) { return depends_on_it_alone(term.first); });
    }

    // Has it another value for each value of the axis?
    bool tells_all_apart(const std::vector<std::pair<int, std::int64_t>>& terms) const {
        const auto& axis = accesses_.axes[static_cast<std::size_t>(axis_)];
        if (axis.end - axis.begin > kMaxTabulated)
            return false;
        std::vector<std::int64_t> values;
        for (auto v = axis.begin; v < axis.end; ++v) {
            std::int64_t sum = 0;
            for (const auto& [variable, c] : terms)
                if (!add(c, value(variable, v), sum))
                    return false;
            values.push_back(sum);
        }
        std::sort(values.begin(), values.end());
        return std::adjacent_find(values.begin(), values.end()) == values.end();
    }

private:
    static bool add(std::int64_t factor, std::optional<std::int64_t> value, std::int64_t& sum) {
        std::int64_t product = 0;
        return value && !__builtin_mul_overflow(factor, *value, &product) &&
               !__builtin_add_overflow(sum, product, &sum);
    }

    const Affine& numerator(int variable) const {
        return accesses_.divisions[static_cast<std::size_t>(variable) - accesses_.axes.size()]
            .numerator;
    }

    std::optional<std::int64_t> value(int variable, std::int64_t axis) const {
        if (variable == axis_)
            return axis;
        auto sum = numerator(variable).constant;
        for (const auto& [inner, c] : numerator(variable).terms)
            if (!add(c, value(inner, axis), sum))
                return std::nullopt;
        return floor_div(
            sum, accesses_.divisions[static_cast<std::size_t>(variable) - accesses_.axes.size()]
                     .divisor);
    }

    const Accesses& accesses_;
    int axis_;
};

// What is known to be equal in the two iterations: axes and divisions, by variable.
class Equalities {
public:
    Equalities(const Accesses& accesses, std::vector<bool> axes)
        : accesses_(accesses), axes_(std::move(axes)) {
        for (std::size_t i = 0; i < accesses.axes.size(); ++i)
            if (accesses.axes[i].free)
                axes_[i] = true;
    }

    // Takes in what meeting by these accesses says; false if the two iterations cannot meet.
    bool take(const Access& first, const Access& second) {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t d = 0; d < first.indices.size() && d < second.indices.size(); ++d) {
                const auto& a = first.indices[d];
                const auto& b = second.indices[d];
                // Unequal forms relate the two iterations otherwise: that is isl's business, but
                // for constants.
                if (!a || !b || a->terms != b->terms)
                    continue;
                std::vector<std::pair<int, std::int64_t>> unknown;
                for (const auto& term : a->terms)
                    if (!equal(term.first))
                        unknown.push_back(term);
                if (unknown.empty() && a->constant != b->constant)
                    return false;
                const auto axis =
                    unknown.empty() || a->constant != b->constant ? std::nullopt : told_by(unknown);
                if (axis) {
                    axes_[static_cast<std::size_t>(*axis)] = true;
                    changed = true;
                }
            }
        }
        return true;
    }

    bool axis(std::size_t i) const { return axes_[i]; }

private:
    bool equal(int variable) const {
        auto axes = static_cast<int>(accesses_.axes.size());
        if (variable < axes)
            return axes_[static_cast<std::size_t>(variable)];
        const auto& terms = numerator(variable).terms;
        return std::all_of(terms.begin(), terms.end(),
                           [&](const auto& term) { return equal(term.first); });
    }

    // The axis of which the sum of these terms tells all values apart.
    std::optional<int> told_by(const std::vector<std::pair<int, std::int64_t>>& terms) const {
        if (terms.size() == 1 && is_axis(terms.front().first))
            return terms.front().first;
        auto variable = terms.front().first;
        while (!is_axis(variable)) {
            const auto& inner = numerator(variable).terms;
            if (inner.empty())
                return std::nullopt;
            variable = inner.front().first;
        }
        const OfOneAxis of(accesses_, variable);
        const bool alone =
            !equal(variable) && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
                return of.depends_on_it_alone(term.first);
            });
        return alone && of.tells_all_apart(terms) ? std::optional(variable) : std::nullopt;
    }

    bool is_axis(int variable) const { return variable < static_cast<int>(accesses_.axes.size()); }
    const Affine& numerator(int variable) const {
        return accesses_.divisions[static_cast<std::size_t>(variable) - accesses_.axes.size()]
            .numerator;
    }

    const Accesses& accesses_;
    std::vector<bool> axes_;
};

// The axes that follow from loops that agree: both parts of a split give the whole, a fused loop
// gives its parts.
std::vector<bool> agreed_axes(const DependenceQuery& query, const std::vector<int>& agreed) {
    std::vector<bool> equal(index(query.loop_count), false);
    for (int loop : agreed)
        equal[index(loop)] = true;
    for (auto r = query.relations.rbegin(); r != query.relations.rend(); ++r) {
        if (r->fuse && equal[index(r->parent)])
            equal[index(r->outer)] = equal[index(r->inner)] = true;
        if (!r->fuse && equal[index(r->outer)] && equal[index(r->inner)])
            equal[index(r->parent)] = true;
    }
    equal.resize(query.accesses.axes.size());
    return equal;
}

// Whether a loop's value follows from the axes that are equal.
bool determined(const DependenceQuery& query, const Equalities& equalities, int loop) {
    std::vector<bool> known(index(query.loop_count), false);
    for (std::size_t i = 0; i < query.accesses.axes.size(); ++i)
        known[i] = equalities.axis(i);
    for (const auto& r : query.relations) {
        if (r.fuse)
            known[index(r.parent)] = known[index(r.outer)] && known[index(r.inner)];
        else
            known[index(r.outer)] = known[index(r.inner)] = known[index(r.parent)];
    }
    return known[index(loop)];
}

} // namespace

std::vector<bool> free_loops(const DependenceQuery& query) {
    std::vector<bool> free(index(query.loop_count), false);
    for (std::size_t i = 0; i < query.accesses.axes.size(); ++i)
        free[i] = query.accesses.axes[i].free;
    for (const auto& r : query.relations) {
        if (r.fuse)
            free[index(r.parent)] = free[index(r.outer)] && free[index(r.inner)];
        else
            free[index(r.outer)] = free[index(r.inner)] = free[index(r.parent)];
    }
    return free;
}

bool quick_agrees(const DependenceQuery& query, const Access& first, const Access& second,
                  const std::vector<int>& agreed, int loop) {
    Equalities equalities(query.accesses, agreed_axes(query, agreed));
    return !equalities.take(first, second) || determined(query, equalities, loop);
}

bool quick_same(const DependenceQuery& query, const Access& first, const Access& second) {
    Equalities equalities(query.accesses, std::vector<bool>(query.accesses.axes.size(), false));
    if (!equalities.take(first, second))
        return true;
    for (std::size_t i = 0; i < query.accesses.axes.size(); ++i)
        if (!equalities.axis(i))
            return false;
    return true;
}

} // namespace loopscope::polyhedral
