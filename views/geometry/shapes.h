#pragma once
// Plain geometry: y grows downwards, units are device-independent pixels.

#include <string>
#include <vector>

namespace loopscope::views {

struct Point {
    double x = 0, y = 0;
};

struct Rectangle {
    double x = 0, y = 0, width = 0, height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
    Point centre() const { return {x + width / 2, y + height / 2}; }
    bool contains(Point p) const {
        return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom();
    }
    bool overlaps(const Rectangle& other) const {
        return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
    }
    bool operator==(const Rectangle&) const = default;
    Rectangle grown(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
};
Rectangle united(const Rectangle& a, const Rectangle& b);

} // namespace loopscope::views
