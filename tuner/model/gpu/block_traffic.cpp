#include "tuner/model/gpu/block_traffic.h"

#include "core/schedule/gpu/shared_copies.h"
#include "tuner/model/gpu/warp_access.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace loopscope::model::gpu {

namespace {

// The accesses of a launch to one buffer of global memory.
class BufferTraffic {
public:
    BufferTraffic(const Work& work, const Launch& launch, const std::vector<PointRoles>& roles,
                  const KernelShape& shape, const device::Gpu& gpu, KernelWork& kernel,
                  BufferWork& buffer)
        : work_(work),
          launch_(launch),
          roles_(roles),
          shape_(shape),
          gpu_(gpu),
          kernel_(kernel),
          buffer_(buffer) {
        each_access([&](const PointWork& done, const Access& access) {
            const auto role = point(done).role;
            made_ =
                made_ || (access.write && (role == ComputeRole::Init || role == ComputeRole::Pure));
        });
    }

    // Accesses that read the same sectors, such as those of two stages, find each other's in the
    // first level.
    void ask_l2() {
        const double l1 = l1_bytes_of_block(shape_, gpu_);
        double alone = 0, asked = 0;
        std::vector<Part> together;
        each_access([&](PointWork& done, const Access& access) {
            if (!access.read)
                return;
            const auto part =
                part_of(work_, point(done), access, moving_in_block(point(done), roles(done)));
            alone += sector_bytes(work_, part);
            unite(together, part);
            const double bytes = block_load_bytes(work_, point(done), roles(done), access, l1) *
                                 static_cast<double>(shape_.blocks) / sharing(done) * done.share;
            asked += bytes;
            done.l2_bytes += bytes;
        });
        const double united = sector_bytes(work_, together);
        const double once = united <= l1 && alone > 0 ? united / alone : 1;
        buffer_.l2_load_bytes = std::min(asked * once, buffer_.load_sectors * kSectorBytes);
        buffer_.l2_store_bytes = buffer_.store_sectors * kSectorBytes;
    }

    // Each sector once, and what a wave shares.
    void find_sectors() {
        std::vector<Part> read, written, wave;
        each_access([&](const PointWork& done, const Access& access) {
            const auto all = part_of(work_, point(done), access, moving_in_launch(point(done)));
            if (access.write)
                unite(written, all);
            if (!access.read || made_) // what the launch has made itself is no matter of the DRAM
                return;
            unite(read, all);
            unite(wave, part_of(work_, point(done), access,
                                moving_in_wave(work_, launch_, point(done), roles(done),
                                               shape_.blocks_at_once)));
        });
        read_ = sector_bytes(work_, read);
        written_ = sector_bytes(work_, written);
        read_by_wave_ = sector_bytes(work_, wave);
    }
    double sectors() const { return std::max(read_, written_); }

    void ask_dram(bool fits_l2, double waves) {
        buffer_.dram_store_bytes = std::min(written_, buffer_.l2_store_bytes);
        const double again = std::min(waves * read_by_wave_, buffer_.l2_load_bytes);
        buffer_.dram_load_bytes = fits_l2 ? read_ : std::max(read_, again);
        // Rows that begin anywhere are an average: what DRAM gives has been asked for.
        buffer_.l2_load_bytes = std::max(buffer_.l2_load_bytes, buffer_.dram_load_bytes);
    }

private:
    void each_access(const std::function<void(PointWork&, const Access&)>& f) {
        for (auto& done : kernel_.points)
            for (const auto& access : point(done).accesses)
                if (access.buffer == buffer_.buffer)
                    f(done, access);
    }
    const Point& point(const PointWork& done) const {
        return work_.points[static_cast<std::size_t>(done.point)];
    }
    // Blocks that ask once for all of them.
    double sharing(const PointWork& done) const {
        const auto& stage = work_.tree_node(point(done).node).id.stage;
        return static_cast<double>(blocks_that_share(*work_.tree, stage));
    }
    const PointRoles& roles(const PointWork& done) const {
        return roles_[static_cast<std::size_t>(done.point)];
    }

    const Work& work_;
    const Launch& launch_;
    const std::vector<PointRoles>& roles_;
    const KernelShape& shape_;
    const device::Gpu& gpu_;
    KernelWork& kernel_;
    BufferWork& buffer_;
    bool made_ = false; // by this launch
    double read_ = 0, written_ = 0, read_by_wave_ = 0;
};

} // namespace

Moving moving_in_launch(const Point& point) { return point.trips; }

Moving moving_in_block(const Point& point, const PointRoles& roles) {
    Moving out = point.trips;
    for (std::size_t l = 0; l < out.size(); ++l)
        if (roles.loops[l] == Role::Block)
            out[l] = 1;
    return out;
}

Moving moving_in_wave(const Work& work, const Launch& launch, const Point& point,
                      const PointRoles& roles, std::int64_t blocks_at_once) {
    std::array<double, 3> taken{1, 1, 1};
    auto rest = static_cast<double>(std::max<std::int64_t>(blocks_at_once, 1));
    for (std::size_t axis = 0; axis < 3; ++axis) { // of a row of blocks on average a part
        const auto extent = static_cast<double>(launch.grid[axis]);
        taken[axis] = std::min(rest, extent);
        rest = std::max(rest / extent, 1.0);
    }
    Moving out = point.trips;
    for (std::size_t l = 0; l < out.size(); ++l)
        if (roles.loops[l] == Role::Block) {
            const auto axis = work.tree_node(point.loops[l]).numbers.axis;
            out[l] = std::min(out[l], taken[static_cast<std::size_t>(axis)]);
        }
    return out;
}

// From the threads alone outwards, loop by loop. A loop that moves the part, which has stayed in
// the first level until then, adds what is new of it; one that does not finds all of it there.
double block_load_bytes(const Work& work, const Point& point, const PointRoles& roles,
                        const Access& access, double l1_bytes) {
    Moving moving = moving_in_block(point, roles);
    for (std::size_t l = 0; l < moving.size(); ++l)
        if (roles.loops[l] == Role::Serial)
            moving[l] = 1;
    double part = sector_bytes(work, part_of(work, point, access, moving)), bytes = part;
    for (std::size_t l = moving.size(); l-- > 0;) {
        if (roles.loops[l] != Role::Serial)
            continue;
        moving[l] = point.trips[l];
        const double before = part;
        if (access.moves_with(l))
            part = sector_bytes(work, part_of(work, point, access, moving));
        bytes *= before <= l1_bytes ? std::min(part / before, point.trips[l]) : point.trips[l];
    }
    return bytes;
}

double l1_bytes_of_block(const KernelShape& shape, const device::Gpu& gpu) {
    const auto& occupancy = shape.occupancy;
    const double blocks =
        occupancy ? std::min<double>(occupancy->blocks,
                                     std::ceil(static_cast<double>(shape.launched_blocks()) /
                                               gpu.multiprocessors))
                  : 1;
    const auto bytes = occupancy ? occupancy->shared_bytes_per_block : shape.shared_bytes;
    const double left = static_cast<double>(gpu.limits.shared_bytes_per_multiprocessor) -
                        blocks * static_cast<double>(bytes);
    return (kL1BytesBesideShared + std::max(left, 0.0)) / blocks;
}

void add_traffic(const Work& work, const Launch& launch, const std::vector<PointRoles>& roles,
                 const KernelShape& shape, const device::Gpu& gpu, KernelWork& out) {
    std::vector<BufferTraffic> global;
    double together = 0;
    for (auto& buffer : out.buffers) {
        if (buffer.memory != Memory::Global)
            continue;
        global.emplace_back(work, launch, roles, shape, gpu, out, buffer);
        global.back().ask_l2();
        global.back().find_sectors();
        together += global.back().sectors();
    }
    const bool fits = gpu.l2_bytes && together <= kL2Share * gpu.l2_bytes->value;
    const double waves = static_cast<double>(shape.blocks) /
                         static_cast<double>(std::max<std::int64_t>(shape.blocks_at_once, 1));
    for (auto& buffer : global)
        buffer.ask_dram(fits, std::max(waves, 1.0));
}

} // namespace loopscope::model::gpu
