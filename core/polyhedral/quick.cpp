#include "core/polyhedral/quick.h"

#include "core/base/index.h"

#include <algorithm>

namespace loopscope::polyhedral {

namespace {

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
                // Unequal forms relate the two iterations otherwise: that is isl's business, but for constants.
                if (!a || !b || a->terms != b->terms)
                    continue;
                int unknown = -1, count = 0;
                for (const auto& term : a->terms)
                    if (!equal(term.first)) {
                        unknown = term.first;
                        ++count;
                    }
                if (count == 0 && a->constant != b->constant)
                    return false;
                bool is_axis = count == 1 && unknown < static_cast<int>(accesses_.axes.size());
                if (is_axis && a->constant == b->constant) {
                    axes_[static_cast<std::size_t>(unknown)] = true;
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
        const auto& numerator =
            accesses_.divisions[static_cast<std::size_t>(variable - axes)].numerator;
        return std::all_of(numerator.terms.begin(), numerator.terms.end(),
                           [&](const auto& term) { return equal(term.first); });
    }

    const Accesses& accesses_;
    std::vector<bool> axes_;
};

// The axes that follow from loops that agree: both parts of a split give the whole, a fused loop gives its parts.
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
