#include "core/schedule/gpu/persistence.h"

#include "core/device/occupancy.h"
#include "core/schedule/storage.h"
#include "core/schedule/tensor_call.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr std::int64_t kManyThreads = 1 << 20; // of threads: no device has blocks of so many

class LaunchPlan {
public:
    LaunchPlan(const device::Device& device, const Mapping& mapping, const LaunchMapping& launch)
        : device_(device), mapping_(mapping), launch_(launch) {
        for (const auto* node : launch.nodes)
            add(*node, 1);
    }

    void place(std::map<NodeId, std::int64_t>& out) const {
        std::int64_t left = slots();
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (!is_persistent(axis))
                left /= launch_.blocks[axis];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!is_persistent(axis))
                continue;
            const auto blocks = std::clamp<std::int64_t>(left, 1, launch_.blocks[axis]);
            left /= blocks;
            for (const auto* loop : launch_.persistent)
                if (along(*loop) == axis)
                    out[loop->id] = blocks;
        }
    }

private:
    void add(const TreeNode& node, std::int64_t virtual_threads) {
        if (node.numbers.is_virtual())
            virtual_threads *= std::max<std::int64_t>(node.extent.hint(), 1);
        if (node.kind == TreeKind::Storage)
            add_storage(node, virtual_threads);
        for (const auto& child : node.children)
            add(*child, virtual_threads);
    }

    void add_storage(const TreeNode& node, std::int64_t virtual_threads) {
        if (node.scope.shared_by == device::Unit::Block) {
            shared_bytes_ += storage_bytes(node);
            return;
        }
        constexpr double kWord = 4;
        const auto& layouts = mapping_.fragments.layouts;
        if (const auto held = layouts.find(node.id.stage); held != layouts.end())
            registers_ +=
                storage_bytes(node) / (static_cast<double>(held->second.intrinsic->lanes) * kWord);
        else if (node.scope.shared_by == device::Unit::Thread)
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

    static std::size_t along(const TreeNode& loop) {
        return static_cast<std::size_t>(loop.numbers.axis);
    }
    bool is_persistent(std::size_t axis) const {
        return std::any_of(launch_.persistent.begin(), launch_.persistent.end(),
                           [&](const auto* loop) { return along(*loop) == axis; });
    }

    std::int64_t threads() const {
        const auto warp = std::int64_t{device_.gpu->warp_threads};
        return thread_count(with_producers(launch_.threads, launch_.producers, warp));
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
    const Mapping& mapping_;
    const LaunchMapping& launch_;
    double shared_bytes_ = 0;
    double registers_ = 0; // of a thread's own
};

} // namespace

std::map<NodeId, std::int64_t> persistent_blocks(const Mapping& mapping,
                                                 const device::Device& device) {
    std::map<NodeId, std::int64_t> out;
    for (const auto& launch : mapping.launches)
        if (device.gpu && !launch.persistent.empty())
            LaunchPlan(device, mapping, launch).place(out);
    return out;
}

} // namespace loopscope
