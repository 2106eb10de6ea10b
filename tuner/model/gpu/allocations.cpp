#include "tuner/model/gpu/allocations.h"

#include "core/schedule/gpu/swizzling.h"
#include "core/schedule/storage.h"
#include "tuner/model/gpu/thread_reduction.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace loopscope::model::gpu {

namespace {

using Range = std::pair<int, int>; // of Work::nodes, both ends included

class Uses {
public:
    Uses(const Work& work, int buffer) : work_(work), buffer_(buffer) {}

    // Where the memory is in use among the nodes that follow it. A loop that touches it runs again:
    // all of it counts.
    std::optional<Range> behind(int storage) const {
        const auto& parent = work_.nodes[static_cast<std::size_t>(node(storage).parent)];
        std::optional<Range> out;
        for (int sibling : parent.children)
            if (sibling > storage)
                unite(out, within(sibling));
        return out;
    }

private:
    const WorkNode& node(int n) const { return work_.nodes[static_cast<std::size_t>(n)]; }

    bool touches(int n) const {
        for (int p = node(n).first_point; p < node(n).last_point; ++p)
            for (const auto& access : work_.points[static_cast<std::size_t>(p)].accesses)
                if (access.buffer == buffer_)
                    return true;
        return false;
    }

    std::optional<Range> within(int n) const {
        if (!touches(n))
            return std::nullopt;
        if (node(n).node->kind == TreeKind::Loop)
            return Range{n, subtree_end(work_, n) - 1};
        if (node(n).children.empty())
            return Range{n, n};
        std::optional<Range> out;
        for (int child : node(n).children)
            unite(out, within(child));
        return out;
    }

    static void unite(std::optional<Range>& sum, const std::optional<Range>& more) {
        if (more)
            sum =
                sum ? Range{std::min(sum->first, more->first), std::max(sum->second, more->second)}
                    : *more;
    }

    const Work& work_;
    int buffer_;
};

std::int64_t elements(const TreeNode& storage) {
    std::int64_t out = storage.rotation;
    for (auto extent : storage_extents(storage))
        out *= extent;
    return out;
}

// `copies`: one for each virtual thread around it.
using Sizes = std::function<std::vector<std::int64_t>(const TreeNode& storage, Memory memory,
                                                      std::int64_t copies)>;

std::int64_t virtual_threads(const Work& work, int node) {
    std::int64_t out = 1;
    for (int n = node; n > 0; n = work.nodes[static_cast<std::size_t>(n)].parent)
        if (work.tree_node(n).numbers.is_virtual())
            out *= work.tree_node(n).extent.hint();
    return out;
}

std::vector<Allocation> rooms_of(const Work& work, const Launch& launch,
                                 const std::vector<Memory>& memories,
                                 const std::function<bool(Memory)>& wanted, const Sizes& sizes) {
    std::vector<Allocation> out;
    for (int root : launch.nodes)
        for (int n = root; n < subtree_end(work, root); ++n) {
            const auto& storage = work.tree_node(n);
            if (storage.kind != TreeKind::Storage)
                continue;
            const auto buffer =
                std::find_if(work.buffers.begin(), work.buffers.end(),
                             [&](const Buffer& b) { return b.name == storage.id.stage; });
            const auto index = buffer - work.buffers.begin();
            if (buffer == work.buffers.end() || !wanted(memories[static_cast<std::size_t>(index)]))
                continue;
            const auto threads = virtual_threads(work, n);
            if (auto used = Uses(work, static_cast<int>(index)).behind(n))
                for (auto size : sizes(storage, memories[static_cast<std::size_t>(index)], threads))
                    out.push_back(
                        {storage.id.stage, size, 0, used->first, used->second, 1, threads});
        }
    return out;
}

} // namespace

std::int64_t place_allocations(std::vector<Allocation>& allocations, std::int64_t alignment) {
    std::stable_sort(allocations.begin(), allocations.end(),
                     [](const Allocation& a, const Allocation& b) {
                         return a.size != b.size ? a.size > b.size : a.stage < b.stage;
                     });
    std::int64_t all = 0;
    for (std::size_t r = 0; r < allocations.size(); ++r) {
        std::vector<const Allocation*> meanwhile;
        for (std::size_t other = 0; other < r; ++other)
            if (allocations[other].first <= allocations[r].last &&
                allocations[r].first <= allocations[other].last)
                meanwhile.push_back(&allocations[other]);
        std::sort(meanwhile.begin(), meanwhile.end(),
                  [](const Allocation* a, const Allocation* b) { return a->offset < b->offset; });
        std::int64_t at = 0;
        const auto multiple = std::max(alignment, allocations[r].alignment);
        for (const auto* other : meanwhile) {
            if (at + allocations[r].size <= other->offset)
                break;
            at = std::max(at, (other->offset + other->size + multiple - 1) / multiple * multiple);
        }
        allocations[r].offset = at;
        all = std::max(all, at + allocations[r].size);
    }
    return all;
}

std::vector<Allocation> shared_allocations(const Work& work, const Launch& launch,
                                           const std::vector<Memory>& memories,
                                           const std::vector<PointRoles>& roles) {
    auto out = rooms_of(
        work, launch, memories, [](Memory memory) { return memory == Memory::Shared; },
        [](const TreeNode& storage, Memory, std::int64_t) {
            std::vector<std::int64_t> sizes;
            for (auto type : storage.types)
                sizes.push_back(elements(storage) * bytes(type));
            return sizes;
        });
    for (auto& room : out) {
        const auto* state = work.tree->state.find(room.stage);
        const auto* storage = work.tree->find({room.stage, -1, "@storage"});
        if (state && state->swizzled && storage)
            for (auto type : storage->types)
                if (const auto pattern = swizzling(*storage, type))
                    room.alignment = std::max(room.alignment, pattern->alignment());
    }
    for (int root : launch.nodes) {
        const auto& node = work.nodes[static_cast<std::size_t>(root)];
        for (int p = node.first_point; p < node.last_point; ++p) {
            const auto& point = work.points[static_cast<std::size_t>(p)];
            const auto reduction =
                thread_reduction(work, point, roles[static_cast<std::size_t>(p)]);
            if (!reduction)
                continue;
            for (auto type : point.stage->stage.types)
                if (auto size = reduction_cost(launch, *reduction, bytes(type)).room_bytes)
                    out.push_back({point.stage->stage.name, size, 0, point.node, point.node});
        }
    }
    return out;
}

std::vector<Allocation> private_allocations(const Work& work, const Launch& launch,
                                            const std::vector<Memory>& memories) {
    constexpr std::int64_t kWord = 4;
    const auto lanes = launch.lanes;
    return rooms_of(
        work, launch, memories,
        [](Memory memory) { return memory == Memory::Private || memory == Memory::Fragment; },
        [lanes](const TreeNode& storage, Memory memory, std::int64_t copies) {
            std::vector<std::int64_t> sizes;
            for (auto type : storage.types) {
                const auto all = copies * elements(storage);
                if (memory == Memory::Private)
                    sizes.push_back(all * std::max<std::int64_t>(1, bytes(type) / kWord));
                else // halves lie side by side in one register
                    sizes.push_back((all * bytes(type) + lanes * kWord - 1) / (lanes * kWord));
            }
            return sizes;
        });
}

} // namespace loopscope::model::gpu
