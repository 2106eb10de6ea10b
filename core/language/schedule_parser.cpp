#include "core/language/schedule_parser.h"

#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_syntax.h"
#include "core/schedule/script_tree.h"

#include <algorithm>

namespace loopscope {

namespace {

ScheduleState initial(const PipelinePtr& pipeline, const Schedule& schedule) {
    auto state = ScheduleState::initial(pipeline);
    state.target = schedule.target;
    return state;
}

ApplyContext with_intrinsics(ApplyContext context) {
    if (!context.intrinsics)
        context.intrinsics = &declared_intrinsics();
    return context;
}

} // namespace

PartialSchedule parse_lines(SourceFilePtr source, const Pipeline* pipeline) {
    auto syntax = read_schedule(source);
    PartialSchedule out;
    out.schedule.source = source;
    out.unread = std::move(syntax.unread);
    for (auto& statement : syntax.statements) {
        switch (statement.kind) {
        case ScheduleStatement::Kind::Header:
            out.schedule.pipeline = statement.name;
            if (pipeline && pipeline->name != statement.name)
                syntax.errors.insert(syntax.errors.begin(),
                                     {Severity::Error,
                                      "this schedule is for " + statement.name +
                                          ", and the pipeline is " + pipeline->name,
                                      statement.name_range,
                                      "give it the pipeline it was written for", "wrong-pipeline"});
            break;
        case ScheduleStatement::Kind::Target: out.schedule.target = statement.name; break;
        case ScheduleStatement::Kind::Directive:
            out.schedule.directives.push_back(std::move(statement.directive));
            break;
        }
    }
    out.errors = std::move(syntax.errors);
    return out;
}

Result<Schedule> parse_schedule(SourceFilePtr source, const Pipeline* pipeline) {
    auto read = parse_lines(std::move(source), pipeline);
    if (!read.errors.empty())
        return std::move(read.errors);
    return std::move(read.schedule);
}

Result<Schedule> parse_schedule_file(const std::string& path, const Pipeline* pipeline) {
    auto source = read_source_file(path);
    if (!source)
        return source.errors();
    return parse_schedule(std::move(*source), pipeline);
}

Result<DirectivePtr> parse_directive(const std::string& line) {
    auto source = std::make_shared<SourceFile>("directive", line);
    auto syntax = read_schedule(source, false);
    if (!syntax.errors.empty())
        return std::move(syntax.errors);
    if (syntax.statements.size() != 1)
        return error(syntax.statements.empty() ? "a directive was expected"
                                               : "one directive was expected",
                     "a directive is written S.verb(…)", {source, 0, 0});
    return syntax.statements.front().directive;
}

Result<ScheduleTreePtr> schedule_tree(const PipelinePtr& pipeline, const Schedule& schedule,
                                      const ApplyContext& given) {
    const auto context = with_intrinsics(given);
    std::vector<ScheduleState> states{initial(pipeline, schedule)};
    const std::span<const DirectivePtr> directives(schedule.directives);
    for (std::size_t i = 0; i < directives.size(); ++i) {
        auto state = states.back();
        if (!apply_line(state, *directives[i], context))
            return refusals(states.back(), directives.subspan(i), {}, context);
        states.push_back(std::move(state));
    }
    return build_script_tree(states, schedule.directives);
}

Result<ScheduleTreePtr> schedule_tree(const PipelinePtr& pipeline, const PartialSchedule& script,
                                      const ApplyContext& context) {
    return script.errors.empty()
               ? schedule_tree(pipeline, script.schedule, context)
               : script_errors(script, initial(pipeline, script.schedule), 0, context);
}

Diagnostics script_errors(const PartialSchedule& script, const ScheduleState& before,
                          std::size_t number, const ApplyContext& context) {
    auto errors = script.errors;
    const auto& name = script.schedule.pipeline;
    if (!name.empty() && name != before.pipeline->name)
        return errors; // no line means anything to another pipeline
    const std::span<const DirectivePtr> lines(script.schedule.directives);
    auto refused = refusals(before, lines.subspan(number), script.unread, with_intrinsics(context));
    errors.insert(errors.end(), refused.begin(), refused.end());
    std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return a.range.begin < b.range.begin;
    });
    return errors;
}

} // namespace loopscope
