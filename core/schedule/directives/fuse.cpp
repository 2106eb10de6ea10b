#include "core/schedule/directives/fuse.h"

#include "core/schedule/nest.h"

#include <utility>

namespace loopscope {

const char* Fuse::summary() const { return "Makes one loop of two adjacent ones."; }

void Fuse::visit_fields(FieldVisitor& visitor) {
    visitor.loop("outer", outer);
    visitor.loop("inner", inner);
    visitor.new_loop("fused", fused);
}

Status Fuse::apply(ScheduleState& state, const ApplyContext&) const {
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
    if (*b != *a + 1) {
        auto inside = *a + 1 < loops.size()
                          ? "the loop just inside " + outer + " is " + loops[*a + 1].name
                          : outer + " is the innermost loop";
        return refuse("inner", outer + " and " + inner + " are not adjacent: " + inside,
                      "bring them together first: " + receiver.text() + ".reorder(" + outer + ", " +
                          inner + ")");
    }
    if (loops[*a].reduction != loops[*b].reduction) {
        const auto& reduction = loops[*a].reduction ? outer : inner;
        return refuse("inner",
                      outer + " and " + inner + " cannot be one loop: " + reduction +
                          " runs over a reduction axis and the other over a free variable",
                      "fuse two loops of the same kind");
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

} // namespace loopscope
