#include "app/session/script_edit.h"

#include "app/session/replay.h"
#include "app/session/script_lines.h"
#include "core/language/expand_schedule.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/recipe.h"
#include "core/schedule/shared_loops.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace loopscope::session {

namespace {

int first_line(const Directive& d) {
    return d.where.file ? d.where.file->position(d.where.begin).line : 0;
}
int last_line(const Directive& d) {
    return d.where.file
               ? d.where.file->position(d.where.end > d.where.begin ? d.where.end - 1 : d.where.end)
                     .line
               : 0;
}

// What no tree shows of a stage, such as hints that a CPU has no use for: a line that says it is
// kept. What trees show, or what they are made by alone, goes; all else counts.
StageState unseen(StageState stage) {
    stage.compute = stage.store = {};
    stage.rewritten = nullptr;
    stage.scope = {};
    stage.storage_order.clear(), stage.storage_padding.clear();
    for (auto& definition : stage.definitions) {
        definition.roots.clear(), definition.relations.clear(), definition.prefetches.clear();
        definition.tensorized.reset(), definition.with.reset();
        definition.contract = definition.fast_math = definition.touched = false;
        definition.next_id = 0;
        for (auto& loop : definition.loops)
            loop.id = 0;
    }
    return stage;
}

// Do two schedules of a pipeline run the same? The nests, how definitions round, and hints.
bool same(const ScheduleTree& a, const ScheduleTree& b) {
    auto rounding = [](const DerivedStage& x, const DerivedStage& y) {
        return x.contracted == y.contracted && x.approximated == y.approximated &&
               x.atomic == y.atomic;
    };
    auto hints = [](const auto& x, const auto& y) { return x == y || unseen(*x) == unseen(*y); };
    return a.root->hash == b.root->hash &&
           std::equal(a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end(),
                      rounding) &&
           std::equal(a.state.stages.begin(), a.state.stages.end(), b.state.stages.begin(),
                      b.state.stages.end(), hints);
}

bool is_comment(const std::string& line) {
    auto at = line.find_first_not_of(" \t");
    return at != std::string::npos && line[at] == '#';
}

// How many lines stand before a directive may: up to and with `schedule for` and `target`.
std::size_t header_lines(const std::vector<std::string>& lines) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::istringstream words(lines[i]);
        std::string first;
        words >> first;
        if (first == "schedule" || first == "target")
            count = i + 1;
    }
    return count;
}

// What an edit makes of a script; the first refusal is enough to say that it makes nothing of it.
Result<Scheduled> edited_script(const PipelinePtr& pipeline, const std::string& script,
                                const ApplyContext& context, const Scheduled& current) {
    auto schedule =
        parse_schedule(std::make_shared<SourceFile>("schedule", script), pipeline.get());
    if (!schedule)
        return schedule.errors();
    auto replayed = replay(pipeline, std::move(*schedule), context, &current);
    if (!replayed.refusal.empty())
        return std::move(replayed.refusal);
    return with_tree(std::move(replayed.scheduled), &current);
}

} // namespace

Result<Scheduled> schedule_script(const PipelinePtr& pipeline, const std::string& script,
                                  const ApplyContext& context, const std::string& name,
                                  const Scheduled* known) {
    const auto read = parse_lines(std::make_shared<SourceFile>(name, script), pipeline.get());
    auto replayed = replay(pipeline, read.schedule, context, known);
    if (!read.errors.empty() || !replayed.refusal.empty())
        return script_errors(read, replayed.scheduled.states.back(), replayed.refused(), context);
    return with_tree(std::move(replayed.scheduled), known);
}

namespace {

bool is_pattern(const std::string& name) { return name.find_first_of("*{") != std::string::npos; }

bool meet(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
        return is_pattern(name) || b.count(name) || std::any_of(b.begin(), b.end(), is_pattern);
    });
}

} // namespace

Result<Insertion> find_insertion(const Scheduled& current, const std::string& line,
                                 const ApplyContext& context) {
    auto directive = parse_directive(line);
    if (!directive)
        return directive.errors();
    const auto& directives = current.schedule.directives;
    const auto names = stages_named_by(**directive);
    Diagnostics at_end;
    // From the end backwards, so that an edit moves as little as possible.
    for (auto position = directives.size() + 1; position-- > 0;) {
        const bool end = position == directives.size();
        if (!end && !meet(names, stages_named_by(*directives[position])))
            continue;
        auto state = current.states[position];
        auto status = apply_line(state, **directive, context);
        Insertion found{*directive, position, {}, nullptr};
        if (status)
            found.states.push_back(state);
        for (auto later = position; status && later < directives.size(); ++later) {
            status = apply_line(state, *directives[later], context);
            found.states.push_back(state);
        }
        auto tree = status ? build_tree(state, current.tree.get())
                           : Result<ScheduleTreePtr>(status.errors());
        if (tree && !same(**tree, *current.tree)) {
            found.tree = std::move(*tree);
            return found;
        }
        if (end) {
            if (tree)
                return error((*directive)->text() + " changes nothing: the schedule is so already");
            at_end = tree.errors();
        }
    }
    return at_end;
}

LongerScript with_directive(const std::string& script, const Schedule& schedule,
                            std::size_t position, const std::string& directive) {
    auto lines = lines_of(script);
    auto at = lines.size();
    if (position < schedule.directives.size()) {
        at = static_cast<std::size_t>(first_line(*schedule.directives[position]) - 1);
        // A comment belongs to what follows it; the header stays first.
        auto earliest = header_lines(lines);
        while (at > earliest && is_comment(lines[at - 1]))
            --at;
    }
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), directive);
    return {joined(lines), static_cast<int>(at) + 1};
}

Result<ScriptChange> add_directive(const PipelinePtr& pipeline, const std::string& script,
                                   const Scheduled& current, const std::string& line,
                                   const ApplyContext& context) {
    auto insertion = find_insertion(current, line, context);
    if (!insertion)
        return insertion.errors();
    auto [text, at] =
        with_directive(script, current.schedule, insertion->position, insertion->directive->text());
    auto schedule = parse_schedule(std::make_shared<SourceFile>("schedule", text), pipeline.get());
    if (!schedule)
        return schedule.errors();
    // The states are known: those before its place, and those that finding the place went through.
    Scheduled scheduled;
    scheduled.schedule = std::move(*schedule);
    scheduled.tree = insertion->tree;
    scheduled.states.assign(current.states.begin(),
                            current.states.begin() +
                                static_cast<std::ptrdiff_t>(insertion->position) + 1);
    scheduled.states.insert(scheduled.states.end(), insertion->states.begin(),
                            insertion->states.end());
    return ScriptChange{std::move(text), insertion->directive->describe(), at,
                        std::move(scheduled)};
}

Result<ScriptChange> replace_directive(const PipelinePtr& pipeline, const std::string& script,
                                       const Scheduled& current, int line,
                                       const std::string& directive, const ApplyContext& context) {
    const Directive* old = directive_on(current.schedule, line);
    if (!old)
        return error("line " + std::to_string(line) + " holds no directive");
    auto made = parse_directive(directive);
    if (!made)
        return made.errors();
    if ((*made)->text() == old->text())
        return error(old->text() + " changes nothing: the schedule is so already");
    auto text = script;
    text.replace(old->where.begin, old->where.end - old->where.begin, (*made)->text());
    auto scheduled = edited_script(pipeline, text, context, current);
    if (!scheduled) {
        auto refused = scheduled.errors();
        auto& first = refused.front();
        const int where =
            first.range.file ? first.range.file->position(first.range.begin).line : line;
        if (where != first_line(*old))
            first.message = "line " + std::to_string(where) +
                            " of the script would no longer apply: " + first.message;
        return refused;
    }
    return ScriptChange{std::move(text), (*made)->describe(), first_line(*old),
                        std::move(*scheduled)};
}

Result<ScriptChange> write_recipe_out(const PipelinePtr& pipeline, const std::string& script,
                                      const Scheduled& current, int line,
                                      const ApplyContext& context) {
    const auto& directives = current.schedule.directives;
    const auto found = std::find_if(directives.begin(), directives.end(), [&](const auto& d) {
        return first_line(*d) <= line && line <= last_line(*d);
    });
    const auto* recipe = found == directives.end() ? nullptr : as_recipe(**found);
    if (!recipe)
        return error("line " + std::to_string(line) + " holds no recipe",
                     "a recipe, such as S.tensor_core(), stands for other lines");
    const auto at = static_cast<std::size_t>(found - directives.begin());
    const auto lines = loopscope::recipe_lines(current.states[at], *recipe, context);
    if (!lines)
        return lines.errors();
    auto text = expanded_text(script, *recipe, *lines);
    auto scheduled = edited_script(pipeline, text, context, current);
    if (!scheduled)
        return scheduled.errors();
    return ScriptChange{std::move(text), "write out " + recipe->text(), first_line(*recipe),
                        std::move(*scheduled)};
}

Removal remove_directive(const PipelinePtr& pipeline, const std::string& script,
                         const Scheduled& current, int line, bool remove_dependents,
                         const ApplyContext& context) {
    const auto& directives = current.schedule.directives;
    const Directive* target = directive_on(current.schedule, line);
    if (!target)
        return {error("line " + std::to_string(line) + " holds no directive"), {}};
    const auto lines = lines_of(script);
    std::vector<bool> gone(lines.size() + 1, false);
    auto drop = [&](const Directive& d) {
        for (int l = first_line(d); l <= last_line(d); ++l)
            gone[static_cast<std::size_t>(l)] = true;
    };
    drop(*target);
    Removal out{Diagnostics{}, {}};
    Scheduled known = current;
    // Each round drops the first directive that no longer applies; rounds are bounded by the
    // directives there are.
    for (std::size_t round = 0; round <= directives.size(); ++round) {
        std::vector<std::string> kept;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (!gone[i + 1])
                kept.push_back(lines[i]);
        auto text = joined(kept);
        auto schedule =
            parse_schedule(std::make_shared<SourceFile>("schedule", text), pipeline.get());
        if (!schedule)
            return {schedule.errors(), {}};
        auto replayed = replay(pipeline, std::move(*schedule), context, &known);
        if (replayed.refusal.empty()) {
            auto scheduled = with_tree(std::move(replayed.scheduled), &current);
            if (!scheduled) {
                out.change = scheduled.errors();
                return out;
            }
            if (!out.dependents.empty() && !remove_dependents) {
                std::string list;
                for (int l : out.dependents)
                    list += (list.empty() ? "" : ", ") + std::to_string(l);
                out.change =
                    error("later directives need \"" + target->text() + "\": lines " + list,
                          "remove these too");
                return out;
            }
            out.change =
                ScriptChange{text, "remove " + target->text(), line, std::move(*scheduled)};
            return out;
        }
        // The refused directive in the shortened script is the same-numbered survivor of the
        // original.
        auto survivor = replayed.refused();
        const Directive* refused = nullptr;
        for (const auto& d : directives)
            if (!gone[static_cast<std::size_t>(first_line(*d))] && survivor-- == 0)
                refused = d.get();
        if (!refused)
            return {replayed.refusal, {}};
        out.dependents.push_back(first_line(*refused));
        drop(*refused);
        // What applied before it need not be applied again in the next round.
        known.states = std::move(replayed.scheduled.states);
        known.schedule = std::move(replayed.scheduled.schedule);
        known.schedule.directives.resize(known.states.size() - 1);
        known.tree.reset();
    }
    return out;
}

std::vector<int> lines_about(const Scheduled& scheduled, const NodeId& id) {
    const auto& directives = scheduled.schedule.directives;
    auto stage_after = [&](std::size_t directive) {
        const auto& stages = scheduled.states[directive].stages;
        const auto found = std::find_if(stages.begin(), stages.end(),
                                        [&](const auto& stage) { return stage->name == id.stage; });
        return found == stages.end() ? nullptr : *found;
    };
    auto speaks_of = [&](std::size_t number) {
        const auto& d = *directives[number];
        if (as_recipe(d) && stage_after(number) != stage_after(number + 1))
            return true;
        if (id.definition >= 0 && d.receiver.definition != id.definition)
            return false;
        if (d.receiver.stage == id.stage)
            return true;
        const auto matches = match_stages(scheduled.tree->state, d.receiver.stage);
        return std::find(matches.begin(), matches.end(), id.stage) != matches.end();
    };
    std::vector<int> out;
    for (std::size_t n = 0; n < directives.size(); ++n)
        if (speaks_of(n))
            for (int l = first_line(*directives[n]); l > 0 && l <= last_line(*directives[n]); ++l)
                out.push_back(l);
    return out;
}

std::vector<int> recipe_lines(const Schedule& schedule) {
    std::vector<int> out;
    for (const auto& d : schedule.directives)
        if (as_recipe(*d))
            out.push_back(first_line(*d));
    return out;
}

const Directive* directive_on(const Schedule& schedule, int line) {
    for (const auto& d : schedule.directives)
        if (first_line(*d) <= line && line <= last_line(*d))
            return d.get();
    return nullptr;
}

NodeId subject_of(const Directive& directive, const ScheduleTree& tree) {
    // A pattern stands for the first of its stages, and a shared loop for the one whose node it
    // has.
    const auto matches = match_stages(tree.state, directive.receiver.stage);
    if (matches.empty())
        return {};
    for (const auto& name : loops_named_by(directive, true))
        if (const auto* node =
                tree.find(shown_loop(tree, {matches.front(), directive.receiver.definition, name})))
            return node->id;
    NodeId stage{matches.front(), -1, "@stage"};
    return tree.find(stage) || tree.find_stage(stage.stage) ? stage : NodeId{};
}

std::string default_script(const Pipeline& pipeline) {
    return "schedule for " + pipeline.name + "\n";
}

} // namespace loopscope::session
