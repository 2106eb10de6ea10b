#include "views/geometry/pipeline_timeline.h"

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr std::int64_t kMaxItems = 4000; // more than a picture can show
constexpr double kMinDrag = 14;          // pixels for one stage, however short a load is
constexpr double kLeastLength = 0.002;   // of what is shown, of the whole time

using Kind = TimelineEvent::Kind;

class Simulation {
public:
    Simulation(const TimelineSpec& spec, std::int64_t outer) : spec_(spec) {
        std::int64_t items = outer;
        for (std::size_t l = 0; l < spec.levels.size(); ++l) {
            items = l == 0 ? outer : items * std::max<std::int64_t>(1, spec.levels[l].iterations);
            moved_.emplace_back();
            inside_.push_back(l + 1 < spec.levels.size()
                                  ? std::max<std::int64_t>(1, spec.levels[l + 1].iterations)
                                  : 1);
            moved_.back().reserve(static_cast<std::size_t>(items));
        }
        items_ = items;
    }

    Timeline run(std::int64_t outer) {
        Timeline out;
        out.drawn = outer;
        const int last = static_cast<int>(spec_.levels.size()) - 1;
        for (std::int64_t j = 0; j < items_; ++j) {
            const double ready = load(last, j);
            const double free = worked_.empty() ? 0 : worked_.back();
            const double begin = std::max(ready, free);
            if (j > 0 && begin > free + 1e-6 * spec_.work)
                events_.push_back({Kind::Idle, last + 1, j, free, begin});
            events_.push_back({Kind::Work, last + 1, j, begin, begin + spec_.work});
            worked_.push_back(begin + spec_.work);
            began_.push_back(begin);
        }
        finish(out);
        return out;
    }

private:
    // Loads item x of a level, and whatever has not been loaded yet before it. Returns when it can
    // be used.
    double load(int level, std::int64_t x) {
        auto& moved = moved_[static_cast<std::size_t>(level)];
        const auto& l = spec_.levels[static_cast<std::size_t>(level)];
        while (static_cast<std::int64_t>(moved.size()) <= x) {
            const auto item = static_cast<std::int64_t>(moved.size());
            double begin = moved.empty() ? 0 : moved.back();
            if (level > 0)
                begin = std::max(begin,
                                 load(level - 1, item / std::max<std::int64_t>(1, l.iterations)));
            if (item >= l.stages)
                begin = std::max(begin, used(level, item - l.stages));
            const double end = begin + l.transfer;
            events_.push_back({Kind::Load, level, item, begin, end});
            if (l.latency > 0)
                events_.push_back({Kind::Latency, level, item, end, end + l.latency});
            moved.push_back(end);
        }
        return moved[static_cast<std::size_t>(x)] + l.latency;
    }

    // When the last part of item x has been used: moved on by the next level, or worked on.
    double used(int level, std::int64_t x) const {
        const auto l = static_cast<std::size_t>(level);
        const auto& after = l + 1 < moved_.size() ? moved_[l + 1] : worked_;
        const auto part = static_cast<std::size_t>((x + 1) * inside_[l] - 1);
        return part < after.size() ? after[part] : after.empty() ? 0 : after.back();
    }

    void finish(Timeline& out) {
        const auto work = worked_.back();
        if (spec_.store > 0)
            events_.push_back(
                {Kind::Store, static_cast<int>(spec_.levels.size()), 0, work, work + spec_.store});
        out.prologue = began_.front();
        out.steady_end = std::min(work, moved_.front().back() + spec_.levels.front().latency);
        out.end = work + spec_.store;
        const double whole = work - out.prologue;
        out.busy = whole > 0 ? static_cast<double>(worked_.size()) * spec_.work / whole : 1;
        // The later half of the iterations gives the period: those before may still be filling the
        // pipeline.
        const auto per = worked_.size() / static_cast<std::size_t>(out.drawn);
        const auto n = static_cast<std::size_t>(out.drawn);
        out.period = n > 2 ? (worked_[(n - 1) * per - 1] - worked_[(n / 2) * per - 1]) /
                                 static_cast<double>(n - 1 - n / 2)
                           : whole / static_cast<double>(n);
        out.left_out = std::max<std::int64_t>(0, spec_.levels.front().iterations - out.drawn);
        out.break_at = began_[n / 2 * per];
        const double use = static_cast<double>(per) * spec_.work;
        // ALCOP, Table I: a load is hidden where it takes at most (stages - 1) times the use.
        const auto& first = spec_.levels.front();
        const double hidden = std::max(out.period, use);
        out.spare = std::min((first.stages - 1) * hidden - first.transfer - first.latency,
                             hidden - first.transfer);
        if (out.period > use * 1.000001)
            out.spare = use - out.period;
        out.events = std::move(events_);
    }

    const TimelineSpec& spec_;
    std::int64_t items_ = 1;
    std::vector<std::vector<double>> moved_; // by level and item: when it has been moved
    std::vector<std::int64_t> inside_;       // by level: items of the next one in one of its own
    std::vector<double> worked_, began_;
    std::vector<TimelineEvent> events_;
};

} // namespace

Timeline simulate_timeline(const TimelineSpec& spec, std::int64_t most) {
    std::int64_t inner = 1;
    for (std::size_t l = 1; l < spec.levels.size(); ++l)
        inner = std::min(kMaxItems, inner * std::max<std::int64_t>(1, spec.levels[l].iterations));
    const auto outer =
        std::clamp<std::int64_t>(spec.levels.front().iterations, 1,
                                 std::max<std::int64_t>(1, std::min(most, kMaxItems / inner)));
    if (inner < kMaxItems)
        return Simulation(spec, outer).run(outer);
    // One iteration holds more than can be told apart: its parts are drawn as one.
    TimelineSpec coarse = spec;
    for (std::size_t l = 1; l < coarse.levels.size(); ++l) {
        coarse.levels[l].transfer *= static_cast<double>(coarse.levels[l].iterations);
        coarse.work *= static_cast<double>(coarse.levels[l].iterations);
        coarse.levels[l].iterations = 1;
    }
    return simulate_timeline(coarse, most);
}

TimeWindow zoomed(const TimeWindow& window, double factor, double at) {
    const double length = std::clamp(window.length / factor, kLeastLength, 1.0);
    return {std::clamp(window.from + at * (window.length - length), 0.0, 1 - length), length};
}

TimeWindow moved(const TimeWindow& window, double by) {
    return {std::clamp(window.from + by * window.length, 0.0, 1 - window.length), window.length};
}

TimelineLayout layout_timeline(const Timeline& timeline, std::size_t levels, double width,
                               const TimelineMetrics& metrics, const TimeWindow& window) {
    TimelineLayout out;
    out.left = metrics.name_width;
    const double room = std::max(1.0, width - metrics.name_width - metrics.right_margin);
    out.right = out.left + room;
    out.first = window.from * timeline.end;
    out.last = (window.from + window.length) * timeline.end;
    out.scale = out.last > out.first ? room / (out.last - out.first) : 0;
    auto x = [&](double seconds) { return out.left + (seconds - out.first) * out.scale; };
    for (std::size_t row = 0; row <= levels; ++row)
        out.rows.push_back({0, metrics.top + static_cast<double>(row) * metrics.row_height, width,
                            metrics.row_height});
    out.bottom = metrics.top + static_cast<double>(levels + 1) * metrics.row_height;
    for (const auto& event : timeline.events) {
        const double from = std::max(out.left, x(event.begin)),
                     to = std::min(out.right, x(event.end));
        if (to < from)
            continue;
        const Rectangle& row = out.rows[static_cast<std::size_t>(event.level)];
        const double y = row.y + (metrics.row_height - metrics.bar_height) / 2;
        out.bars.push_back({event, {from, y, to - from, metrics.bar_height}});
    }
    out.prologue_x = x(timeline.prologue);
    out.steady_x = x(timeline.steady_end);
    out.end_x = x(timeline.end);
    return out;
}

int dragged_stages(int stages, double pixels, double scale, double transfer, int most) {
    const double step = std::max(kMinDrag, transfer * scale);
    return std::clamp(stages + static_cast<int>(std::lround(pixels / step)), 1, most);
}

} // namespace loopscope::views
