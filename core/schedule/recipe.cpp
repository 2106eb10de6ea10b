#include "core/schedule/recipe.h"

#include "core/schedule/refusals.h"

namespace loopscope {

namespace {

// One stage's lines, applied to the state.
Result<std::vector<DirectivePtr>> applied_lines(ScheduleState& state, const Recipe& recipe,
                                                const ApplyContext& context) {
    auto lines = recipe.expansion(state, context);
    if (!lines)
        return lines;
    for (const auto& line : *lines)
        if (auto applied = apply_line(state, *line, context); !applied) {
            const auto& reason = applied.errors().front();
            auto refusal = recipe.refuse("receiver",
                                         recipe.text() + " stands for " + line->text() +
                                             " among others, which is refused: " + reason.message,
                                         reason.remedy);
            refusal.code = reason.code;
            return Diagnostics{std::move(refusal)};
        }
    return lines;
}

} // namespace

Status Recipe::apply(ScheduleState& state, const ApplyContext& context) const {
    auto lines = applied_lines(state, *this, context);
    return lines ? success() : Status(lines.errors());
}

const Recipe* as_recipe(const Directive& directive) {
    return dynamic_cast<const Recipe*>(&directive);
}

Result<std::vector<DirectivePtr>> recipe_lines(const ScheduleState& state, const Recipe& recipe,
                                               const ApplyContext& context) {
    auto stages = match_stages(state, recipe.receiver.stage);
    if (stages.empty()) // its refusal says so
        stages.push_back(recipe.receiver.stage);
    auto after = state;
    std::vector<DirectivePtr> out;
    for (const auto& stage : stages) {
        const auto one = recipe.clone();
        one->receiver.stage = stage;
        auto lines = applied_lines(after, *as_recipe(*one), context);
        if (!lines)
            return lines;
        out.insert(out.end(), lines->begin(), lines->end());
    }
    return out;
}

Result<Schedule> written_out(const PipelinePtr& pipeline, const Schedule& schedule,
                             const ApplyContext& context) {
    Schedule out = schedule;
    out.directives.clear();
    auto state = ScheduleState::initial(pipeline);
    state.target = schedule.target;
    const std::span<const DirectivePtr> directives(schedule.directives);
    for (std::size_t i = 0; i < directives.size(); ++i) {
        const auto before = state;
        if (!apply_line(state, *directives[i], context))
            return refusals(before, directives.subspan(i), {}, context);
        if (const auto* recipe = as_recipe(*directives[i])) {
            auto lines = recipe_lines(before, *recipe, context);
            if (!lines)
                return lines.errors();
            out.directives.insert(out.directives.end(), lines->begin(), lines->end());
        } else {
            out.directives.push_back(directives[i]);
        }
    }
    return out;
}

} // namespace loopscope
