#include "core/language/expand_schedule.h"

#include "core/language/intrinsics.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/recipe.h"
#include "core/schedule/refusals.h"

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
    const auto script = parse_lines(source, pipeline.get());
    auto state = ScheduleState::initial(pipeline);
    state.target = script.schedule.target;
    if (!script.errors.empty())
        return script_errors(script, state, 0, context);
    std::vector<std::vector<DirectivePtr>> lines;
    const std::span<const DirectivePtr> directives(script.schedule.directives);
    for (std::size_t i = 0; i < directives.size(); ++i) {
        auto& made = lines.emplace_back();
        const auto before = state;
        if (!apply_line(state, *directives[i], context))
            return refusals(before, directives.subspan(i), {}, context);
        if (const auto* recipe = as_recipe(*directives[i])) {
            auto found = recipe_lines(before, *recipe, context);
            if (!found)
                return found.errors();
            made = std::move(*found);
        }
    }
    auto text = source->text();
    for (auto d = lines.size(); d-- > 0;) // from the end, so that places before it stay
        if (as_recipe(*directives[d]))
            text = expanded_text(text, *directives[d], lines[d]);
    return text;
}

} // namespace loopscope
