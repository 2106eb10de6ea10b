#include "tuner/model/gpu/block_traffic.h"

#include <algorithm>
#include <cmath>

namespace loopscope::model::gpu {

namespace {

bool moves(const Access& access, std::size_t loop) {
    return access.depths >> std::min<std::size_t>(loop, 63) & 1;
}

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
    for (std::size_t axis = 0; axis < 3 && rest > 1; ++axis) {
        const auto extent = static_cast<double>(launch.grid[axis]);
        taken[axis] = std::min(rest, extent);
        rest = std::ceil(rest / extent);
    }
    Moving out = point.trips;
    for (std::size_t l = 0; l < out.size(); ++l)
        if (roles.loops[l] == Role::Block) {
            const auto axis = axis_of(work.tree_node(point.loops[l]).binding).axis;
            out[l] = std::min(out[l], taken[static_cast<std::size_t>(axis)]);
        }
    return out;
}

// From the threads alone outwards, loop by loop. A loop that moves the part, which has stayed in the first level until then,
// adds what is new of it; one that does not finds all of it there.
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
        if (moves(access, l))
            part = sector_bytes(work, part_of(work, point, access, moving));
        bytes *= before <= l1_bytes ? std::min(part / before, point.trips[l]) : point.trips[l];
    }
    return bytes;
}

} // namespace loopscope::model::gpu
