#pragma once
// The structural hash of a node without its children (tree.h): it covers whatever a view or a model
// could tell two nodes apart by.

#include "core/schedule/tree.h"

namespace loopscope {

Hash own_hash(const TreeNode& node);

} // namespace loopscope
