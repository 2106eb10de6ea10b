#include "views/geometry/log_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace loopscope::views {

LogRange decades_around(const std::vector<double>& values, int decades) {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (double value : values)
        if (std::isfinite(value) && value > 0) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    if (high == 0)
        return {1, std::pow(10.0, decades)};
    int first = static_cast<int>(std::floor(std::log10(low)));
    int last = static_cast<int>(std::ceil(std::log10(high)));
    for (bool below = true; last - first < decades; below = !below)
        below ? --first : ++last;
    return {std::pow(10.0, first), std::pow(10.0, last)};
}

double low_end_below(double value, const LogRange& range, double pixels, double length) {
    const double share = pixels / length;
    if (!(share > 0 && share < 1) || value <= 0)
        return range.low;
    const double low =
        (std::log10(value) - share * std::log10(range.high)) / (1 - share); // its logarithm
    return std::min(range.low, std::pow(10.0, low));
}

double high_end_above(double value, const LogRange& range, double pixels, double length) {
    const double share = pixels / length;
    if (!(share > 0 && share < 1) || value <= 0)
        return range.high;
    const double high =
        (std::log10(value) - share * std::log10(range.low)) / (1 - share); // its logarithm
    return std::max(range.high, std::pow(10.0, high));
}

namespace {

bool inside(const Rectangle& r, const Rectangle& bounds) {
    return r.x >= bounds.x && r.y >= bounds.y && r.right() <= bounds.right() &&
           r.bottom() <= bounds.bottom();
}

Rectangle pushed_inside(Rectangle r, const Rectangle& bounds) {
    r.x = std::clamp(r.x, bounds.x, std::max(bounds.x, bounds.right() - r.width));
    r.y = std::clamp(r.y, bounds.y, std::max(bounds.y, bounds.bottom() - r.height));
    return r;
}

} // namespace

void separate_labels(std::vector<PlacedLabel>& labels, const Rectangle& bounds) {
    std::vector<Rectangle> taken;
    for (const PlacedLabel& label : labels)
        if (!label.movable)
            taken.push_back(label.rectangle);
    for (PlacedLabel& label : labels) {
        if (!label.movable)
            continue;
        const Rectangle home = pushed_inside(label.rectangle, bounds);
        auto free = [&](const Rectangle& r) {
            return inside(r, bounds) &&
                   std::none_of(taken.begin(), taken.end(),
                                [&](const Rectangle& o) { return r.overlaps(o); });
        };
        // Rings of growing distance: above and below first, then aside.
        label.shown = false;
        for (int ring = 0; ring <= 12 && !label.shown; ++ring) {
            const double dy = home.height * 0.5 * ring, dx = home.width * 0.25 * ring;
            for (Point move : {Point{0, -dy}, Point{0, dy}, Point{-dx, 0}, Point{dx, 0},
                               Point{-dx, -dy}, Point{dx, -dy}, Point{-dx, dy}, Point{dx, dy}}) {
                Rectangle candidate = home;
                candidate.x += move.x;
                candidate.y += move.y;
                if (free(candidate)) {
                    label.rectangle = candidate;
                    label.shown = true;
                    break;
                }
            }
        }
        if (label.shown)
            taken.push_back(label.rectangle);
    }
}

std::vector<int> stacked_widths(const std::vector<double>& shares, int length) {
    std::vector<int> widths(shares.size(), 0);
    const double total =
        std::accumulate(shares.begin(), shares.end(), 0.0,
                        [](double sum, double s) { return sum + std::max(s, 0.0); });
    if (total <= 0 || length <= 0)
        return widths;
    // Whole pixels by largest remainder, after a pixel for every positive share.
    std::vector<std::size_t> positive;
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i] > 0)
            positive.push_back(i);
    std::stable_sort(positive.begin(), positive.end(),
                     [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
    if (static_cast<int>(positive.size()) > length)
        positive.resize(length);
    const int spare = length - static_cast<int>(positive.size());
    int used = 0;
    std::vector<std::pair<double, std::size_t>> remainders;
    for (std::size_t i : positive) {
        const double exact = spare * shares[i] / total;
        widths[i] = 1 + static_cast<int>(exact);
        used += widths[i];
        remainders.emplace_back(exact - std::floor(exact), i);
    }
    std::stable_sort(remainders.begin(), remainders.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; used < length && !remainders.empty();
         i = (i + 1) % remainders.size(), ++used)
        ++widths[remainders[i].second];
    return widths;
}

} // namespace loopscope::views
