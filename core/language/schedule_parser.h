#pragma once
// The `.sched` language: text <-> Schedule. Applying a script is core/schedule's business.

#include "core/base/result.h"
#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

namespace loopscope {

// Parses a script: all independent errors of the text, with places; unknown verbs and names suggest
// the nearest. `pipeline`, if given, must be the one that `schedule for` names.
Result<Schedule> parse_schedule(SourceFilePtr source, const Pipeline* pipeline = nullptr);
Result<Schedule> parse_schedule_file(const std::string& path, const Pipeline* pipeline = nullptr);
// One directive without the header, as a gesture or a test writes it.
Result<DirectivePtr> parse_directive(const std::string& line);

// Canonical text of a script, keeping its comments and blank lines; idempotent.
Result<std::string> format_schedule_source(SourceFilePtr source);

// Parses, applies and builds in one go, for callers with a text. On a refusal the diagnostics carry
// places in the text. A context that knows no intrinsics is given the declared ones.
Result<ScheduleTreePtr> schedule_tree(const PipelinePtr& pipeline, const Schedule& schedule,
                                      const ApplyContext& context);

} // namespace loopscope
