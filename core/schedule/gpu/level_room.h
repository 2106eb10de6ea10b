#pragma once
// What to write for a loop that is bound to a level of which the target has fewer than the loop has
// iterations: lines after which it has room, as the remedy of a refusal says them.

#include "core/schedule/tree.h"

#include <cstdint>
#include <set>
#include <string>

namespace loopscope {

// The loop whose iterations find no room, in the kernel in which it stands.
struct Crowded {
    const ScheduleTree& tree;
    const TreeNode& kernel;
    const TreeNode& loop;
    std::set<std::string> bound; // the levels to which loops of the kernel are bound
};

// Bind it to another level, of which nothing of the kernel is bound to any: "C.bind(i, thread.x)".
std::string bound_elsewhere(const Crowded& crowded, const std::string& level);
// Split it, so that `most` threads at most are of its level, and what is left is unbound, or a
// block's where it may be.
std::string threads_split(const Crowded& crowded, std::int64_t most);
// Split it, so that `most` blocks at most are of its level.
std::string blocks_split(const Crowded& crowded, std::int64_t most);

} // namespace loopscope
