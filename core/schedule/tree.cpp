#include "core/schedule/tree.h"

#include "core/base/work.h"

#include <algorithm>

namespace loopscope {

namespace {

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
    const auto found = stage_places_.find(stage);
    return found == stage_places_.end() ? nullptr : &stages[found->second];
}

void ScheduleTree::index_nodes() {
    nodes_.clear();
    parents_.clear();
    stage_places_.clear();
    for (std::size_t i = 0; i < stages.size(); ++i)
        stage_places_.emplace(stages[i].stage.name, i);
    std::vector<const TreeNode*> left{root.get()};
    while (!left.empty()) {
        const auto* node = left.back();
        left.pop_back();
        nodes_.emplace(node->id, node); // of two with one identity the first in preorder
        for (auto child = node->children.rbegin(); child != node->children.rend(); ++child) {
            parents_[child->get()] = node;
            left.push_back(child->get());
        }
    }
}

const TreeNode* ScheduleTree::find(const NodeId& id) const {
    count_work(Work::NodesVisited);
    const auto found = nodes_.find(id);
    return found == nodes_.end() ? nullptr : found->second;
}

std::vector<const TreeNode*> ScheduleTree::path(const NodeId& id) const {
    std::vector<const TreeNode*> out;
    for (const auto* node = find(id); node;) {
        out.push_back(node);
        count_work(Work::NodesVisited);
        const auto parent = parents_.find(node);
        node = parent == parents_.end() ? nullptr : parent->second;
    }
    std::reverse(out.begin(), out.end());
    return out;
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
