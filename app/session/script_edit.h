#pragma once
// Edits of a script as text, so that comments and blank lines survive gestures. The script is the
// one truth: a gesture adds, replaces or removes a directive's line.

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
    // states[i]: before the i-th directive; the last: after all of them. They make judging one more
    // directive cheap.
    std::vector<ScheduleState> states;
};
// Errors: all of its lines that are wrong (core/language/schedule_parser.h).
// `known`: what an earlier script meant for the same pipeline and context, or null: the directives
// with which both begin are not applied again.
Result<Scheduled> schedule_script(const PipelinePtr& pipeline, const std::string& script,
                                  const ApplyContext& context, const std::string& name = "schedule",
                                  const Scheduled* known = nullptr);

// Where one more directive applies.
struct Insertion {
    DirectivePtr directive;
    std::size_t position = 0; // before the directive of this number; their count: at the end
    std::vector<ScheduleState> states; // after it, and after each directive that follows
    ScheduleTreePtr tree;              // of the schedule with it
};
// At the end, or else before the placements and other directives that must come after it ("the
// window inserts loop directives before placements"). A place where it would change nothing,
// because a later line overrides it, is none. Places between directives of other stages are all
// alike: only those before directives that name one of its stages are tried, so that a refusal
// stays quick in a long script. Errors: the refusal at the end of the script, which says the reason
// and what would be legal; or it changes nothing.
Result<Insertion> find_insertion(const Scheduled& current, const std::string& line,
                                 const ApplyContext& context);

// A script with a directive more, before the one of a number (their count: at the end) and the
// comments that belong to that. `schedule` is what it says up to there.
struct LongerScript {
    std::string text;
    int line = 0; // from 1: where the new one stands
};
LongerScript with_directive(const std::string& script, const Schedule& schedule,
                            std::size_t position, const std::string& directive);

struct ScriptChange {
    std::string script;      // the new text
    std::string description; // "split C.k by 32": undo text and revision name
    int line = 0;            // from 1: where the directive stands now (or stood)
    Scheduled scheduled;
};

// `current` is what `script` means. Errors: those of find_insertion.
Result<ScriptChange> add_directive(const PipelinePtr& pipeline, const std::string& script,
                                   const Scheduled& current, const std::string& line,
                                   const ApplyContext& context);

// Puts another directive in the place of the one that stands on a line (from 1); a comment behind
// it stays. Errors: what the new one is refused for, or the first later directive that no longer
// applies; or that nothing changes.
Result<ScriptChange> replace_directive(const PipelinePtr& pipeline, const std::string& script,
                                       const Scheduled& current, int line,
                                       const std::string& directive, const ApplyContext& context);

// Puts the lines that a recipe, such as tensor_core(), stands for in its place
// (core/language/expand_schedule.h): the schedule stays the same. Errors: the line holds no recipe.
Result<ScriptChange> write_recipe_out(const PipelinePtr& pipeline, const std::string& script,
                                      const Scheduled& current, int line,
                                      const ApplyContext& context);

// Removes the directive that stands on a line (from 1) of a script; `current` is what that means.
// Later directives that no longer apply without it are listed as `dependents` (their lines); they
// are removed too if `remove_dependents`, else the change is refused.
struct Removal {
    Result<ScriptChange> change;
    std::vector<int> dependents;
};
Removal remove_directive(const PipelinePtr& pipeline, const std::string& script,
                         const Scheduled& current, int line, bool remove_dependents,
                         const ApplyContext& context);

// The lines (from 1) of a script whose directives speak of a node's definition or stage; a recipe
// speaks of all stages that its lines make or change.
std::vector<int> lines_about(const Scheduled& scheduled, const NodeId& id);
// The first lines of directives that are recipes.
std::vector<int> recipe_lines(const Schedule& schedule);
// The directive that stands on a line (from 1); null: none.
const Directive* directive_on(const Schedule& schedule, int line);
// What a directive speaks of in the tree: the first of its loops that is there, else its stage. The
// root's identity: none.
NodeId subject_of(const Directive& directive, const ScheduleTree& tree);

std::string default_script(const Pipeline& pipeline); // "schedule for NAME\n"

} // namespace loopscope::session
