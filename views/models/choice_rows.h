#pragma once
// What the inspector offers for a node, row by row and in its order: factors, options, directives,
// switches.

#include "views/models/directive_lines.h"
#include "views/models/schedule_form.h"

#include <optional>
#include <variant>
#include <vector>

namespace loopscope::views {

// One button.
struct Choice {
    enum class Look {
        Option,
        Command,
        // of several, of which one is so now; an act; on or off
        Switch
    };
    Look look = Look::Command;
    QString name;        // "tail/guard": the same after an edit, so that the keyboard stays with it
    QString text;        // on the button
    QString spoken;      // with what it is a choice of
    QString explanation; // one sentence
    DirectiveEdit edit;
    bool present = false; // the schedule is so now

    bool can_be_made() const { return look == Look::Switch || !present; }
};

struct ChoiceRow {
    QString title;
    QString explanation; // one sentence
    std::vector<Choice> choices;
    std::optional<DirectiveGroup> all; // where there are more choices than buttons
};

using InspectorRow = std::variant<FactorForm, ChoiceRow>;

// `schedule` may be null: then nothing is edited in place. `device`: whose vectors `native` is of;
// null: not known.
std::vector<InspectorRow> inspector_rows(const ScheduleTree& tree, const Schedule* schedule,
                                         const NodeId& id, const device::Device* device);

// How many choices of a row with ChoiceRow::all have no button.
std::size_t without_button(const ChoiceRow& row);

} // namespace loopscope::views
