#pragma once
// A refused line that would be right further up. A loop at which something is computed, or that is
// bound or vectorised, is not taken apart any more: "write this line before blur_x.compute_at(out,
// y)". There it is legal, and what followed names a part of the loop from then on.

#include "app/session/edits.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope::session {

struct EarlierPlace {
    std::string script;               // the whole, which applies
    std::string description;          // "split out.y by 8": undo text and revision name
    std::string before;               // the line that it stands before, as it was
    std::vector<std::string> follows; // those that name a part of a loop now, as they are
};

// Nothing: no place further up makes it legal, or it takes no loop apart that another line names.
// (Where it applies further up as it is, find_insertion puts it there.)
std::optional<EarlierPlace> earlier_place(const Present& present, const std::string& refused_line);

} // namespace loopscope::session
