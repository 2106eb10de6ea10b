#pragma once
// A parsed script, applied directive by directive: what all edits of a script go through.

#include "app/session/script_edit.h"
#include "core/base/result.h"

#include <cstddef>
#include <vector>

namespace loopscope::session {

// What a parsed script means, as far as it applies: where a directive is refused, it is the one
// after the last state.
struct Replay {
    Scheduled scheduled; // without a tree, but where an earlier script's is known
    Diagnostics refusal; // empty: every directive applies
    std::size_t refused() const { return scheduled.states.size() - 1; }
};
// `known`: as of schedule_script.
Replay replay(const PipelinePtr& pipeline, Schedule schedule, const ApplyContext& context,
              const Scheduled* known);

// Its tree, in which what it has in common with the known one's is taken over.
Result<Scheduled> with_tree(Scheduled made, const Scheduled* known);

// What is left of a script where each directive goes that does not apply, or that brings about that
// there is no tree, and with it what needed it.
struct Fitting {
    Scheduled scheduled;
    struct LeftOut {
        DirectivePtr directive;
        Diagnostics why;
    };
    std::vector<LeftOut> left_out;
};
// Errors: the default schedule has no tree either.
Result<Fitting> fitting(const PipelinePtr& pipeline, Schedule schedule,
                        const ApplyContext& context);

} // namespace loopscope::session
