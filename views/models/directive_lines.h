#pragma once
// The directives that a menu, a key or the inspector offers for a node, each as a line of a script.
// What is offered is what could be written; whether it may be applied is asked of the session
// (RefusalReason).

#include "core/schedule/directive.h"
#include "views/models/snapshots.h"

#include <vector>

class QKeyEvent;

namespace loopscope::views {

struct DirectiveChoice {
    QString label; // "32", "at out / yo"
    QString line;  // "C.split(k, ko, ki, 32)"
};

struct DirectiveGroup {
    QString verb;                         // "split"
    QString title;                        // "Split"
    QString key;                          // "S"; empty: none
    QString summary;                      // one sentence for the tooltip
    std::vector<DirectiveChoice> choices; // one: an entry of its own; more: a submenu
    QString absent; // why there is nothing to choose ("needs a loop inside"), when choices is empty
    // Sections that few schedules need stand in a menu of their own.
    DirectiveSection section = DirectiveSection::Loop;
};

// A key that gives a directive, or begins a gesture in its place.
struct DirectiveKey {
    const char* verb;
    const char* key;               // "Shift+Up"
    const char* gesture = nullptr; // "move"; null: the directive itself
};
const std::vector<DirectiveKey>& directive_keys();
// What a pressed key gives or begins; empty: nothing.
QString directive_of_key(const QKeyEvent& pressed);

// Is the directive for GPUs alone? A processor takes it as plain loops and hints: menus have it,
// for a script that is to go elsewhere, but nobody is to choose it for this machine.
bool is_for_gpus(DirectiveSection section, const QString& verb);
QString title_of(const char* verb); // "Stream its stores"

// All directives for a node, in the order of the menu. A storage or compute row offers its stage's
// and definition's. `device`: whose levels, scopes and intrinsics are offered; null: those of the
// language, and of a GPU of compute capability 8.0.
std::vector<DirectiveGroup> directive_groups(const ScheduleTree& tree, const NodeId& id,
                                             const device::Device* device = nullptr);
// One group of them, by verb; "reorder up" and "reorder down" tell the two reorders apart.
const DirectiveGroup* find_group(const std::vector<DirectiveGroup>& groups, const QString& verb);

// Where the stage of a node may be computed: at each loop that holds all its readers, at root,
// inline. The present place is left out. `absent`: why there is nothing to choose.
DirectiveGroup move_group(const ScheduleTree& tree, const NodeId& id);
// Where it may be stored: at each loop around the one at which it is computed, at root.
DirectiveGroup store_group(const ScheduleTree& tree, const NodeId& id);

// Divisors of the extent and powers of two below it, ascending, at most `limit`, never 1 nor the
// extent itself.
std::vector<std::int64_t> factor_choices(std::int64_t extent, int limit = 12);

// Splits by 2, into which any factor may be filled; null: no loop.
DirectivePtr split_directive(const ScheduleTree& tree, const NodeId& loop);

} // namespace loopscope::views
