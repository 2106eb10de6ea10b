#include "tuner/model/gpu/thread_reduction.h"

#include "core/schedule/gpu/block_threads.h"

#include <algorithm>

namespace loopscope::model::gpu {

namespace {

std::int64_t over(std::int64_t count, std::int64_t unit) { return (count + unit - 1) / unit; }

// Warps in which a thread's coordinate along the axis is below a limit.
std::int64_t warps_below(const Launch& launch, std::size_t axis, std::int64_t stride,
                         std::int64_t limit) {
    const auto extent = launch.block[axis], threads = launch.threads();
    if (stride * extent <= kWarp)
        return over(threads, kWarp);
    return threads / (stride * extent) * over(limit * stride, kWarp);
}

} // namespace

std::optional<ThreadReduction> thread_reduction(const Work& work, const Point& point,
                                                const PointRoles& roles) {
    if (point.role != ComputeRole::Step)
        return std::nullopt;
    const auto& stage = point.stage->stage.name;
    ThreadReduction out;
    std::optional<std::size_t> outermost;
    for (std::size_t l = 0; l < roles.loops.size(); ++l) {
        const auto& loop = work.tree_node(point.loops[l]);
        if (!loop.reduction || loop.id.stage != stage)
            continue;
        outermost = outermost.value_or(l);
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (roles.numbers[axis] == static_cast<int>(l))
                out.axes.push_back(axis);
    }
    if (out.axes.empty())
        return std::nullopt;
    out.outermost = *outermost;
    return out;
}

PointRoles combining_roles(const PointRoles& roles, const ThreadReduction& reduction) {
    auto out = roles;
    for (auto l = reduction.outermost; l < out.loops.size(); ++l)
        out.loops[l] = Role::Suspended;
    for (auto axis : reduction.axes)
        out.numbers[axis] = -1;
    return out;
}

ReductionCost reduction_cost(const Launch& launch, const ThreadReduction& reduction,
                             std::int64_t element_bytes) {
    constexpr double kRound = 4; // two loads, what combines them, a store
    const auto threads = launch.threads(), warps = over(threads, kWarp);
    ReductionCost out;
    for (auto axis : reduction.axes) {
        const auto extent = launch.block[axis];
        std::int64_t stride = 1;
        for (std::size_t a = 0; a < axis; ++a)
            stride *= launch.block[a];
        const bool shuffles =
            stride == 1 && (extent & (extent - 1)) == 0 && extent <= kWarp && threads % kWarp == 0;
        std::int64_t half = 1;
        while (2 * half < extent)
            half *= 2;
        double accesses = shuffles ? 0 : 2.0 * static_cast<double>(warps); // first and last
        out.instructions += accesses;
        for (; half > 0 && extent > 1; half /= 2) {
            if (shuffles) {
                out.instructions += 2.0 * static_cast<double>(warps); // a shuffle, what combines
                continue;
            }
            const auto taking = std::min(half, extent - half);
            const auto busy = static_cast<double>(warps_below(launch, axis, stride, taking));
            out.instructions += kRound * busy;
            accesses += (kRound - 1) * busy;
        }
        out.passes += accesses;
        out.bytes += accesses * static_cast<double>(kWarp * element_bytes);
        if (!shuffles && extent > 1)
            out.room_bytes = threads * element_bytes;
    }
    return out;
}

} // namespace loopscope::model::gpu
