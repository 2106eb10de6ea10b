#include "app/session/script_edit.h"

#include "core/language/schedule_parser.h"

#include <algorithm>
#include <sstream>

namespace loopscope::session {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& line : lines)
        out += line + "\n";
    return out;
}

int first_line(const Directive& d) { return d.where.file ? d.where.file->position(d.where.begin).line : 0; }
int last_line(const Directive& d) {
    return d.where.file ? d.where.file->position(d.where.end > d.where.begin ? d.where.end - 1 : d.where.end).line : 0;
}

} // namespace

Result<Scheduled> schedule_script(const PipelinePtr& pipeline, const std::string& script, const ApplyContext& context,
                                  const std::string& name) {
    auto schedule = parse_schedule(std::make_shared<SourceFile>(name, script), pipeline.get());
    if (!schedule)
        return schedule.errors();
    auto tree = schedule_tree(pipeline, *schedule, context);
    if (!tree)
        return tree.errors();
    return Scheduled{std::move(*schedule), std::move(*tree)};
}

Result<ScriptChange> add_directive(const PipelinePtr& pipeline, const std::string& script, const std::string& line,
                                   const ApplyContext& context) {
    auto directive = parse_directive(line);
    if (!directive)
        return directive.errors();
    auto current = parse_schedule(std::make_shared<SourceFile>("schedule", script), pipeline.get());
    if (!current)
        return current.errors();
    auto lines = lines_of(script);
    Diagnostics at_end;
    // From the end backwards, so that an edit moves as little as possible; the header stays first.
    for (auto position = current->directives.size() + 1; position-- > 0;) {
        std::size_t at = lines.size();
        if (position < current->directives.size())
            at = static_cast<std::size_t>(first_line(*current->directives[position]) - 1);
        auto edited = lines;
        edited.insert(edited.begin() + static_cast<std::ptrdiff_t>(at), (*directive)->text());
        auto text = joined(edited);
        auto scheduled = schedule_script(pipeline, text, context);
        if (scheduled)
            return ScriptChange{std::move(text), (*directive)->describe(), (*directive)->text(), static_cast<int>(at) + 1,
                                std::move(*scheduled)};
        if (position == current->directives.size())
            at_end = scheduled.errors();
    }
    return at_end;
}

Removal remove_directive(const PipelinePtr& pipeline, const std::string& script, int line, bool remove_dependents,
                         const ApplyContext& context) {
    auto current = parse_schedule(std::make_shared<SourceFile>("schedule", script), pipeline.get());
    if (!current)
        return {current.errors(), {}};
    const Directive* target = nullptr;
    for (const auto& d : current->directives)
        if (first_line(*d) <= line && line <= last_line(*d))
            target = d.get();
    if (!target)
        return {error("line " + std::to_string(line) + " holds no directive"), {}};
    std::vector<bool> gone(lines_of(script).size() + 1, false);
    auto drop = [&](const Directive& d) {
        for (int l = first_line(d); l <= last_line(d); ++l)
            gone[static_cast<std::size_t>(l)] = true;
    };
    auto text_left = [&] {
        auto lines = lines_of(script);
        std::vector<std::string> kept;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (!gone[i + 1])
                kept.push_back(lines[i]);
        return joined(kept);
    };
    drop(*target);
    Removal out{Diagnostics{}, {}};
    // Each round drops the first directive that no longer applies; rounds are bounded by the directives there are.
    for (std::size_t round = 0; round <= current->directives.size(); ++round) {
        auto text = text_left();
        auto schedule = parse_schedule(std::make_shared<SourceFile>("schedule", text), pipeline.get());
        if (!schedule)
            return {schedule.errors(), {}};
        auto applied = apply(pipeline, *schedule, context);
        if (applied.diagnostics.empty()) {
            if (!out.dependents.empty() && !remove_dependents) {
                std::string list;
                for (int l : out.dependents)
                    list += (list.empty() ? "" : ", ") + std::to_string(l);
                out.change = error("later directives need \"" + target->text() + "\": lines " + list,
                                   "remove these too");
                return out;
            }
            auto scheduled = schedule_script(pipeline, text, context);
            if (!scheduled)
                out.change = scheduled.errors();
            else
                out.change = ScriptChange{text, "remove " + target->describe(), {}, line, std::move(*scheduled)};
            return out;
        }
        // The refused directive in the shortened script is the same-numbered survivor of the original.
        int survivor = applied.applied;
        const Directive* refused = nullptr;
        for (const auto& d : current->directives)
            if (!gone[static_cast<std::size_t>(first_line(*d))] && survivor-- == 0)
                refused = d.get();
        if (!refused)
            return {applied.diagnostics, {}};
        out.dependents.push_back(first_line(*refused));
        drop(*refused);
    }
    return out;
}

std::vector<int> lines_about(const Schedule& schedule, const NodeId& id) {
    std::vector<int> out;
    for (const auto& d : schedule.directives)
        if (d->receiver.stage == id.stage && (id.definition < 0 || d->receiver.definition == id.definition))
            for (int l = first_line(*d); l > 0 && l <= last_line(*d); ++l)
                out.push_back(l);
    return out;
}

std::string default_script(const Pipeline& pipeline) { return "schedule for " + pipeline.name + "\n"; }

} // namespace loopscope::session
