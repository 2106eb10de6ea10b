#pragma once
// Two schedules of one pipeline side by side: their scripts, their trees, their numbers.

#include "views/models/comparison.h"
#include "views/models/side_by_side.h"

namespace loopscope::views {

struct ComparedSchedule {
    QString title; // "tiled, vectors, parallel"
    std::string script;
    ScheduleTreePtr tree; // null: see `failure`
    EstimatePtr estimate; // null or without seconds: none could be made
    // the newest median of that very schedule on this machine, seconds
    std::optional<double> measured;
    QString failure; // why there is no tree
};

struct SchedulePair {
    ComparedSchedule left, right;
    QString device; // what estimates are for: "this machine", "i7-6700, described"
    SideRows script, tree;
    std::vector<ComparedNumber> numbers; // `before` is the left one's
};

// Everything that follows from the two; callable from any thread.
SchedulePair pair_of(ComparedSchedule left, ComparedSchedule right, const QString& device);

// In words, with the factor: "The right one is 2.4× faster, predicted". `sign`: -1 the right one is
// better, +1 the left.
struct Headline {
    QString text;
    int sign = 0;
};
Headline headline(const SchedulePair& pair);
// "≈ 3.2 ms predicted · 2.9 ms measured"
QString times_text(const ComparedSchedule& schedule);

// The whole comparison as text to be read elsewhere.
enum class TextForm { Markdown, Plain };
QString to_text(const SchedulePair& pair, TextForm form);

} // namespace loopscope::views
