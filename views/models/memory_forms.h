#pragma once
// The decisions about a stage's memory and about the loops that it shares, as forms of the
// inspector: a part of schedule_form.h.

#include "views/models/schedule_form.h"

namespace loopscope::views {

int line_of(const Directive& directive); // where it stands in its script, from 1; 0: in none

// Forms without values: there is nothing to decide.
struct MemoryForms {
    const ScheduleTree& tree;
    const Schedule* schedule; // null: nothing is edited in place
    const StageState& stage;
    int definition;

    // Where a stage's memory lives, beside where it is computed.
    OptionForm store(const NodeId& id) const;
    // How many copies of it rotate. Of 1 nothing is computed ahead: the line goes.
    OptionForm pipeline() const;
    // With whom the definition shares its outer loops. `groups`: what is offered for the node.
    OptionForm sharing(const std::vector<DirectiveGroup>& groups) const;
};

} // namespace loopscope::views
