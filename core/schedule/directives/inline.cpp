#include "core/schedule/directives/inline.h"

#include "core/schedule/inlined_size.h"
#include "core/schedule/nest.h"
#include "core/schedule/pipelining.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* Inline::summary() const {
    return "Substitutes the stage wherever it is read: no storage, no loops.";
}

Status Inline::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    const auto& name = receiver.stage;
    if (state.pipeline->find_output(name))
        return refuse("receiver", name + " is an output: it is stored, hence not inlined",
                      "leave it at root");
    const auto& stage = *state.find(name);
    const auto* definition = state.definition(name, 0); // null for a copy, which is pure
    if (definition &&
        (definition->kind == DefinitionKind::Reduction || stage.definitions.size() > 1))
        return refuse("receiver",
                      name + " cannot be inlined: it has " +
                          (stage.definitions.size() > 1 ? "updates" : "a reduction"),
                      "inline needs one definition without reduction or updates; " + name +
                          ".compute_at(…) brings it near its readers");
    for (const auto& loop : stage.definitions[0].loops)
        if (auto placed = state.placed_at({name, 0, loop.id}); !placed.empty())
            return refuse("receiver",
                          name + " cannot be inlined: " + placed.front() + " is " +
                              placed_words(state, placed.front(), {name, 0, loop.id}).placed +
                              " at its loop " + loop.name,
                          "place " + placed.front() + " elsewhere first");
    if (stage.definitions[0].touched)
        return refuse("receiver", name + " cannot be inlined: loop directives were given to it",
                      "remove its loop directives");
    if (!stage.storage_order.empty() || !stage.storage_padding.empty())
        return refuse("receiver", name + " cannot be inlined: a layout was given to its storage",
                      "remove its reorder_storage and pad_storage");
    if (auto free = check_not_pipelined(stage, "is inlined: nothing computes it ahead"); !free)
        return at("receiver", free.errors());
    auto& inlined = state.edit(name);
    inlined.compute = inlined.store = Placement{Placement::Kind::Inline, {}};
    // Only where something is long are its parts compared: scripts inline stages by the dozen.
    if (const auto grown = stages_made_long(state); !grown.empty())
        for (const auto& [longer, nodes] : shared_nodes_after_inlining(state, grown))
            if (nodes > kMaxSharedNodes)
                return refuse(
                    "receiver",
                    "inlining " + name + " would make the definitions of " + longer +
                        " longer than " + std::to_string(kMaxSharedNodes) +
                        " operations, where equal values count once and indices as written",
                    "leave one of the stages between them stored: compute_root or compute_at");
    return check_placements(state);
}

std::string Inline::describe() const { return "inline " + receiver.stage; }

std::unique_ptr<Directive> make_inline() { return std::make_unique<Inline>(); }

} // namespace loopscope
