#pragma once
// Coordinate maths of the roofline: log-log ranges, where ceilings meet, label places that do not
// overlap, and bars.

#include "views/geometry/shapes.h"

#include <string>
#include <vector>

namespace loopscope::views {

struct LogRange {
    double low = 1, high = 10; // both above 0, low < high
};
// The range of all positive finite values, widened to whole decades, at least `decades` of them.
LogRange decades_around(const std::vector<double>& values, int decades = 2);

// The low end from which `value` stands `pixels` above it in a range drawn over `length` pixels: a
// mark of that radius is whole. It is never above `range.low`; the high end stays.
double low_end_below(double value, const LogRange& range, double pixels, double length);
// The high end from which `value` stands `pixels` below it, likewise.
double high_end_above(double value, const LogRange& range, double pixels, double length);

// The performance that a bandwidth (bytes/s) allows at an intensity (FLOP/byte), and the intensity
// at which it meets a compute ceiling (FLOP/s): the ridge.
inline double attainable(double bytes_per_second, double intensity) {
    return bytes_per_second * intensity;
}
inline double ridge(double flops_per_second, double bytes_per_second) {
    return flops_per_second / bytes_per_second;
}

// Labels are moved, as little as possible, until none overlaps another or leaves `bounds`. Order is
// priority: earlier ones move less. Labels whose `movable` is false are obstacles.
struct PlacedLabel {
    Rectangle rectangle;
    bool movable = true;
    bool shown = true; // false: no free place was found
};
void separate_labels(std::vector<PlacedLabel>& labels, const Rectangle& bounds);

// Widths in whole pixels of a stacked bar: they sum up to `length`, and no positive share vanishes.
std::vector<int> stacked_widths(const std::vector<double>& shares, int length);

} // namespace loopscope::views
