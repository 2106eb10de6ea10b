#pragma once
// Recipes: directives that stand for other lines. A script may say the one word, which applies as
// those lines do, one after another; or have the lines in its place, so that nothing that a recipe
// does is hidden.

#include "core/schedule/directive.h"

namespace loopscope {

struct Recipe : Directive {
    // The lines that the recipe stands for in a state, for one stage: they apply there, one after
    // another. Errors: the recipe's refusal.
    virtual Result<std::vector<DirectivePtr>> expansion(const ScheduleState& state,
                                                        const ApplyContext& context) const = 0;
    // Applies those lines. Refusals of them stand at the recipe, and name the line.
    Status apply(ScheduleState& state, const ApplyContext& context) const final;
};

const Recipe* as_recipe(const Directive& directive); // null: it stands for itself

// The lines that a recipe stands for in a state, for each stage that its receiver matches, in
// order.
Result<std::vector<DirectivePtr>> recipe_lines(const ScheduleState& state, const Recipe& recipe,
                                               const ApplyContext& context);

// The schedule with each recipe's lines in its place. Errors: what is refused of its lines
// (refusals.h).
Result<Schedule> written_out(const PipelinePtr& pipeline, const Schedule& schedule,
                             const ApplyContext& context);

} // namespace loopscope
