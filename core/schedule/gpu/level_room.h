#pragma once
// Remedies for a loop that is bound to a level of which the target has fewer than the loop has
// iterations: lines after which it fits.

#include "core/schedule/tree.h"

#include <cstdint>
#include <set>
#include <string>

namespace loopscope {

// A loop with more iterations than its level has, and the kernel in which it stands.
struct Crowded {
    const ScheduleTree& tree;
    const TreeNode& kernel;
    const TreeNode& loop;
    std::set<std::string> bound; // the levels to which loops of the kernel are bound
};

// The line that binds the loop to another level, to which nothing of the kernel is bound:
// "C.bind(i, thread.x)".
std::string bound_elsewhere(const Crowded& crowded, const std::string& level);
// The lines that split the loop, so that at most `most` threads are of its level, and the rest is
// unbound, or a block's where it may be.
std::string threads_split(const Crowded& crowded, std::int64_t most);
// The lines that split the loop, so that at most `most` blocks are of its level.
std::string blocks_split(const Crowded& crowded, std::int64_t most);

} // namespace loopscope
