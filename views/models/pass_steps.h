#pragma once
// The passes of a compilation in order: the program behind each, and what each changed.

#include "views/geometry/line_diff.h"
#include "views/models/source_text.h"

#include <memory>
#include <vector>

namespace loopscope::views {

struct PassStep {
    QString name;    // "vectorize"; the first is "build", which makes the program
    QString summary; // "vectorised loops become vector code"
    std::shared_ptr<const SourceText> source; // the program behind it; null: not made yet
    // Against the program before it; null: one of the two is not made yet, or it is the first.
    std::shared_ptr<const LineDiff> difference;
    QString failure; // not empty: why there will be no program

    int changed_lines() const { // added, removed and changed ones; 0 where that is not known
        return difference ? difference->added + difference->removed + difference->changed : 0;
    }
    bool changes_nothing() const { return difference && difference->same(); }
};
using PassSteps = std::shared_ptr<const std::vector<PassStep>>;

} // namespace loopscope::views
