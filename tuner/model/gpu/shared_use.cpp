#include "tuner/model/gpu/shared_use.h"

#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope::model::gpu {

namespace {

constexpr std::int64_t kMinWord = 1; // byte

class Collector {
public:
    Collector(const ScheduleTree& tree, const device::Gpu& gpu)
        : tree_(tree),
          gpu_(gpu),
          mapping_(map_to_gpu(tree)),
          work_(flatten(tree)),
          memories_(memories(work_, mapping_)) {
        for (const auto& buffer : work_.buffers)
            buffers_.push_back(described(buffer));
        roles_.resize(work_.points.size());
        launches_ = launches(work_, mapping_);
        for (const auto& launch : launches_)
            add_roles(work_, launch, memories_, mapping_, roles_);
    }

    std::vector<SharedBuffer> run() {
        for (const auto& launch : launches_)
            for (int root : launch.nodes) {
                const auto& node = work_.nodes[static_cast<std::size_t>(root)];
                for (int p = node.first_point; p < node.last_point; ++p)
                    collect(launch, static_cast<std::size_t>(p));
            }
        std::vector<SharedBuffer> out;
        for (std::size_t b = 0; b < buffers_.size(); ++b)
            if (memories_[b] == Memory::Shared)
                out.push_back(std::move(buffers_[b]));
        return out;
    }

private:
    SharedBuffer described(const Buffer& buffer) const {
        SharedBuffer out;
        out.stage = buffer.name;
        out.element_bytes = std::max(kMinWord, static_cast<std::int64_t>(buffer.element_bytes));
        out.copies = buffer.copies;
        for (std::size_t d = 0; d < buffer.extents.size(); ++d) {
            out.extents.push_back(static_cast<std::int64_t>(buffer.extents[d]));
            out.pitch.push_back(static_cast<std::int64_t>(buffer.pitch[d]));
        }
        out.swizzled = swizzled(tree_, buffer);
        if (const auto* storage = tree_.find({buffer.name, -1, "@storage"}))
            for (auto d : storage_order(*storage))
                out.names.push_back(storage->region.dimensions[d].index);
        return out;
    }

    void collect(const Launch& launch, std::size_t p) {
        const auto& point = work_.points[p];
        if (point.points <= 0)
            return;
        const Lanes lanes(launch, point, roles_[p]);
        for (const auto& access : point.accesses) {
            const auto b = static_cast<std::size_t>(access.buffer);
            if (memories_[b] != Memory::Shared)
                continue;
            const BankLayout banks{gpu_.limits.shared_banks, gpu_.limits.shared_bank_bytes,
                                   buffers_[b].swizzled};
            const auto cost =
                warp_cost(work_, point, roles_[p], lanes, access, Memory::Shared, banks);
            const auto indices =
                lane_indices(work_, point, roles_[p], lanes, access, Memory::Shared, banks);
            for (bool write : {false, true}) {
                if (write ? !access.write : !access.read)
                    continue;
                SharedAccess one;
                one.node = work_.tree_node(point.node).id;
                one.write = write;
                one.by_instruction = roles_[p].together;
                if (cost.accesses > 0) {
                    one.passes = cost.passes / cost.accesses;
                    one.least = cost.passes_least / cost.accesses;
                }
                one.lanes = indices;
                buffers_[b].accesses.push_back(std::move(one));
            }
        }
    }

    const ScheduleTree& tree_;
    const device::Gpu& gpu_;
    const Mapping mapping_;
    Work work_;
    std::vector<Memory> memories_;
    std::vector<SharedBuffer> buffers_; // by Work::buffers
    std::vector<PointRoles> roles_;
    std::vector<Launch> launches_;
};

} // namespace

std::vector<SharedBuffer> shared_use(const ScheduleTree& tree, const device::Device& device) {
    return device.gpu ? Collector(tree, *device.gpu).run() : std::vector<SharedBuffer>{};
}

} // namespace loopscope::model::gpu
