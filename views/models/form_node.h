#pragma once
// What the forms of a schedule are about: a node's stage, definition and loop in the schedule's
// state, and the lines of the script that speak of it.

#include "core/schedule/directive.h"
#include "core/schedule/nest.h"
#include "views/models/directive_lines.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope::views {

// A directive's loops, factors and tail.
struct LoopFields {
    std::vector<std::string> made;  // names of new loops
    std::vector<std::string> named; // existing loops
    std::vector<std::string> factors;
    bool has_tail = false;
    Tail tail = Tail::Guard;
};
LoopFields loop_fields(const Directive& directive);

// The directive's line with its fields changed.
template <typename... Changes>
QString changed_line(const Directive& directive, Changes... changes) {
    const auto changed = directive.clone();
    visit_fields(changed->fields(), changes..., [](const char*, const auto&) {});
    return to_qstring(changed->text());
}

struct FormNode {
    const StageState* stage = nullptr;
    int definition = 0;
    const LoopState* loop = nullptr; // null: the node is no loop

    const DefinitionState& nest() const {
        return stage->definitions[static_cast<std::size_t>(definition)];
    }
    QString receiver() const { return to_qstring(definition_name(stage->name, definition)); }
};
FormNode find_node(const ScheduleTree& tree, const NodeId& id);

// Whether the directive is about the node's definition, or about its whole stage.
bool speaks_of(const ScheduleTree& tree, const Directive& directive, const FormNode& node);

// The directive that made a loop by a factor, and which of its factors that is.
struct FactorMaker {
    DirectivePtr directive;
    std::size_t factor = 0;
    std::string parent; // the loop that was split
};
// Without a directive: none made it, or `schedule` is null.
FactorMaker maker_of(const ScheduleTree& tree, const Schedule* schedule, const FormNode& node);

} // namespace loopscope::views
