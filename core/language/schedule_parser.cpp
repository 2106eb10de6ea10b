#include "core/language/schedule_parser.h"

#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_syntax.h"
#include "core/schedule/script_tree.h"

namespace loopscope {

Result<Schedule> parse_schedule(SourceFilePtr source, const Pipeline* pipeline) {
    auto syntax = read_schedule(source);
    Schedule schedule;
    schedule.source = source;
    for (auto& statement : syntax.statements) {
        switch (statement.kind) {
        case ScheduleStatement::Kind::Header:
            schedule.pipeline = statement.name;
            if (pipeline && pipeline->name != statement.name)
                syntax.errors.insert(syntax.errors.begin(),
                                     {Severity::Error,
                                      "this schedule is for " + statement.name +
                                          ", and the pipeline is " + pipeline->name,
                                      statement.name_range,
                                      "give it the pipeline it was written for", "wrong-pipeline"});
            break;
        case ScheduleStatement::Kind::Target: schedule.target = statement.name; break;
        case ScheduleStatement::Kind::Directive:
            schedule.directives.push_back(std::move(statement.directive));
            break;
        }
    }
    if (!syntax.errors.empty())
        return std::move(syntax.errors);
    return schedule;
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
    auto context = given;
    if (!context.intrinsics)
        context.intrinsics = &declared_intrinsics();
    std::vector<ScheduleState> states{ScheduleState::initial(pipeline)};
    states.back().target = schedule.target;
    for (const auto& directive : schedule.directives) {
        auto state = states.back();
        if (auto status = apply_line(state, *directive, context); !status)
            return status.errors();
        states.push_back(std::move(state));
    }
    return build_script_tree(states, schedule.directives);
}

} // namespace loopscope
