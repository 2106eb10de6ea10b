#include "tuner/model/gpu/kernel_work.h"

#include "core/base/work.h"
#include "core/schedule/gpu/block_threads.h"
#include "tuner/model/gpu/block_traffic.h"
#include "tuner/model/gpu/thread_reduction.h"
#include "tuner/model/gpu/warp_access.h"

#include <algorithm>
#include <iterator>

namespace loopscope::model::gpu {

namespace {

bool runs_itself(Role role) {
    return role == Role::Serial || role == Role::Unrolled || role == Role::Vector ||
           role == Role::Virtual;
}

// How often a thread makes an access in one block, wide vectors as one. `written`: loops outside of
// this position change what is in the buffer. `every`: also where a register would hold it.
double repeats(const Point& point, const PointRoles& roles, const Access& access, int along,
               std::size_t written, bool divided_moves, bool every) {
    double out = 1;
    bool reloads = every;
    for (std::size_t l = roles.loops.size(); l-- > 0;) {
        const auto role = roles.loops[l];
        const bool moved = access.moves_with(l);
        reloads = reloads || l < written || (role == Role::Divided && divided_moves && moved);
        if (!runs_itself(role) || static_cast<int>(l) == along)
            continue;
        if (moved || (reloads && (role != Role::Virtual || every)))
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
          roles_(roles),
          shape_(shape),
          gpu_(*device.gpu),
          memories_(memories),
          options_(options),
          blocks_(static_cast<double>(launch.blocks())) {
        // Of a pipeline's many launches each sees what is its own: points and buffers.
        int last = 0;
        first_point_ = static_cast<int>(work.points.size());
        for (int root : launch.nodes) {
            const auto& node = work.nodes[static_cast<std::size_t>(root)];
            first_point_ = std::min(first_point_, node.first_point);
            last = std::max(last, node.last_point);
        }
        ran_.resize(static_cast<std::size_t>(std::max(last - first_point_, 0)));
        count_work(loopscope::Work::LaunchParts, std::ssize(ran_));
    }

    KernelWork run() {
        for (int root : launch_.nodes) {
            const auto& node = work_.nodes[static_cast<std::size_t>(root)];
            for (int p = node.first_point; p < node.last_point; ++p)
                if (point(p).points > 0)
                    count(p);
        }
        count_loops();
        for (const auto& [buffer, work] : by_buffer_)
            out_.buffers.push_back(work);
        count_work(loopscope::Work::LaunchParts, std::ssize(by_buffer_));
        add_traffic(work_, launch_, roles_, shape_, gpu_, out_);
        return std::move(out_);
    }

private:
    const Point& point(int p) const { return work_.points[static_cast<std::size_t>(p)]; }
    const PointRoles& roles(int p) const { return roles_[static_cast<std::size_t>(p)]; }

    // How a point ran, that is counted already.
    struct Ran {
        double warps = 0, share = 0;
    };
    Ran& ran(int p) { return ran_[static_cast<std::size_t>(p - first_point_)]; }

    BankLayout banks(int buffer) const {
        const auto& limits = gpu_.limits;
        return {limits.shared_banks, limits.shared_bank_bytes,
                swizzled(*work_.tree, work_.buffers[static_cast<std::size_t>(buffer)])};
    }

    // Do lanes of a warp differ in the row that they access, so that it matters at which banks rows
    // begin?
    bool rows_differ(const Access& access, const PointRoles& roles) const {
        for (std::size_t d = 0; d + 1 < access.forms.size(); ++d)
            for (std::size_t l = 0; l < roles.loops.size(); ++l)
                if ((roles.loops[l] == Role::Thread || roles.loops[l] == Role::Divided) &&
                    work_.forms.step(access.forms[d], static_cast<int>(l)) != 0)
                    return true;
        return false;
    }

    // The part of the point's iterations that guards and conditions leave.
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
        done.share = part;
        arithmetic(p, lanes.active_warps() * own * blocks_ * part, done);
        const auto reduction = thread_reduction(work_, at, roles(p));
        for (const auto& access : at.accesses)
            if (reduction && access.write)
                combine(p, *reduction, access, part, done);
            else
                count(p, roles(p), lanes, access, part, done);
        const double rounds = static_cast<double>(lanes.rounds());
        if (lanes.active_warps() > 0)
            out_.longest_instructions +=
                done.instructions * rounds / (lanes.active_warps() * blocks_);
        out_.flops += at.flops;
        out_.integer_operations += at.integer_operations;
        out_.warp_instructions += done.instructions;
        ran(p) = {lanes.active_warps() / rounds, part};
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
        if (roles(p).together) // each lane has its own elements
            warps /= kWarp;
        for (std::size_t u = 0; u < kUnits; ++u) {
            out_.operations[u] += asked.operations[u] * point(p).taken;
            out_.lane_instructions[u] += asked.instructions[u] * warps * kWarp;
            done.instructions += asked.instructions[u] * warps;
        }
    }

    // Threads reduce into registers, then together; one adds the result to what there is.
    void combine(int p, const ThreadReduction& reduction, const Access& access, double part,
                 PointWork& done) {
        const auto& at = point(p);
        const auto one = combining_roles(roles(p), reduction);
        count(p, one, Lanes(launch_, at, one), access, part, done);
        double times = blocks_ * part;
        for (std::size_t l = 0; l < reduction.outermost; ++l)
            times *= runs_itself(one.loops[l]) ? at.trips[l] : 1;
        for (auto type : at.stage->stage.types) {
            const auto cost = reduction_cost(launch_, reduction, bytes(type));
            done.instructions += cost.instructions * times;
            done.passes += cost.passes * times;
            out_.reduction_bytes += cost.bytes * times;
            out_.reduction_passes += cost.passes * times;
        }
    }

    void count(int p, const PointRoles& roles, const Lanes& lanes, const Access& access,
               double part, PointWork& done) {
        const auto& at = point(p);
        const auto b = static_cast<std::size_t>(access.buffer);
        auto& sum = by_buffer_[access.buffer];
        sum.buffer = access.buffer;
        sum.memory = memories_[b];
        const double ways = (access.read ? 1 : 0) + (access.write ? 1 : 0);
        out_.register_bytes += at.taken * access.loads * ways * work_.buffers[b].element_bytes;
        if (sum.memory == Memory::Private || sum.memory == Memory::Fragment)
            return;
        const auto cost =
            warp_cost(work_, at, roles, lanes, access, sum.memory, banks(access.buffer));
        const auto written = static_cast<std::size_t>(work_.buffers[b].writer_depth);
        const double times = repeats(at, roles, access, vector_along(work_, at, roles, access),
                                     written, lanes.rounds() > 1, options_.every_load) *
                             blocks_ * part;
        done.instructions += cost.accesses * times * ways;
        done.passes += cost.passes * times * ways;
        done.lines += cost.lines * times * ways;
        done.l2_bytes += access.write ? cost.sectors * times * kSectorBytes : 0;
        sum.load_bytes += access.read ? cost.bytes * times : 0;
        sum.store_bytes += access.write ? cost.bytes * times : 0;
        sum.load_sectors += access.read ? cost.sectors * times : 0;
        sum.store_sectors += access.write ? cost.sectors * times : 0;
        sum.lines += cost.lines * times * ways;
        sum.passes += cost.passes * times * ways;
        sum.passes_least += cost.passes_least * times * ways;
        if (rows_differ(access, roles))
            sum.row_conflicts += (cost.passes - cost.passes_least) * times * ways;
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
                    warps = std::max(warps, ran(p).warps);
                    part = std::max(part, ran(p).share);
                }
                for (std::size_t l = 0; l <= depth; ++l)
                    if (runs_itself(first[l]))
                        iterations *= point(node.first_point).trips[l];
                out_.warp_instructions += iterations * warps * part * blocks_;
                out_.longest_instructions += iterations * part;
            }
    }

    const Work& work_;
    const Launch& launch_;
    const std::vector<PointRoles>& roles_;
    const KernelShape& shape_;
    const device::Gpu& gpu_;
    const std::vector<Memory>& memories_;
    const WorkOptions& options_;
    double blocks_;
    std::map<int, BufferWork> by_buffer_; // those that points access
    int first_point_ = 0;
    std::vector<Ran> ran_; // by point, from the first of the launch on
    KernelWork out_;
};

} // namespace

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
