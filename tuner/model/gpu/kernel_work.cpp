#include "tuner/model/gpu/kernel_work.h"

#include "tuner/model/gpu/block_traffic.h"
#include "tuner/model/gpu/warp_access.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace loopscope::model::gpu {

namespace {

constexpr double kWarp = 32;

bool runs_itself(Role role) {
    return role == Role::Serial || role == Role::Unrolled || role == Role::Vector;
}

bool moves(const Access& access, std::size_t loop) {
    return access.depths >> std::min<std::size_t>(loop, 63) & 1;
}

// How often a thread makes an access in one block, wide vectors as one. `written`: loops outside of this position change what
// is in the buffer. `every`: also where a register would hold it.
double repeats(const Point& point, const PointRoles& roles, const Access& access, int along,
               std::size_t written, bool divided_moves, bool every) {
    double out = 1;
    bool reloads = every;
    for (std::size_t l = roles.loops.size(); l-- > 0;) {
        const auto role = roles.loops[l];
        const bool moved = moves(access, l);
        reloads = reloads || l < written || (role == Role::Divided && divided_moves && moved);
        if (!runs_itself(role) || static_cast<int>(l) == along)
            continue;
        if (reloads || moved)
            out *= point.trips[l];
        reloads = reloads || (role == Role::Serial && moved);
    }
    return out;
}

class KernelCounter {
public:
    KernelCounter(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
                  const std::vector<PointRoles>& roles, const KernelShape& shape,
                  const device::Device& device, const WorkOptions& options)
        : work_(work),
          launch_(launch),
          memories_(memories),
          roles_(roles),
          shape_(shape),
          device_(device),
          options_(options),
          blocks_(static_cast<double>(launch.blocks())),
          by_buffer_(work.buffers.size()) {
        for (std::size_t b = 0; b < work.buffers.size(); ++b) {
            by_buffer_[b].buffer = static_cast<int>(b);
            by_buffer_[b].memory = memories[b];
        }
        find_writers();
        find_l1();
    }

    KernelWork run() {
        each_point([&](int p) { count(p); });
        count_loops();
        count_l2();
        count_dram();
        for (const auto& buffer : by_buffer_)
            if (touched_.count(buffer.buffer))
                out_.buffers.push_back(buffer);
        out_.active_lanes = warps_ > 0 ? lanes_ / (warps_ * kWarp) : 1;
        return std::move(out_);
    }

private:
    void each_point(const std::function<void(int)>& f) const {
        for (int root : launch_.nodes) {
            const auto& node = work_.nodes[static_cast<std::size_t>(root)];
            for (int p = node.first_point; p < node.last_point; ++p)
                if (work_.points[static_cast<std::size_t>(p)].points > 0)
                    f(p);
        }
    }
    const Point& point(int p) const { return work_.points[static_cast<std::size_t>(p)]; }
    const PointRoles& roles(int p) const { return roles_[static_cast<std::size_t>(p)]; }

    // The loops around a stage make its memory anew; what this launch has made itself is no matter of the DRAM.
    void find_writers() {
        written_.assign(work_.buffers.size(), 0);
        for (const auto& node : work_.nodes)
            if (node.node->kind == TreeKind::Stage)
                for (std::size_t b = 0; b < work_.buffers.size(); ++b)
                    if (work_.buffers[b].name == node.node->id.stage)
                        written_[b] = static_cast<std::size_t>(node.depth);
        each_point([&](int p) {
            if (point(p).role == ComputeRole::Init || point(p).role == ComputeRole::Pure)
                for (const auto& access : point(p).accesses)
                    if (access.write)
                        made_.insert(access.buffer);
        });
    }

    // Blocks that run on one multiprocessor: no more than there are for it.
    void find_l1() {
        const auto& gpu = *device_.gpu;
        const auto& occupancy = shape_.occupancy;
        const double resident =
            occupancy
                ? std::min<double>(occupancy->blocks, std::ceil(blocks_ / gpu.multiprocessors))
                : 1;
        const auto bytes = occupancy ? occupancy->shared_bytes_per_block : shape_.shared_bytes;
        const double left = static_cast<double>(gpu.limits.shared_bytes_per_multiprocessor) -
                            resident * static_cast<double>(bytes);
        l1_bytes_ = (kL1BytesBesideShared + std::max(left, 0.0)) / resident;
    }

    BankLayout banks(int buffer) const {
        const auto& limits = device_.gpu->limits;
        const auto* stage =
            work_.tree->state.find(work_.buffers[static_cast<std::size_t>(buffer)].name);
        return {limits.shared_banks, limits.shared_bank_bytes, stage && stage->swizzled};
    }

    // Of the point's iterations, those that guards and conditions leave.
    double share(int p, const Lanes& lanes, double own) const {
        const double all = blocks_ * lanes.active() * own;
        return all > 0 ? std::min(point(p).taken / all, 1.0) : 0;
    }

    void count(int p) {
        const auto& at = point(p);
        const Lanes lanes(launch_, at, roles(p));
        double own = 1;
        for (std::size_t l = 0; l < at.trips.size(); ++l)
            own *= runs_itself(roles(p).loops[l]) || roles(p).loops[l] == Role::Together
                       ? at.trips[l]
                       : 1;
        const double part = share(p, lanes, own);
        PointWork done;
        done.point = p;
        arithmetic(p, lanes.active_warps() * own * blocks_ * part, done);
        for (const auto& access : at.accesses)
            count(p, lanes, access, part, done);
        out_.flops += at.flops;
        out_.warp_instructions += done.instructions;
        if (lanes.active_warps() > 0)
            out_.longest_instructions += done.instructions * static_cast<double>(lanes.rounds()) /
                                         (lanes.active_warps() * blocks_);
        lanes_ += lanes.active() * own * blocks_ * part;
        warps_ += lanes.active_warps() * own * blocks_ * part;
        round_warps_.resize(work_.points.size(), 0);
        round_warps_[static_cast<std::size_t>(p)] =
            lanes.active_warps() / static_cast<double>(lanes.rounds());
        shares_.resize(work_.points.size(), 0);
        shares_[static_cast<std::size_t>(p)] = part;
        out_.points.push_back(done);
    }

    void arithmetic(int p, double warps, PointWork& done) {
        const auto asked = arithmetic_of(work_, point(p));
        if (asked.tensor) {
            out_.tensor_flops[*asked.tensor] += point(p).flops;
            for (std::size_t l = 0; l < point(p).trips.size(); ++l)
                if (roles(p).loops[l] == Role::Together)
                    warps /= point(p).trips[l];
            done.instructions += warps;
            return;
        }
        for (std::size_t u = 0; u < kUnits; ++u) {
            out_.operations[u] += asked.operations[u] * point(p).taken;
            out_.lane_instructions[u] += asked.instructions[u] * warps * kWarp;
            done.instructions += asked.instructions[u] * warps;
        }
    }

    void count(int p, const Lanes& lanes, const Access& access, double part, PointWork& done) {
        const auto& at = point(p);
        const auto& buffer = work_.buffers[static_cast<std::size_t>(access.buffer)];
        auto& sum = by_buffer_[static_cast<std::size_t>(access.buffer)];
        touched_.insert(access.buffer);
        const double ways = (access.read ? 1 : 0) + (access.write ? 1 : 0);
        out_.register_bytes += at.taken * access.loads * ways * buffer.element_bytes;
        if (sum.memory == Memory::Private || sum.memory == Memory::Fragment)
            return;
        const auto layout = banks(access.buffer);
        const auto cost = warp_cost(work_, at, roles(p), lanes, access, sum.memory, layout);
        const double times =
            repeats(at, roles(p), access, vector_along(work_, at, roles(p), access),
                    written_[static_cast<std::size_t>(access.buffer)], lanes.rounds() > 1,
                    options_.every_load) *
            blocks_ * part;
        done.instructions += cost.accesses * times * ways;
        done.passes += cost.passes * times * ways;
        done.lines += cost.lines * times * ways;
        sum.load_bytes += access.read ? cost.bytes * times : 0;
        sum.store_bytes += access.write ? cost.bytes * times : 0;
        sum.load_sectors += access.read ? cost.sectors * times : 0;
        sum.store_sectors += access.write ? cost.sectors * times : 0;
        sum.lines += cost.lines * times * ways;
        sum.passes += cost.passes * times * ways;
        sum.passes_least += cost.passes_least * times * ways;
        done.l2_bytes += access.write ? cost.sectors * times * kSectorBytes : 0;
    }

    // Each iteration of what stays a loop, in the warps of the points inside.
    void count_loops() {
        for (int root : launch_.nodes)
            for (int n = root; n < subtree_end(work_, root); ++n) {
                const auto& node = work_.nodes[static_cast<std::size_t>(n)];
                if (node.node->kind != TreeKind::Loop || node.first_point == node.last_point)
                    continue;
                const auto depth = static_cast<std::size_t>(node.depth);
                const auto& first = roles(node.first_point).loops;
                if (first[depth] != Role::Serial)
                    continue;
                double warps = 0, part = 0, iterations = kLoopInstructions;
                for (int p = node.first_point; p < node.last_point; ++p) {
                    warps = std::max(warps, round_warps_[static_cast<std::size_t>(p)]);
                    part = std::max(part, shares_[static_cast<std::size_t>(p)]);
                }
                for (std::size_t l = 0; l <= depth; ++l)
                    if (runs_itself(first[l]))
                        iterations *= point(node.first_point).trips[l];
                out_.warp_instructions += iterations * warps * part * blocks_;
                out_.longest_instructions += iterations * part;
            }
    }

    // Accesses that read the same sectors, such as those of two stages, find each other's in the first level.
    void count_l2() {
        std::vector<double> alone(by_buffer_.size(), 0), asked(by_buffer_.size(), 0);
        std::vector<std::vector<Part>> together(by_buffer_.size());
        for (auto& done : out_.points)
            for (const auto& access : point(done.point).accesses) {
                const auto b = static_cast<std::size_t>(access.buffer);
                if (!access.read || memories_[b] != Memory::Global)
                    continue;
                const auto& at = point(done.point);
                const auto& own = roles(done.point);
                auto part = part_of(work_, at, access, moving_in_block(at, own));
                alone[b] += sector_bytes(work_, part);
                unite(together[b], part);
                const double bytes = block_load_bytes(work_, at, own, access, l1_bytes_) * blocks_ *
                                     shares_[static_cast<std::size_t>(done.point)];
                asked[b] += bytes;
                done.l2_bytes += bytes;
            }
        for (std::size_t b = 0; b < by_buffer_.size(); ++b) {
            auto& sum = by_buffer_[b];
            const double united = sector_bytes(work_, together[b]);
            const double once = united <= l1_bytes_ && alone[b] > 0 ? united / alone[b] : 1;
            sum.l2_load_bytes = std::min(asked[b] * once, sum.load_sectors * kSectorBytes);
            sum.l2_store_bytes = sum.store_sectors * kSectorBytes;
        }
    }

    struct Sectors {
        double read = 0, written = 0, read_by_wave = 0;
    };

    Sectors sectors(int buffer) const {
        std::vector<Part> read, written, wave;
        each_point([&](int p) {
            for (const auto& access : point(p).accesses) {
                if (access.buffer != buffer)
                    continue;
                const auto all = part_of(work_, point(p), access, moving_in_launch(point(p)));
                if (access.write)
                    unite(written, all);
                if (!access.read || made_.count(buffer))
                    continue;
                unite(read, all);
                unite(wave, part_of(work_, point(p), access,
                                    moving_in_wave(work_, launch_, point(p), roles(p),
                                                   shape_.blocks_at_once)));
            }
        });
        return {sector_bytes(work_, read), sector_bytes(work_, written), sector_bytes(work_, wave)};
    }

    void count_dram() {
        std::map<int, Sectors> all;
        double together = 0;
        for (int b : touched_)
            if (memories_[static_cast<std::size_t>(b)] == Memory::Global) {
                all[b] = sectors(b);
                together += std::max(all[b].read, all[b].written);
            }
        const auto& l2 = device_.gpu->l2_bytes;
        const bool fits = l2 && together <= kL2Share * l2->value;
        const double waves = std::max(
            blocks_ / static_cast<double>(std::max<std::int64_t>(shape_.blocks_at_once, 1)), 1.0);
        for (const auto& [b, found] : all) {
            auto& sum = by_buffer_[static_cast<std::size_t>(b)];
            sum.dram_store_bytes = std::min(found.written, sum.l2_store_bytes);
            sum.dram_load_bytes =
                fits
                    ? found.read
                    : std::max(found.read, std::min(waves * found.read_by_wave, sum.l2_load_bytes));
            // Rows that begin anywhere are an average: what DRAM gives has been asked for.
            sum.l2_load_bytes = std::max(sum.l2_load_bytes, sum.dram_load_bytes);
        }
    }

    const Work& work_;
    const Launch& launch_;
    const std::vector<Memory>& memories_;
    const std::vector<PointRoles>& roles_;
    const KernelShape& shape_;
    const device::Device& device_;
    const WorkOptions& options_;
    double blocks_;
    double l1_bytes_ = 0; // of a block
    std::vector<BufferWork> by_buffer_;
    std::vector<std::size_t> written_; // by buffer: so many loops are around what writes it
    std::set<int> made_, touched_;
    std::vector<double> round_warps_, shares_; // by point
    double lanes_ = 0, warps_ = 0;
    KernelWork out_;
};

} // namespace

const BufferWork* KernelWork::find(int buffer) const {
    for (const auto& one : buffers)
        if (one.buffer == buffer)
            return &one;
    return nullptr;
}

double KernelWork::sum(double BufferWork::* figure) const {
    double out = 0;
    for (const auto& one : buffers)
        out += one.*figure;
    return out;
}

KernelWork kernel_work(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
                       const std::vector<PointRoles>& roles, const KernelShape& shape,
                       const device::Device& device, const WorkOptions& options) {
    return KernelCounter(work, launch, memories, roles, shape, device, options).run();
}

} // namespace loopscope::model::gpu
