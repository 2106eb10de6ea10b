#include "tuner/model/gpu/launches.h"

#include "core/schedule/block_threads.h"
#include "core/schedule/tensor_call.h"

#include <algorithm>
#include <map>

namespace loopscope::model::gpu {

namespace {

const WorkNode& node_of(const Work& work, int n) { return work.nodes[static_cast<std::size_t>(n)]; }

// The blocks of a cluster follow one another along x and y of the grid.
void set_grid(std::map<std::string, std::int64_t>& extents, Launch& launch) {
    const char* const blocks[] = {"block.x", "block.y", "block.z"};
    const char* const clusters[] = {"cluster.x", "cluster.y"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (auto found = extents.find(blocks[axis]); found != extents.end())
            launch.grid[axis] = found->second;
        if (axis > 1 || !extents.count(clusters[axis]))
            continue;
        launch.grid[axis] *= extents[clusters[axis]];
        launch.cluster[axis] = extents[clusters[axis]];
    }
}

void set_dimensions(const Work& work, Launch& launch) {
    std::map<std::string, std::int64_t> extents; // the greatest, by level
    std::int64_t together = 0, producers = 0;    // lanes of one work; warpgroups
    for (int root : launch.nodes)
        for (int n = root; n < subtree_end(work, root); ++n) {
            const auto& node = work.tree_node(n);
            if (node.tensor) // the lanes of a warp together, or those of a group of four
                together = std::max(together, node.tensor->intrinsic->lanes);
            if (node.kind == TreeKind::Stage)
                producers = std::max(producers, node.producers);
            if (node.kind != TreeKind::Loop || axis_of(node.binding).of == LevelAxis::Of::None)
                continue;
            auto& greatest = extents[node.binding];
            greatest = std::max({greatest, node.extent.hint(), std::int64_t{1}});
        }
    launch.bound = !extents.empty() || together > 0;
    launch.lanes = std::max(launch.lanes, together);
    launch.block = block_threads(extents, together, kWarp);
    launch.producers =
        thread_count(with_producers(launch.block, producers, kWarp)) - thread_count(launch.block);
    set_grid(extents, launch);
}

bool computes(const Work& work, const Launch& launch) {
    return std::any_of(launch.nodes.begin(), launch.nodes.end(), [&](int n) {
        const auto& node = node_of(work, n);
        for (int p = node.first_point; p < node.last_point; ++p)
            if (work.points[static_cast<std::size_t>(p)].points > 0)
                return true;
        return false;
    });
}

void collect(const Work& work, int parent, std::vector<Launch>& out) {
    const auto& children = node_of(work, parent).children;
    for (std::size_t i = 0; i < children.size();) {
        const auto& node = work.tree_node(children[i]);
        if (node.kind == TreeKind::Storage || node.kind == TreeKind::Stage) {
            if (node.kind == TreeKind::Stage)
                collect(work, children[i], out);
            ++i;
            continue;
        }
        Launch launch;
        launch.name = definition_name(node.id.stage, node.id.definition);
        launch.stage = parent;
        for (; i < children.size(); ++i) {
            const auto& next = work.tree_node(children[i]);
            if (next.kind == TreeKind::Stage || next.kind == TreeKind::Storage ||
                next.id.definition != node.id.definition)
                break;
            launch.nodes.push_back(children[i]);
        }
        if (!computes(work, launch))
            continue;
        set_dimensions(work, launch);
        out.push_back(std::move(launch));
    }
}

std::int64_t product(const std::array<std::int64_t, 3>& extents) {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    std::int64_t out = 1;
    for (auto extent : extents)
        out = extent > kMost / out ? kMost : out * extent;
    return out;
}

Memory memory_of(const TreeNode& storage, const device::Gpu& gpu) {
    if (storage.scope == "host")
        return Memory::Global;
    const auto* scope = gpu.scope(storage.scope);
    const std::string shared_by = scope ? scope->shared_by : "thread";
    if (shared_by == "grid")
        return Memory::Global;
    return shared_by == "thread" ? Memory::Private
           : shared_by == "warp" ? Memory::Fragment
                                 : Memory::Shared;
}

} // namespace

std::int64_t Launch::blocks() const { return product(grid); }
std::int64_t Launch::threads() const { return product(block); }
std::int64_t Launch::cluster_blocks() const { return product(cluster); }

int subtree_end(const Work& work, int node) {
    auto end = static_cast<std::size_t>(node) + 1;
    while (end < work.nodes.size() && work.nodes[end].parent >= node)
        ++end;
    return static_cast<int>(end);
}

LevelAxis axis_of(const std::string& level) {
    if (level == "warp")
        return {LevelAxis::Of::Block, 1};
    if (level == "warpgroup")
        return {LevelAxis::Of::Block, 2};
    const auto point = level.find('.');
    if (point == std::string::npos || point + 2 != level.size())
        return {};
    const auto axis = level[point + 1] - 'x';
    const auto unit = level.substr(0, point);
    if (axis < 0 || axis > 2)
        return {};
    if (unit == "block" || unit == "cluster")
        return {LevelAxis::Of::Grid, axis};
    if (unit == "warp" && axis < 2)
        return {LevelAxis::Of::Block, axis + 1};
    return unit == "thread" ? LevelAxis{LevelAxis::Of::Block, axis} : LevelAxis{};
}

std::vector<Launch> launches(const Work& work) {
    std::vector<Launch> out;
    collect(work, 0, out);
    return out;
}

std::vector<Memory> memories(const Work& work, const device::Gpu& gpu) {
    std::map<std::string, Memory> inside; // of stages that are not at root
    for (const auto& node : work.nodes)
        if (node.node->kind == TreeKind::Storage && node.parent > 0)
            inside[node.node->id.stage] = memory_of(*node.node, gpu);
    std::vector<Memory> out;
    for (const auto& buffer : work.buffers) {
        auto found = inside.find(buffer.name);
        out.push_back(found == inside.end() ? Memory::Global : found->second);
    }
    return out;
}

} // namespace loopscope::model::gpu
