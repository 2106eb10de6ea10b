#pragma once
// Graphviz' layered layout, the only place that names it. Its library keeps global state: one
// context for the whole process, and one layout at a time. A layout cannot be interrupted:
// layout_choice.h says which graphs it may have.

#include "views/geometry/graph_layout.h"
#include "views/geometry/layout_work.h"

#include <optional>
#include <string>

namespace loopscope::views {

std::string graphviz_version();

// What to do while another thread's layout is under way.
enum class GraphvizBusy { Wait, GiveUp };

// Without labels' places: the caller sets them. Empty where it was cancelled before it began;
// nullopt: another thread's layout is under way.
std::optional<GraphLayout> graphviz_layout(const GraphDescription& description, LayoutWork& work,
                                           GraphvizBusy busy);

} // namespace loopscope::views
