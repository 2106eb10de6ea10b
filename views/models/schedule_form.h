#pragma once
// The decisions of a schedule about one node that a person can turn: the factor of the split that
// made a loop, its tail, how a loop runs, where a stage is computed, what is switched on. Each
// value is an edit of the script; those that a directive has decided already are edited in its
// place.

#include "views/models/directive_lines.h"

#include "core/device/device.h"
#include "core/schedule/directive.h"

#include <memory>
#include <vector>

namespace loopscope::views {

using SchedulePtr = std::shared_ptr<const Schedule>;

struct FormValue {
    QString label; // "32", "native", "parallel"
    DirectiveEdit edit;
    bool present = false; // the schedule is so now; `edit` then changes nothing
    QString shown = {};   // where it says more than the label: "native 16"
};

// One factor: of the split that made the selected loop, or of one that could be made of it.
struct FactorForm {
    // "factor/i": the same before and after i is split, so that the keyboard stays with it
    QString name;
    QString title;                 // "Factor of i"
    QString tooltip;               // one sentence
    std::vector<FormValue> values; // ascending; one may be present
    // The edit for a factor as typed: "24", "2*native". An empty line: that is no factor.
    DirectiveEdit edit_for(const QString& factor) const;

    DirectivePtr directive; // that is edited, or that would be added
    int replaces = 0;
    std::size_t index = 0;     // which of its factors
    bool counts = false;       // it is a count of the directive's, such as of a pipeline's stages
    std::int64_t greatest = 0; // of a count; 0: none
};

// A choice between named values, or a switch that is on or off (`is_switch`: one value, present
// when on).
struct OptionForm {
    QString name;    // "tail": a stable name for tests
    QString title;   // "Tail"
    QString tooltip; // one sentence
    std::vector<FormValue> values;
    bool is_switch = false;
};

// `schedule` may be null: then nothing is edited in place. `device`: whose vectors `native` is of;
// null: not known.
std::vector<FactorForm> factor_forms(const ScheduleTree& tree, const Schedule* schedule,
                                     const NodeId& id, const device::Device* device = nullptr);
std::vector<OptionForm> option_forms(const ScheduleTree& tree, const Schedule* schedule,
                                     const NodeId& id, const device::Device* device = nullptr);
// `groups`: what directive_groups says of the node.
std::vector<OptionForm> option_forms(const ScheduleTree& tree, const Schedule* schedule,
                                     const NodeId& id, const device::Device* device,
                                     const std::vector<DirectiveGroup>& groups);
// Whether the factor of a choice is more than the loop `id` has iterations: no such choice is worth
// a place. False where it has no factor, or one that is not known.
bool exceeds_loop(const ScheduleTree& tree, const NodeId& id, const DirectiveChoice& choice,
                  const device::Device* device);
// Verbs of directive_groups that the forms stand for, so that no choice is offered twice.
bool in_a_form(const QString& verb);

} // namespace loopscope::views
