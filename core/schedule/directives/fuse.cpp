#include "core/schedule/directives/fuse.h"

#include "core/schedule/directives/reorder.h"
#include "core/schedule/nest.h"

#include <algorithm>
#include <utility>

namespace loopscope {

const char* Fuse::summary() const { return "Makes one loop of two adjacent ones."; }

// An order of the two loops and those between them that makes them adjacent, the first that is
// legal.
std::string Fuse::adjacent_remedy(const ScheduleState& state, const std::vector<LoopState>& loops,
                                  std::size_t first, std::size_t last,
                                  const ApplyContext& context) const {
    std::vector<std::string> between;
    for (auto p = first + 1; p < last; ++p)
        between.push_back(loops[p].name);
    for (bool inside : {true, false}) { // where what is between them goes
        Reorder order;
        order.receiver = receiver;
        order.loops = {outer, inner};
        order.loops.insert(inside ? order.loops.end() : order.loops.begin(), between.begin(),
                           between.end());
        auto ordered = state;
        if (order.apply(ordered, context))
            return "bring them together first: " + order.text();
    }
    return "fuse two loops that stand next to each other";
}

Status Fuse::apply(ScheduleState& state, const ApplyContext& context) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    if (outer == inner)
        return refuse("inner", "fuse needs two loops, and " + outer + " is given twice",
                      "name two different loops");
    auto a = nest->position(outer), b = nest->position(inner);
    if (!a)
        return at("outer", a.errors());
    if (!b)
        return at("inner", b.errors());
    for (auto [field, position] : {std::pair{"outer", *a}, std::pair{"inner", *b}})
        if (auto free = nest->not_in_use(position, "fused"); !free)
            return at(field, free.errors());
    auto& loops = nest->loops().loops;
    if (loops[*a].reduction != loops[*b].reduction) {
        const auto& reduction = loops[*a].reduction ? outer : inner;
        return refuse("inner",
                      outer + " and " + inner + " cannot be one loop: " + reduction +
                          " runs over a reduction axis and the other over a free variable",
                      "fuse two loops of the same kind");
    }
    if (*b != *a + 1) {
        auto inside = *a + 1 < loops.size()
                          ? "the loop just inside " + outer + " is " + loops[*a + 1].name
                          : outer + " is the innermost loop";
        return refuse("inner", outer + " and " + inner + " are not adjacent: " + inside,
                      adjacent_remedy(state, loops, std::min(*a, *b), std::max(*a, *b), context));
    }
    if (auto names = nest->names_are_free({fused}, {outer, inner}); !names)
        return at("fused", names.errors());

    LoopState loop;
    loop.id = nest->new_id();
    loop.name = fused;
    loop.kind = loops[*a].kind == loops[*b].kind ? loops[*a].kind : LoopKind::Serial;
    loop.reduction = loops[*a].reduction;
    nest->loops().relations.push_back(
        {Relation::Kind::Fuse, loop.id, loops[*a].id, loops[*b].id, 1, Tail::Guard});
    loops[*a] = loop;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(*b));
    return nest->finish();
}

std::string Fuse::describe() const {
    return "fuse " + receiver.text() + "." + outer + " and " + inner + " as " + fused;
}

std::unique_ptr<Directive> make_fuse() { return std::make_unique<Fuse>(); }

} // namespace loopscope
