#pragma once
// Rectangles that are taken, by the cells of a grid, so that asking whether a place is free does
// not look at all of them.

#include "views/geometry/shapes.h"

#include <cstdint>
#include <unordered_map>

namespace loopscope::views {

class OccupiedPlaces {
public:
    void take(const Rectangle& place);
    bool free(const Rectangle& place) const;
    const std::vector<Rectangle>& all() const { return taken_; }

private:
    std::vector<Rectangle> taken_;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells_;
};

} // namespace loopscope::views
