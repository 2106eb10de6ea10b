#pragma once
// How the memory of stages is said in words: where it lives, what of it is kept, how many copies
// there are.

#include "core/schedule/tree.h"

#include <QString>

#include <vector>

namespace loopscope::views {

// The levels of a stage's node: "at yi · stored at yo". Empty: it is stored where it is computed.
QString levels_text(const TreeNode& node);
// How storage folds: "4 of 34 rows, circular". Empty: it does not.
QString folded_text(const TreeNode& storage);
// How a pipelined stage rotates: on its storage "× 3, 2 ahead", on the stage "2 ahead". Empty: it
// is not pipelined.
QString rotation_text(const TreeNode& node);
// A loop's first iterations: "1 to warm up", "2 to fill the pipeline". Empty: each of its
// iterations is one of its definition.
QString warm_up_text(const TreeNode& loop);
// How many iterations ahead of the one that uses them stages inside of a loop run; 0: none does.
std::int64_t pipelined_ahead(const TreeNode& loop);
// The iterations before the first of a loop in which a stage is computed, and what else is inside
// is not.
struct EarlyRun {
    NodeId loop;
    std::int64_t iterations = 0;
};
std::vector<EarlyRun> early_runs(const ScheduleTree& tree, const TreeNode& stage);
// Bytes that storage would take if it did not fold; 0: it does not.
double unfolded_bytes(const TreeNode& storage);
// Hints of the stage, which only GPUs heed: "banks swizzled by 128 bytes", "by 2 producer
// warpgroups". Empty: it has none.
QString hints_text(const ScheduleTree& tree, const TreeNode& node);

} // namespace loopscope::views
