#include "core/schedule/iteration_count.h"

namespace loopscope {

namespace {

std::size_t index(int id) { return static_cast<std::size_t>(id); }
bool is_split(const Relation& r) { return r.kind == Relation::Kind::Split; }

// By loop: is a tail below it shifted or padded?
std::vector<bool> more_below(const DefinitionState& nest, const NestShape& shape) {
    std::vector<bool> more(shape.extent.size(), false);
    for (auto r = nest.relations.size(); r-- > 0;) {
        const auto& relation = nest.relations[r];
        auto parent = index(relation.parent), outer = index(relation.outer),
             inner = index(relation.inner);
        if (is_split(relation))
            more[parent] = (shape.used[r] != Tail::Guard && !shape.divides(relation)) ||
                           more[outer] || more[inner];
        else
            more[outer] = more[inner] = more[parent];
    }
    return more;
}

} // namespace

// A guard keeps as many iterations as its loop has values, unless tails below it add some: then all
// are counted, which is a bound.
IterationCount iteration_count(const DefinitionState& nest, const NestShape& shape,
                               bool reductions) {
    const auto more = more_below(nest, shape);
    IterationCount out{1, true};
    for (const auto& root : nest.roots)
        if (reductions || !root.reduction)
            out.count *= static_cast<double>(shape.extent[index(root.id)]);
    for (std::size_t r = 0; r < nest.relations.size() && out.count > 0; ++r) {
        const auto& relation = nest.relations[r];
        auto parent = index(relation.parent);
        if (!is_split(relation) || shape.divides(relation) ||
            (shape.reduction[parent] && !reductions))
            continue;
        bool below = shape.used[r] == Tail::Guard &&
                     (more[index(relation.outer)] || more[index(relation.inner)]);
        if (shape.used[r] == Tail::Guard && !below)
            continue;
        out.exact = out.exact && !below;
        out.count = out.count / static_cast<double>(shape.extent[parent]) *
                    static_cast<double>(shape.extent[index(relation.outer)] * relation.factor);
    }
    return out;
}

} // namespace loopscope
