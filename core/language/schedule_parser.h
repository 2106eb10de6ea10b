#pragma once
// The `.sched` language: text <-> Schedule. Applying a script is core/schedule's business.

#include "core/base/result.h"
#include "core/schedule/directive.h"
#include "core/schedule/refusals.h"
#include "core/schedule/tree.h"

namespace loopscope {

// A script as far as it can be read: one wrong line hides no other.
struct PartialSchedule {
    Schedule schedule;              // of the lines that could be read
    Diagnostics errors;             // of the text; none: the schedule is the whole script
    std::vector<UnreadLine> unread; // the lines that could not be read
};
PartialSchedule parse_lines(SourceFilePtr source, const Pipeline* pipeline = nullptr);

// Parses a script: all independent errors of the text, with places; unknown verbs and names suggest
// the nearest. `pipeline`, if given, must be the one that `schedule for` names.
Result<Schedule> parse_schedule(SourceFilePtr source, const Pipeline* pipeline = nullptr);
Result<Schedule> parse_schedule_file(const std::string& path, const Pipeline* pipeline = nullptr);
// One directive without the header, as a gesture or a test writes it.
Result<DirectivePtr> parse_directive(const std::string& line);

// Canonical text of a script, keeping its comments and blank lines; idempotent.
Result<std::string> format_schedule_source(SourceFilePtr source);

// Applies and builds in one go. On a refusal the diagnostics carry places in the text, and are all
// that is refused (core/schedule/refusals.h). A context that knows no intrinsics is given the
// declared ones.
Result<ScheduleTreePtr> schedule_tree(const PipelinePtr& pipeline, const Schedule& schedule,
                                      const ApplyContext& context);
// The same of a script that may have errors of its text: these and the refusals of the lines that
// could be read, in the order of the text.
Result<ScheduleTreePtr> schedule_tree(const PipelinePtr& pipeline, const PartialSchedule& script,
                                      const ApplyContext& context);
// Errors of a text and refusals of the lines that could be read, in the order of the text.
// `before`: the state before the directive of that number; all before it apply.
Diagnostics script_errors(const PartialSchedule& script, const ScheduleState& before,
                          std::size_t number, const ApplyContext& context);

} // namespace loopscope
