#pragma once
// What a node of a schedule tree is called in the window: the parts of its row, and a sentence for
// its tooltip.

#include "views/models/snapshots.h"
#include "views/style/theme.h"

namespace loopscope::views {

QString node_name(const TreeNode& node); // "io", "C"
QString node_detail(const ScheduleTree& tree,
                    const TreeNode& node); // "32", "sum → f32 [4096, 4096]"
QString node_tag(const TreeNode& node);    // "parallel", "vector ×8", "local"; a stage has none
Meaning node_meaning(const TreeNode& node);
// What bounds a kernel ("compute", "L2") has the colour of the work that it waits for.
Meaning meaning_of_bound(const std::string& bound);
QString node_kind(const TreeNode& node); // "loop", "stage", "storage", "compute"
QString node_sentence(const ScheduleTree& tree, const TreeNode& node,
                      const model::NodeCost* cost); // cost: may be null
// "C · loop ko": short, for titles.
QString node_title(const NodeId& id);

QString types_text(const std::vector<ScalarType>& types); // "f32", "(f32, i32)"
QString region_text(const Region& region);                // "[68, 260]"
double region_bytes(const Region& region, const std::vector<ScalarType>& types);
double box_bytes(const Box& box, const std::vector<ScalarType>& types);
// "pure", "sum", "update": how a stage's first definition computes; "copy of B" for a copy.
QString stage_nature(const ScheduleTree& tree, const std::string& stage);

// The iterations of a loop without those that warm up or fill a pipeline: what its factors are of.
std::int64_t iterations(const TreeNode& loop);
// The name of a loop in scripts: the copy of a loop for an initialisation has its original's.
std::string loop_name(const TreeNode& node);

} // namespace loopscope::views
