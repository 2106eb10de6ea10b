#include "tuner/model/gpu/roles.h"

#include "core/schedule/gpu/block_threads.h"

#include <algorithm>

namespace loopscope::model::gpu {

namespace {

Role as_role(LoopRole role) {
    switch (role) {
    case LoopRole::Serial: return Role::Serial;
    case LoopRole::Unrolled: return Role::Unrolled;
    case LoopRole::Vectorized: return Role::Vector;
    case LoopRole::Virtual: return Role::Virtual;
    case LoopRole::Block: return Role::Block;
    case LoopRole::Thread: return Role::Thread;
    default: return Role::Divided;
    }
}

class RoleFinder {
public:
    RoleFinder(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
               const Mapping& mapping)
        : work_(work), launch_(launch), memories_(memories), mapping_(mapping) {}

    PointRoles of(const Point& point) const {
        PointRoles out;
        std::vector<int> path;
        for (int n = point.node; n > 0; n = work_.nodes[static_cast<std::size_t>(n)].parent)
            path.push_back(n);
        for (auto n = path.rbegin(); n != path.rend(); ++n)
            enter(*n, out);
        out.everywhere = !out.together && writes_own(point);
        out.executions = executions(point, out);
        return out;
    }

private:
    void enter(int n, PointRoles& out) const {
        const auto& node = work_.tree_node(n);
        if (node.kind == TreeKind::Stage)
            stage(mapping_.of(node.id.stage), out);
        if (node.kind == TreeKind::Loop)
            loop(mapping_.of(node), out);
    }

    // Loops of threads around what a block computes number nobody in it.
    static void stage(const StageMapping& stage, PointRoles& out) {
        if (!stage.of_block)
            return;
        for (auto& role : out.loops)
            if (role == Role::Thread || role == Role::Virtual)
                role = Role::Suspended;
        out.numbers = {-1, -1, -1};
        out.shared_out = stage.cooperative;
    }

    static void loop(const LoopMapping& loop, PointRoles& out) {
        const auto position = static_cast<int>(out.loops.size());
        out.together = out.together || loop.together;
        out.loops.push_back(out.together ? Role::Together : as_role(loop.role));
        if (out.loops.back() == Role::Divided)
            out.divided.push_back(position);
        if (out.loops.back() != Role::Thread)
            return;
        auto& number = out.numbers[static_cast<std::size_t>(loop.axis)];
        if (number >= 0)
            out.loops[static_cast<std::size_t>(number)] = Role::Suspended;
        number = position;
    }

    bool writes_own(const Point& point) const {
        return std::any_of(point.accesses.begin(), point.accesses.end(), [&](const Access& a) {
            return a.write && memories_[static_cast<std::size_t>(a.buffer)] == Memory::Private;
        });
    }

    double executions(const Point& point, const PointRoles& roles) const {
        double out = 1;
        std::array<bool, 3> in_grid{false, false, false};
        for (std::size_t l = 0; l < roles.loops.size(); ++l) {
            if (roles.loops[l] == Role::Suspended)
                out /= point.trips[l];
            if (roles.loops[l] == Role::Block)
                in_grid[static_cast<std::size_t>(
                    mapping_.of(work_.tree_node(point.loops[l])).axis)] = true;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!in_grid[axis]) // each block does it
                out *= static_cast<double>(launch_.grid[axis]);
            if (!roles.shared_out && roles.everywhere && roles.numbers[axis] < 0)
                out *= static_cast<double>(launch_.block[axis]);
        }
        return out;
    }

    const Work& work_;
    const Launch& launch_;
    const std::vector<Memory>& memories_;
    const Mapping& mapping_;
};

} // namespace

void add_roles(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
               const Mapping& mapping, std::vector<PointRoles>& out) {
    out.resize(work.points.size());
    const RoleFinder finder(work, launch, memories, mapping);
    for (int root : launch.nodes) {
        const auto& node = work.nodes[static_cast<std::size_t>(root)];
        for (int p = node.first_point; p < node.last_point; ++p)
            out[static_cast<std::size_t>(p)] = finder.of(work.points[static_cast<std::size_t>(p)]);
    }
}

void count_executions(Work& work, const std::vector<PointRoles>& roles) {
    for (std::size_t p = 0; p < work.points.size(); ++p) {
        auto& point = work.points[p];
        const double executions = roles[p].executions;
        point.stage_executions *= executions;
        point.points *= executions;
        point.taken *= executions;
        point.flops *= executions;
    }
    // A node is executed as often as its points say; one that has none as the one around it.
    for (std::size_t n = 1; n < work.nodes.size(); ++n) {
        auto& node = work.nodes[n];
        if (node.first_point < node.last_point)
            node.trips *= roles[static_cast<std::size_t>(node.last_point) - 1].executions;
    }
}

Lanes::Lanes(const Launch& launch, const Point& point, const PointRoles& roles)
    : launch_(launch),
      roles_(roles),
      threads_(launch.threads()),
      warps_((launch.threads() + kWarp - 1) / kWarp) {
    for (double trips : point.trips)
        extents_.push_back(static_cast<std::int64_t>(trips));
    if (roles.shared_out) {
        for (int l : roles.divided)
            points_ *= extents_[static_cast<std::size_t>(l)];
        rounds_ = (points_ + threads_ - 1) / threads_;
        active_ = static_cast<double>(points_);
        const auto rest = points_ - (rounds_ - 1) * threads_;
        active_warps_ = static_cast<double>((rounds_ - 1) * warps_ + (rest + kWarp - 1) / kWarp);
        return;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto l = roles.numbers[axis];
        if (l >= 0)
            active_ *= static_cast<double>(
                std::min(extents_[static_cast<std::size_t>(l)], launch.block[axis]));
        else if (roles.everywhere)
            active_ *= static_cast<double>(launch.block[axis]);
    }
    std::vector<std::int64_t> loops(extents_.size(), 0);
    active_warps_ = 0;
    for (std::int64_t w = 0; w < warps_; ++w)
        for (std::int64_t lane = 0; lane < kWarp; ++lane)
            if (place(w, lane, loops)) {
                ++active_warps_;
                break;
            }
}

bool Lanes::place(std::int64_t warp, std::int64_t lane, std::vector<std::int64_t>& loops) const {
    const auto thread = warp % warps_ * kWarp + lane;
    if (thread >= threads_)
        return false;
    if (roles_.shared_out) {
        auto number = warp / warps_ * threads_ + thread;
        if (number >= points_)
            return false;
        for (auto l = roles_.divided.rbegin(); l != roles_.divided.rend(); ++l) {
            const auto extent = extents_[static_cast<std::size_t>(*l)];
            loops[static_cast<std::size_t>(*l)] = number % extent;
            number /= extent;
        }
        return true;
    }
    const std::array<std::int64_t, 3> at{thread % launch_.block[0],
                                         thread / launch_.block[0] % launch_.block[1],
                                         thread / launch_.block[0] / launch_.block[1]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto l = roles_.numbers[axis];
        if (l < 0 ? at[axis] > 0 && !roles_.everywhere
                  : at[axis] >= extents_[static_cast<std::size_t>(l)])
            return false;
        if (l >= 0)
            loops[static_cast<std::size_t>(l)] = at[axis];
    }
    return true;
}

} // namespace loopscope::model::gpu
