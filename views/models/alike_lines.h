#pragma once
// A directive's line about one node, as it reads about another: loops, indices and sources by their
// places, and names that nothing has yet.

#include "views/models/snapshots.h"

#include <set>
#include <string>

namespace loopscope::views {

struct AlikeLine {
    QString line;
    QString absent; // why there is none; then `line` is empty
};
// `made`: names of stages that other lines of the same step make, and then this one's.
AlikeLine alike_line(const ScheduleTree& tree, const QString& line, const NodeId& from,
                     const NodeId& to, std::set<std::string>& made);

} // namespace loopscope::views
