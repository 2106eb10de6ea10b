#pragma once
// Nodes of a schedule tree that are selected together: by a pattern of their names, or because they
// are like one.

#include "core/base/result.h"
#include "core/schedule/tree.h"

#include <string>
#include <vector>

namespace loopscope::session {

// "blur_*": the stages that the pattern means, as a receiver in a script would (`*`: any letters,
// `{1..4}`: the numbers 1 to 3). "blur_*.x": their loops of a name, which may be a pattern, too.
// Errors: nothing has such a name.
Result<std::vector<NodeId>> nodes_named(const ScheduleTree& tree, const std::string& pattern);

// The node and all like it; empty: it is neither a loop nor of a computed stage.
// - A loop is like those that run as it does (serial, parallel, in lanes, unrolled, bound to the
//   same level; over a reduction or not) and have its name or as many iterations.
// - Any other node stands for its stage, which is like those that came about as it did (written in
//   the pipeline, a copy of what is read, a cache of what is written, a part of a reduction), are
//   computed at such a place (root, a loop, inline) and lie in the same memory.
std::vector<NodeId> nodes_like(const ScheduleTree& tree, const NodeId& id);

} // namespace loopscope::session
