#pragma once
// Edits of a script as text, so that comments and blank lines survive gestures. The script is the one truth: a gesture
// adds, replaces or removes a directive's line.

#include "core/base/result.h"
#include "core/ir/pipeline.h"
#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

#include <string>
#include <vector>

namespace loopscope::session {

// What a script means for a pipeline: everything the views show of it.
struct Scheduled {
    Schedule schedule;
    ScheduleTreePtr tree;
};
Result<Scheduled> schedule_script(const PipelinePtr& pipeline, const std::string& script, const ApplyContext& context,
                                  const std::string& name = "schedule");

struct ScriptChange {
    std::string script;       // the new text
    std::string description;  // "split C.k by 32": undo text and revision name
    std::string added;        // the directive's canonical line; empty when one was removed
    int line = 0;             // from 1: where it stands now (or stood)
    Scheduled scheduled;
};

// Adds a directive where it applies: at the end, or else before the placements and other directives that must come
// after it ("the window inserts loop directives before placements"). Errors: the refusal at the end of the script, which
// says the reason and what would be legal.
Result<ScriptChange> add_directive(const PipelinePtr& pipeline, const std::string& script, const std::string& line,
                                   const ApplyContext& context);

// Removes the directive that begins on a line (from 1). If later directives no longer apply without it, the edit is
// refused and `dependents` lists their lines; with `remove_dependents` they go too.
struct Removal {
    Result<ScriptChange> change;
    std::vector<int> dependents;
};
Removal remove_directive(const PipelinePtr& pipeline, const std::string& script, int line, bool remove_dependents,
                         const ApplyContext& context);

// The lines (from 1) of a script whose directives speak of a node's definition or stage.
std::vector<int> lines_about(const Schedule& schedule, const NodeId& id);

std::string default_script(const Pipeline& pipeline); // "schedule for NAME\n"

} // namespace loopscope::session
