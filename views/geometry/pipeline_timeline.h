#pragma once
// When the loads and the work of a software pipeline run (ALCOP, Figs. 2 and 3): simulated for some
// iterations, then laid out as rectangles. No widgets.
//
// Level 0 loads from global memory, each further level from the one before it; behind the last one
// is the work. Items of a level are moved one after another. Item x begins when the one before it
// has been moved, when the level above has what it is a part of, and when its copy of the buffer is
// free again: after all that uses item x - stages. It can be used `latency` after it was moved,
// while the next one is being moved already.

#include "views/geometry/shapes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::views {

struct TimelineLevel {
    int stages = 1;              // copies of its buffers
    std::int64_t iterations = 1; // of its loop, in one iteration of the level before
    double transfer = 1;         // seconds that moving one item occupies what moves it
    double latency = 0;          // seconds from then on until it can be used
};

struct TimelineSpec {
    std::vector<TimelineLevel> levels; // at least one; outermost first
    double work = 1;                   // seconds, of one iteration of the innermost level
    double store = 0;                  // seconds, of the results at the end
};

struct TimelineEvent {
    enum class Kind : std::uint8_t { Load, Latency, Work, Store, Idle } kind = Kind::Load;
    int level = 0;             // of loads; the number of levels: the work and what follows it
    std::int64_t item = 0;     // counted through all iterations of its level
    double begin = 0, end = 0; // seconds from the beginning
};

struct Timeline {
    std::vector<TimelineEvent> events;
    std::int64_t drawn = 0; // iterations of the outermost level
    double prologue = 0;    // seconds until work begins
    double steady_end = 0;  // seconds until nothing is loaded any more
    double end = 0;         // seconds
    double busy = 0;   // share of the time between prologue and the end of work in which it works
    double period = 0; // seconds of one iteration of the outermost level in the steady state
    // Seconds that a load of level 0 could take longer without work waiting for it; negative: so
    // long work waits in each iteration.
    double spare = 0;
    std::int64_t left_out = 0; // iterations of the outermost level that are not drawn
    double break_at = 0;       // seconds, in the steady state: where they would be

    // When that is which is drawn at a time, after all iterations that are before it.
    double whole_time(double seconds) const {
        return left_out > 0 && seconds >= break_at
                   ? seconds + static_cast<double>(left_out) * period
                   : seconds;
    }
};

// At most `most` iterations of the outermost level, and at most some thousands of items in all.
Timeline simulate_timeline(const TimelineSpec& spec, std::int64_t most = 12);

// The part of the time that a picture shows, as shares of the whole: it stays the same part while
// a schedule becomes slower or faster.
struct TimeWindow {
    double from = 0, length = 1; // from + length is at most 1
    bool whole() const { return length >= 1; }
    bool operator==(const TimeWindow&) const = default;
};
// What is shown after zooming in by a factor, where `at`, a share of the part, stays in its place.
TimeWindow zoomed(const TimeWindow& window, double factor, double at);
// Moved by a share of its own length, as far as there is time.
TimeWindow moved(const TimeWindow& window, double by);

// Rectangles of a picture `width` wide: a row for each level and one for the work, top to bottom.
struct TimelineBar {
    TimelineEvent event;
    Rectangle where;
};
struct TimelineLayout {
    std::vector<TimelineBar> bars;                  // only the parts that are shown
    std::vector<Rectangle> rows;                    // whole, with the room for their names
    double left = 0, right = 0;                     // where the time that is shown begins and ends
    double first = 0, last = 0;                     // the same in seconds
    double scale = 0;                               // pixels of one second
    double prologue_x = 0, steady_x = 0, end_x = 0; // also where they are not shown
    double bottom = 0;                              // of the last row
};
struct TimelineMetrics {
    double name_width = 120, right_margin = 12, top = 8, row_height = 26, bar_height = 18;
};
TimelineLayout layout_timeline(const Timeline& timeline, std::size_t levels, double width,
                               const TimelineMetrics& metrics, const TimeWindow& window = {});

// The number of stages that a drag means: that many whole loads of the outermost level further
// right or left.
int dragged_stages(int stages, double pixels, double scale, double transfer, int most);

} // namespace loopscope::views
