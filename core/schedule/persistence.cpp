#include "core/schedule/persistence.h"

#include "core/device/occupancy.h"
#include "core/schedule/block_threads.h"
#include "core/schedule/fragments.h"
#include "core/schedule/storage.h"
#include "core/schedule/tensor_call.h"

#include <algorithm>
#include <string>

namespace loopscope {

namespace {

constexpr std::int64_t kManyThreads = 1 << 20; // of threads: no device has blocks of so many

std::string block_level(std::size_t axis) { return std::string("block.") + "xyz"[axis]; }

// What one launch asks for: loops of one definition at root, and all inside of them.
class LaunchPlan {
public:
    LaunchPlan(const device::Device& device, const Fragments& fragments)
        : device_(device), fragments_(fragments) {}

    void add(const TreeNode& node) { add(node, 1); }

    void place(std::map<NodeId, std::int64_t>& out) const {
        if (persistent_.empty())
            return;
        std::int64_t left = slots();
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (!is_persistent(block_level(axis)))
                left /= extent(block_level(axis));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto level = block_level(axis);
            if (!is_persistent(level))
                continue;
            const auto blocks = std::clamp<std::int64_t>(left, 1, extent(level));
            left /= blocks;
            for (const auto* loop : persistent_)
                if (loop->binding == level)
                    out[loop->id] = blocks;
        }
    }

private:
    void add(const TreeNode& node, std::int64_t virtual_threads) {
        if (node.kind == TreeKind::Loop && !node.binding.empty()) {
            auto& greatest = extents_[node.binding];
            greatest = std::max(greatest, node.extent.hint());
            if (node.persistent)
                persistent_.push_back(&node);
            if (node.binding == "vthread")
                virtual_threads *= std::max<std::int64_t>(node.extent.hint(), 1);
        }
        if (node.tensor)
            together(*node.tensor->intrinsic);
        if (auto layout = fragments_.layouts.find(node.id.stage);
            node.kind == TreeKind::Stage && layout != fragments_.layouts.end())
            together(*layout->second.intrinsic);
        if (node.kind == TreeKind::Storage)
            add_storage(node, virtual_threads);
        if (node.kind == TreeKind::Stage)
            producers_ = std::max(producers_, node.producers);
        for (const auto& child : node.children)
            add(*child, virtual_threads);
    }

    void together(const Intrinsic& intrinsic) { lanes_ = std::max(lanes_, intrinsic.lanes); }

    bool in_fragments(const TreeNode& node) const {
        return fragments_.layouts.count(node.id.stage) > 0;
    }

    void add_storage(const TreeNode& node, std::int64_t virtual_threads) {
        const auto* scope = device_.gpu->scope(node.scope);
        if (scope && scope->shared_by == "block") {
            shared_bytes_ += storage_bytes(node);
            return;
        }
        constexpr double kWord = 4;
        if (in_fragments(node))
            registers_ +=
                storage_bytes(node) /
                (static_cast<double>(fragments_.layouts.at(node.id.stage).intrinsic->lanes) *
                 kWord);
        else if (!scope || scope->shared_by == "thread")
            for (auto type : node.types)
                registers_ += elements(node) * static_cast<double>(virtual_threads) *
                              std::max(1.0, bytes(type) / kWord);
    }

    static double elements(const TreeNode& node) {
        double out = static_cast<double>(node.rotation);
        for (auto extent : storage_extents(node))
            out *= static_cast<double>(extent);
        return out;
    }

    std::int64_t extent(const std::string& level) const {
        auto found = extents_.find(level);
        return found == extents_.end() ? 1 : std::max<std::int64_t>(found->second, 1);
    }
    bool is_persistent(const std::string& level) const {
        return std::any_of(persistent_.begin(), persistent_.end(),
                           [&](const auto* loop) { return loop->binding == level; });
    }

    std::int64_t threads() const {
        const auto warp = std::int64_t{device_.gpu->warp_threads};
        return thread_count(
            with_producers(block_threads(extents_, lanes_, warp), producers_, warp));
    }

    std::int64_t slots() const {
        const auto& gpu = *device_.gpu;
        device::BlockResources block;
        block.threads = static_cast<int>(std::min(threads(), kManyThreads));
        // What is beyond lies in memory.
        const auto most = static_cast<double>(device::most_registers(gpu, block.threads));
        block.registers_per_thread = static_cast<int>(std::min(kOtherRegisters + registers_, most));
        block.shared_bytes = static_cast<std::int64_t>(shared_bytes_);
        const auto occupancy = device::occupancy(device_, block);
        // A block that is beyond a limit is refused elsewhere (runnable.h).
        return std::int64_t{gpu.multiprocessors} * (occupancy ? occupancy->blocks : 1);
    }

    const device::Device& device_;
    const Fragments& fragments_;
    std::map<std::string, std::int64_t> extents_; // the greatest, by level
    std::vector<const TreeNode*> persistent_;
    std::int64_t lanes_ = 0; // that work together: a warp's, or those of a group of four; 0: none
    std::int64_t producers_ = 0; // warpgroups that only load
    double shared_bytes_ = 0;
    double registers_ = 0; // of a thread's own
};

void collect_blocks(const TreeNode& stage, const device::Device& device, const Fragments& fragments,
                    std::map<NodeId, std::int64_t>& out) {
    const auto& children = stage.children;
    for (std::size_t i = 0; i < children.size();) {
        const auto& first = *children[i];
        if (first.kind == TreeKind::Stage || first.kind == TreeKind::Storage) {
            if (first.kind == TreeKind::Stage)
                collect_blocks(first, device, fragments, out);
            ++i;
            continue;
        }
        LaunchPlan plan(device, fragments);
        for (; i < children.size(); ++i) {
            const auto& next = *children[i];
            if (next.kind == TreeKind::Stage || next.kind == TreeKind::Storage ||
                next.id.definition != first.id.definition)
                break;
            plan.add(next);
        }
        plan.place(out);
    }
}

bool any_persistent(const TreeNode& node) {
    return node.persistent || std::any_of(node.children.begin(), node.children.end(),
                                          [](const auto& child) { return any_persistent(*child); });
}

} // namespace

std::map<NodeId, std::int64_t> persistent_blocks(const ScheduleTree& tree,
                                                 const device::Device& device) {
    std::map<NodeId, std::int64_t> out;
    if (device.gpu && any_persistent(*tree.root))
        collect_blocks(*tree.root, device, find_fragments(tree), out);
    return out;
}

} // namespace loopscope
