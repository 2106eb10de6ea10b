#include "views/geometry/occupied.h"

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr double kCellWidth = 96, kCellHeight = 24; // about a label

// Calls `visit` with the key of each cell that a rectangle touches, until it says true.
template <typename Visit> bool any_cell(const Rectangle& r, const Visit& visit) {
    const auto column = [](double x) {
        return static_cast<std::int32_t>(std::floor(x / kCellWidth));
    };
    const auto row = [](double y) {
        return static_cast<std::int32_t>(std::floor(y / kCellHeight));
    };
    for (auto y = row(r.y); y <= row(r.bottom()); ++y)
        for (auto x = column(r.x); x <= column(r.right()); ++x)
            if (visit(static_cast<std::uint64_t>(static_cast<std::uint32_t>(y)) << 32 |
                      static_cast<std::uint32_t>(x)))
                return true;
    return false;
}

} // namespace

void OccupiedPlaces::take(const Rectangle& place) {
    any_cell(place, [&](std::uint64_t cell) {
        cells_[cell].push_back(taken_.size());
        return false;
    });
    taken_.push_back(place);
}

bool OccupiedPlaces::free(const Rectangle& place) const {
    return !any_cell(place, [&](std::uint64_t cell) {
        const auto found = cells_.find(cell);
        return found != cells_.end() &&
               std::any_of(found->second.begin(), found->second.end(),
                           [&](std::size_t i) { return place.overlaps(taken_[i]); });
    });
}

} // namespace loopscope::views
