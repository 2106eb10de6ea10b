#include "compiler/codegen/halide/tails.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr const char* kGuard = "TailStrategy::GuardWithIf";
constexpr const char* kWhole = "TailStrategy::RoundUp";
constexpr const char* kShift = "TailStrategy::ShiftInwards";

const DefinitionState& nest_before(const ForeignStep& step) {
    return step.before.find(step.receiver.stage)
        ->definitions[static_cast<std::size_t>(step.receiver.definition)];
}

// Is every iteration of all loops around the stage whole, so that its region is one constant?
bool region_is_constant(const ScheduleTree& tree, const std::string& name, int depth = 0) {
    const auto* state = tree.state.find(name);
    if (!state || depth > 1000)
        return false;
    if (state->compute.kind == Placement::Kind::Root)
        return true;
    const auto& at = state->compute.at;
    return state->compute.kind == Placement::Kind::At &&
           divides_everywhere(tree, at.stage, at.definition) &&
           region_is_constant(tree, at.stage, depth + 1);
}

} // namespace

std::optional<std::int64_t> loop_extent(const ForeignProgram& program, const ForeignStep& step,
                                        const std::string& loop) {
    const auto* found = nest_before(step).find(loop);
    auto extents = loop_extents(*program.tree, step.receiver.stage, step.receiver.definition);
    if (!found || !extents.count(found->id))
        return std::nullopt;
    return extents.at(found->id);
}

bool is_inner_of_split(const ForeignStep& step, const std::string& loop) {
    const auto& nest = nest_before(step);
    const auto* found = nest.find(loop);
    return found && std::any_of(nest.relations.begin(), nest.relations.end(), [&](auto& r) {
               return r.kind == Relation::Kind::Split && r.inner == found->id;
           });
}

const char* halide_tail(const ForeignProgram& program, const ForeignStep& step, bool pure,
                        const std::string& loop, std::int64_t factor, Tail asked) {
    // Halide lets only pure definitions run over more; where there is no tail it finds that out.
    if (!pure)
        return kGuard;
    auto whole = loop_extent(program, step, loop);
    bool divides =
        whole && *whole % factor == 0 && region_is_constant(*program.tree, step.receiver.stage);
    // there is no tail
    if (divides)
        return kWhole;
    if (asked == Tail::Pad)
        return kWhole;
    // Where the extent is below the factor a shifted tail would lie outside.
    return asked == Tail::Shift && whole && *whole >= factor ? kShift : kGuard;
}

} // namespace loopscope::codegen
