#include "core/schedule/tree.h"

namespace loopscope {

namespace {

bool path_to(const TreeNode& node, const NodeId& id, std::vector<const TreeNode*>& path) {
    path.push_back(&node);
    if (node.id == id)
        return true;
    for (const auto& child : node.children)
        if (path_to(*child, id, path))
            return true;
    path.pop_back();
    return false;
}

Hash hash_to_depth(const TreeNode& node, int depth) {
    if (depth < 0)
        return node.hash;
    // At the cut only the node's identity, kind and extent count.
    Hash h = combine(combine(node.id.hash(), node.extent.hash()),
                     static_cast<std::uint64_t>(node.loop_kind));
    if (depth > 0)
        for (const auto& child : node.children)
            h = combine(h, hash_to_depth(*child, depth - 1));
    return h;
}

} // namespace

std::int64_t Prefetch::count() const {
    std::int64_t count = lines;
    for (std::size_t d = 0; d < region.dimensions.size(); ++d)
        if (d != contiguous)
            count *= region.dimensions[d].extent.hint();
    return count;
}

const DerivedStage* ScheduleTree::find_stage(const std::string& stage) const {
    for (const auto& s : stages)
        if (s.stage.name == stage)
            return &s;
    return nullptr;
}

std::vector<const TreeNode*> ScheduleTree::path(const NodeId& id) const {
    std::vector<const TreeNode*> out;
    if (root && path_to(*root, id, out))
        return out;
    return {};
}

const TreeNode* ScheduleTree::find(const NodeId& id) const {
    auto to = path(id);
    return to.empty() ? nullptr : to.back();
}

Hash ScheduleTree::structural_hash(int depth) const { return hash_to_depth(*root, depth); }

bool ScheduleTree::reassociates() const {
    for (const auto& stage : stages)
        for (bool r : stage.reassociates)
            if (r)
                return true;
    return false;
}

} // namespace loopscope
