#include "core/language/expand_schedule.h"

#include "core/language/intrinsics.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/recipe.h"

namespace loopscope {

std::string expanded_text(const std::string& script, const Directive& recipe,
                          const std::vector<DirectivePtr>& lines) {
    const auto end_of_line = std::min(script.find('\n', recipe.where.end), script.size());
    auto out = script.substr(0, recipe.where.begin) + "# " + recipe.text() + ":";
    // What stands behind it can only be a comment.
    const auto behind = script.find('#', recipe.where.end);
    if (behind < end_of_line)
        out += script.substr(behind + 1, end_of_line - behind - 1);
    while (out.back() == ' ' || out.back() == '\r')
        out.pop_back();
    for (const auto& line : lines)
        out += "\n" + line->text();
    return out + script.substr(end_of_line);
}

Result<std::string> expand_schedule_source(const SourceFilePtr& source, const PipelinePtr& pipeline,
                                           const ApplyContext& given) {
    auto context = given;
    if (!context.intrinsics)
        context.intrinsics = &declared_intrinsics();
    const auto schedule = parse_schedule(source, pipeline.get());
    if (!schedule)
        return schedule.errors();
    auto state = ScheduleState::initial(pipeline);
    state.target = schedule->target;
    std::vector<std::vector<DirectivePtr>> lines;
    for (const auto& directive : schedule->directives) {
        auto& made = lines.emplace_back();
        if (const auto* recipe = as_recipe(*directive)) {
            auto found = recipe_lines(state, *recipe, context);
            if (!found)
                return found.errors();
            made = std::move(*found);
        }
        if (auto applied = apply_line(state, *directive, context); !applied)
            return applied.errors();
    }
    auto text = source->text();
    for (auto d = lines.size(); d-- > 0;) // from the end, so that places before it stay
        if (as_recipe(*schedule->directives[d]))
            text = expanded_text(text, *schedule->directives[d], lines[d]);
    return text;
}

} // namespace loopscope
