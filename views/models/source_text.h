#pragma once
// A text that a schedule compiles to, and where each of its lines comes from.

#include "core/schedule/identity.h"

#include <QString>

#include <vector>

namespace loopscope::views {

struct SourceText {
    QString text;
    std::vector<NodeId> lines; // the origin of each line; may be shorter than the text
};

} // namespace loopscope::views
