#include "tuner/model/gpu/live_values.h"

#include "tuner/model/work.h"

#include <algorithm>
#include <cmath>

namespace loopscope::model::gpu {

namespace {

// Elements of one access that wait for a loop to use them again: of more, none does, and all are
// loaded again. A quarter of what a thread may have, beside addresses, sums and what else it reads.
constexpr double kMaxWaiting = 64;

bool makes_copies(Role role) {
    return role == Role::Unrolled || role == Role::Vector || role == Role::Virtual;
}

// Positions, from `first` on, of a point's loops that make copies, outermost first; virtual threads
// are innermost, whatever is inside of them.
std::vector<std::size_t> loops_of_copies(const Point& point, const PointRoles& roles,
                                         std::size_t first) {
    std::vector<std::size_t> out;
    for (const bool is_virtual : {false, true})
        for (std::size_t l = first; l < roles.loops.size(); ++l)
            if (makes_copies(roles.loops[l]) && (roles.loops[l] == Role::Virtual) == is_virtual &&
                point.trips[l] > 1)
                out.push_back(l);
    return out;
}

// Distinct elements that the copies of these loops touch.
double distinct_elements(const Work& work, const Point& point, const Access& access,
                         std::vector<std::size_t>::const_iterator first,
                         std::vector<std::size_t>::const_iterator last) {
    double out = access.read ? access.loads : 1;
    for (std::size_t d = 0; d < access.forms.size(); ++d) {
        std::vector<std::pair<double, double>> moves; // step, trips
        for (auto l = first; l != last; ++l)
            if (const auto step = work.forms.step(access.forms[d], static_cast<int>(*l)); step > 0)
                moves.emplace_back(step, point.trips[*l]);
        std::sort(moves.begin(), moves.end());
        const double one = std::max<double>(
            1, d < access.offsets.size() ? static_cast<double>(access.offsets[d].size()) : 1);
        double all = one;
        for (const auto& [step, trips] : moves)
            all += (trips - 1) * std::min(step, all);
        out *= all / one;
    }
    return out;
}

} // namespace

std::int64_t live_elements(const Work& work, const Point& point, const PointRoles& roles,
                           const Access& access, std::size_t first) {
    constexpr double kMaxTrips = 1 << 20;
    const auto loops = loops_of_copies(point, roles, first);
    double live = access.read ? access.loads : 1;
    for (auto l = loops.begin(); l != loops.end(); ++l) {
        const auto inside = distinct_elements(work, point, access, l + 1, loops.end());
        if (inside <= kMaxWaiting &&
            distinct_elements(work, point, access, l, loops.end()) < point.trips[*l] * inside) {
            live = inside;
            break;
        }
        if (roles.loops[*l] != Role::Unrolled && l + 1 == loops.end())
            live = distinct_elements(work, point, access, l, loops.end());
    }
    return static_cast<std::int64_t>(std::ceil(std::clamp(live, 1.0, kMaxTrips)));
}

std::optional<std::int64_t> live_of_memory(const Work& work, const Launch& launch,
                                           const std::vector<PointRoles>& roles, int buffer) {
    const auto depth =
        static_cast<std::size_t>(work.buffers[static_cast<std::size_t>(buffer)].depth);
    std::int64_t most = 0;
    for (int root : launch.nodes) {
        const auto& node = work.nodes[static_cast<std::size_t>(root)];
        for (int p = node.first_point; p < node.last_point; ++p) {
            const auto& point = work.points[static_cast<std::size_t>(p)];
            const auto& of_point = roles[static_cast<std::size_t>(p)];
            for (const auto& access : point.accesses) {
                if (access.buffer != buffer)
                    continue;
                if (access.by_data)
                    return std::nullopt;
                for (std::size_t l = depth; l < of_point.loops.size(); ++l)
                    if (!makes_copies(of_point.loops[l]) && point.trips[l] > 1)
                        return std::nullopt;
                most = std::max(most, live_elements(work, point, of_point, access, depth));
            }
        }
    }
    return most;
}

} // namespace loopscope::model::gpu
