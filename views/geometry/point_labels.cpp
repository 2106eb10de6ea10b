#include "views/geometry/point_labels.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope::views {

namespace {

constexpr double kBeside = 5;  // pixels between a mark and a text beside it
constexpr double kFarther = 6; // from one distance to the next
constexpr double kLed = 8;     // a text that stands farther away has a line
constexpr double kApart = 1;   // between texts
constexpr double kPiece = 4;   // of a thin strip
constexpr double kWholeTurn = 360;

// In the order in which they are tried, clockwise from the right: a name is looked for at the right
// of its point, then above and below it.
constexpr double kDirections[] = {0,   270, 90,  180, 315, 45,  225, 135,
                                  338, 22,  292, 68,  248, 112, 202, 158};

Rectangle text_beside(const PointLabel& label, double degrees, double distance) {
    const double angle = degrees / kWholeTurn * 2 * std::acos(-1.0);
    const double across = std::cos(angle), down = std::sin(angle);
    const double away = label.radius + distance;
    // Its left edge is at the right of the point, its lower one above it, and so on in between.
    return {label.at.x + across * away - label.width * (1 - across) / 2,
            label.at.y + down * away - label.height * (1 - down) / 2, label.width, label.height};
}

std::optional<Segment> leader_to(const Rectangle& text, const PointLabel& label) {
    const Point end{std::clamp(label.at.x, text.x, text.right()),
                    std::clamp(label.at.y, text.y, text.bottom())};
    const double length = std::hypot(end.x - label.at.x, end.y - label.at.y);
    if (length - label.radius <= kLed)
        return std::nullopt;
    const double share = label.radius / length;
    return Segment{
        {label.at.x + (end.x - label.at.x) * share, label.at.y + (end.y - label.at.y) * share},
        end};
}

bool is_within(const Rectangle& r, const Rectangle& bounds) {
    return r.x >= bounds.x && r.y >= bounds.y && r.right() <= bounds.right() &&
           r.bottom() <= bounds.bottom();
}

// What stands already.
struct Taken {
    const std::vector<Rectangle>& marks;
    std::vector<Rectangle> texts = {};
    std::vector<Segment> leaders = {};

    bool leaves_room_for(const LabelPlace& place) const {
        const Rectangle text = place.text.grown(kApart);
        const auto meets = [&](const Rectangle& other) { return text.overlaps(other); };
        return std::none_of(marks.begin(), marks.end(), meets) &&
               std::none_of(texts.begin(), texts.end(), meets) &&
               std::none_of(leaders.begin(), leaders.end(),
                            [&](const Segment& line) { return crosses(line, text); }) &&
               !(place.leader && std::any_of(texts.begin(), texts.end(), [&](const auto& other) {
                     return crosses(*place.leader, other);
                 }));
    }
};

} // namespace

// Liang and Barsky: the part of the line that is within both pairs of edges.
bool crosses(const Segment& line, const Rectangle& r) {
    double from = 0, to = 1;
    const auto cut = [&](double start, double length, double low, double high) {
        if (length == 0)
            return start >= low && start <= high;
        const double first = (low - start) / length, second = (high - start) / length;
        from = std::max(from, std::min(first, second));
        to = std::min(to, std::max(first, second));
        return from <= to;
    };
    const auto& [a, b] = line;
    return cut(a.x, b.x - a.x, r.x, r.right()) && cut(a.y, b.y - a.y, r.y, r.bottom());
}

std::vector<Rectangle> strip_along(const Segment& line, double thickness) {
    const auto& [a, b] = line;
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double across = length > 0 ? (b.x - a.x) / length : 1,
                 down = length > 0 ? (b.y - a.y) / length : 0;
    const int pieces =
        std::max(1, static_cast<int>(std::ceil(length / std::max(thickness, kPiece))));
    const double piece = length / pieces;
    const double width = std::abs(across) * piece + std::abs(down) * thickness,
                 height = std::abs(down) * piece + std::abs(across) * thickness;
    std::vector<Rectangle> strip;
    for (int n = 0; n < pieces; ++n) {
        const double middle = (n + 0.5) * piece;
        strip.push_back(
            {a.x + across * middle - width / 2, a.y + down * middle - height / 2, width, height});
    }
    return strip;
}

std::vector<std::optional<LabelPlace>> place_point_labels(const std::vector<PointLabel>& labels,
                                                          const std::vector<Rectangle>& marks,
                                                          const Rectangle& bounds,
                                                          std::vector<Rectangle> texts) {
    Taken taken{marks, std::move(texts)};
    const auto place_of = [&](const PointLabel& label) -> std::optional<LabelPlace> {
        for (double distance = kBeside; distance <= label.reach; distance += kFarther)
            for (const double degrees : kDirections) {
                const Rectangle text = text_beside(label, degrees, distance);
                const LabelPlace place{text, leader_to(text, label)};
                if (is_within(text, bounds) && taken.leaves_room_for(place))
                    return place;
            }
        return std::nullopt;
    };
    std::vector<std::optional<LabelPlace>> places;
    for (const PointLabel& label : labels) {
        places.push_back(place_of(label));
        if (!places.back())
            continue;
        taken.texts.push_back(places.back()->text);
        if (places.back()->leader)
            taken.leaders.push_back(*places.back()->leader);
    }
    return places;
}

} // namespace loopscope::views
