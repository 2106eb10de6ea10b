#pragma once
// The pinned baseline and the present schedule side by side: numbers, directives, loops.

#include "core/schedule/tree.h"
#include "views/geometry/line_diff.h"
#include "views/models/snapshots.h"

#include <optional>
#include <vector>

namespace loopscope::views {

struct ComparedNumber {
    QString name, before, now;   // a side that has no such number: "–"
    QString change;              // "▾ 18 %"; empty where a side is missing
    int sign = 0;                // -1: better, +1: worse
    std::optional<double> ratio; // now over before; absent where a side is missing or nothing
    QString tooltip;
    QString group; // what it is a number of: the whole, a level of memory, a kernel
};
ComparedNumber compared_number(const QString& name, std::optional<double> before,
                               std::optional<double> now, QString (*format)(double),
                               const QString& tooltip, bool less_is_better = true);
QString whole_group(); // the group of what is of the whole program

// A directive that only one of the scripts has, or that changed.
struct ComparedLine {
    LineChange change = LineChange::Added;
    int line = 0; // in its own script, from 1
    QString text;
};

struct MeasuredPair {
    std::optional<double> before, now; // medians on the same device, seconds
};

// Times, rates, traffic and recomputation of the whole, then the time of each kernel that either
// has.
std::vector<ComparedNumber> compare_numbers(const model::Estimate& before,
                                            const model::Estimate& now,
                                            const MeasuredPair& measured = {});

// What differs between two scripts, by directives: comments, empty lines and spacing count for
// nothing.
std::vector<ComparedLine> compare_scripts(const std::string& before, const std::string& now);

struct Comparison {
    QString title; // what is pinned: "tiled, vectors, parallel"
    std::vector<ComparedNumber> numbers;
    std::vector<ComparedLine> script;
    std::vector<TreeDifference> tree;
};

} // namespace loopscope::views
