#pragma once
// All that is refused of a script's lines, not the first alone. A refused line leaves the state as
// it was, and the lines behind it are tried on. What it would have done is then missing, so a later
// refusal may merely follow from it. The rule: a refused line leaves in doubt
//   - the loops and stages that it would have made;
//   - the loops that it would have replaced or put in order (it makes loops, or names several);
//   - the place of its stage, if it is about places (compute_at, store_at, …).
// A later refusal of a line that names something in doubt is passed over. A line that could not be
// read leaves in doubt the stage that it makes, and every loop that its names may mean.
// Behind a thousand refused lines no more are tried: each is held against all before it.

#include "core/schedule/directive.h"

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

// A line of the script that could not be read; its errors are the parser's.
struct UnreadLine {
    std::size_t begin = 0; // byte of the text
    std::string made;      // "As" of `As = …`; empty: it makes no stage
    std::set<std::string> names;
};

// `before`: the state before the first of the `lines`. `unread`: in the order of the text.
Diagnostics refusals(const ScheduleState& before, std::span<const DirectivePtr> lines,
                     const std::vector<UnreadLine>& unread, const ApplyContext& context);

} // namespace loopscope
