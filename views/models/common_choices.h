#pragma once
// What there is to choose for several nodes at once.

#include "views/models/choice_rows.h"

#include <vector>

namespace loopscope::views {

// More are not changed in one step: each takes its time.
constexpr std::size_t kMostAtOnce = 100;

// The groups of the first node; one that it has nothing to choose of is that of the next node that
// has.
std::vector<DirectiveGroup> groups_of_any(const ScheduleTree& tree,
                                          const std::vector<NodeId>& nodes,
                                          const device::Device* device = nullptr);

// The rows of the first node with the choices that all of them have. What is not so for every node
// is offered, as the edit of the first for which it is not.
std::vector<InspectorRow> common_rows(const ScheduleTree& tree, const Schedule* schedule,
                                      const std::vector<NodeId>& nodes,
                                      const device::Device* device);

QString nodes_title(const std::vector<NodeId>& nodes); // "3 stages", "2 loops", "5 rows"
QString short_node_name(const NodeId& id);             // "C.k", "blur_x"
QString names_text(const std::vector<NodeId>& nodes);  // of the first few, and how many more

} // namespace loopscope::views
