#pragma once
// Questions about a node of a schedule tree and all below it.

#include "core/schedule/tree.h"

#include <algorithm>

namespace loopscope {

// Does `holds` hold of the node, or of one below it?
template <typename Holds> bool any_node(const TreeNode& node, const Holds& holds) {
    return holds(node) || std::any_of(node.children.begin(), node.children.end(),
                                      [&](const auto& child) { return any_node(*child, holds); });
}

// Is a loop at or below the node bound to a level of a GPU?
inline bool binds_loops(const TreeNode& node) {
    return any_node(node, [](const TreeNode& each) { return each.numbers.any(); });
}

} // namespace loopscope
