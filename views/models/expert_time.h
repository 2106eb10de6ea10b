#pragma once
// How the present schedule does beside the one that is shipped, as the estimate's head shows it.

#include <QString>

namespace loopscope::views {

struct ExpertTime {
    QString name;                        // its file's
    double seconds = 0, of_this_one = 0; // found in one way
    bool measured = false;               // both were; else both are predicted
    bool only_one_measured = false;
    bool operator==(const ExpertTime&) const = default;
};

} // namespace loopscope::views
