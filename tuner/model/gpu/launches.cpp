#include "tuner/model/gpu/launches.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace loopscope::model::gpu {

namespace {

const WorkNode& node_of(const Work& work, int n) { return work.nodes[static_cast<std::size_t>(n)]; }

bool computes(const Work& work, const Launch& launch) {
    return std::any_of(launch.nodes.begin(), launch.nodes.end(), [&](int n) {
        const auto& node = node_of(work, n);
        for (int p = node.first_point; p < node.last_point; ++p)
            if (work.points[static_cast<std::size_t>(p)].points > 0)
                return true;
        return false;
    });
}

Launch made(const LaunchMapping& mapping, const std::unordered_map<const TreeNode*, int>& numbers) {
    Launch launch;
    launch.mapping = &mapping;
    launch.name = mapping.name;
    launch.stage = numbers.at(mapping.stage);
    for (const auto* node : mapping.nodes)
        launch.nodes.push_back(numbers.at(node));
    for (std::size_t axis = 0; axis < 3; ++axis)
        launch.grid[axis] = mapping.grid(axis);
    launch.cluster = mapping.cluster;
    launch.block = mapping.threads;
    launch.producers = thread_count(with_producers(mapping.threads, mapping.producers, kWarp)) -
                       thread_count(mapping.threads);
    launch.lanes = std::max(launch.lanes, mapping.lanes);
    launch.bound = !mapping.one_thread();
    return launch;
}

std::int64_t product(const std::array<std::int64_t, 3>& extents) {
    constexpr std::int64_t kMaxThreads = std::int64_t{1} << 62;
    std::int64_t out = 1;
    for (auto extent : extents)
        out = extent > kMaxThreads / out ? kMaxThreads : out * extent;
    return out;
}

Memory memory_of(device::Unit shared_by) {
    switch (shared_by) {
    case device::Unit::Grid: return Memory::Global;
    case device::Unit::Cluster: // refused, as one block's would be
    case device::Unit::Block: return Memory::Shared;
    case device::Unit::WarpGroup:
    case device::Unit::Warp: return Memory::Fragment;
    default: return Memory::Private;
    }
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

std::vector<Launch> launches(const Work& work, const Mapping& mapping) {
    std::unordered_map<const TreeNode*, int> numbers;
    for (std::size_t n = 0; n < work.nodes.size(); ++n)
        numbers[work.nodes[n].node] = static_cast<int>(n);
    std::vector<Launch> out;
    for (const auto& each : mapping.launches)
        if (auto launch = made(each, numbers); computes(work, launch))
            out.push_back(std::move(launch));
    return out;
}

std::vector<Memory> memories(const Work& work, const Mapping& mapping) {
    std::vector<Memory> out;
    for (const auto& buffer : work.buffers) {
        const auto stage = mapping.stages.find(buffer.name); // none of inputs
        out.push_back(stage == mapping.stages.end() ? Memory::Global
                                                    : memory_of(stage->second.memory));
    }
    return out;
}

} // namespace loopscope::model::gpu
