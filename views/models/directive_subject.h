#pragma once
// What the files that make lines of a script for a menu share: the selected node as directives see
// it, and the pieces that a line is made of.

#include "core/schedule/directive.h"
#include "core/schedule/reads.h"
#include "views/models/directive_lines.h"

#include <QStringList>

#include <set>

namespace loopscope::views {

// A node as directives see it: a definition, and one of its loops if the node is one.
struct Subject {
    const ScheduleTree* tree = nullptr;
    const StageState* stage = nullptr; // null: the node is no stage's
    int definition = 0;
    std::string loop;     // empty: none
    ApplyContext context; // whose levels, scopes and intrinsics there are to choose from

    const DefinitionState& nest() const {
        return stage->definitions[static_cast<std::size_t>(definition)];
    }
    int position() const { return loop.empty() ? -1 : nest().position(loop); }
    std::string receiver() const { return definition_name(stage->name, definition); }
    DefinitionKey key() const { return {stage->name, definition}; }
    std::int64_t extent(const std::string& name) const; // of a loop of its nest; 0: not known
};
Subject subject_of(const ScheduleTree& tree, const NodeId& id,
                   const device::Device* device = nullptr);

// "C.split(k, ko, ki, 32)"
QString call(const std::string& receiver, const char* verb, const QStringList& arguments);
// A name that no loop of the nest has, nor ever had.
std::string fresh(const Subject& s, const std::string& wanted,
                  const std::set<std::string>& taken = {});
// A name that no stage and no input has.
std::string fresh_stage(const ScheduleState& state, const std::string& wanted);
// Without choices, and with the title, key and section that the verb has everywhere.
DirectiveGroup group_of(const char* verb);
void add_one(DirectiveGroup& g, const QString& line); // its only choice, named like the group

// Where a stage is computed and stored, and with whom it shares loops (stage_lines.cpp).
void add_stage_groups(const Subject& s, std::vector<DirectiveGroup>& groups);
DirectiveGroup compute_at_group(const Subject& s);

// Directives whose fields alone say what there is to choose (field_choices.cpp): those that no
// group is about yet.
void add_general_groups(const Subject& s, std::vector<DirectiveGroup>& groups);
// Gives the fields of a directive their first values.
void fill_fields(const Subject& s, Directive& directive);

} // namespace loopscope::views
