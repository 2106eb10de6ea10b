#pragma once
// What dropping one thing on another would do to the schedule: the directive, and how it is said
// while dragging. Whether it may be applied is asked of the session.

#include "views/models/directive_lines.h"

namespace loopscope::views {

// Loops move within their nest; every other row moves its stage.
enum class Dragged { Nothing, Loop, Stage };
Dragged dragged_kind(const ScheduleTree& tree, const NodeId& id);

enum class DropPlace {
    On,
    Above,
    Below,
    Gutter,    // left of a row
    Root,      // beside all rows; the target is not looked at
    RootStore, // the same, for memory
};

struct DropProposal {
    QString line;     // empty: nothing that could be asked for; `sentence` says why
    QString sentence; // "Compute gray at out.yo"
};

// A loop on, above or below another loop of its nest: a reorder; on one of another definition:
// compute_with, from the outermost down to that. A stage on a loop: compute_at; on the gutter left
// of it: store_at; at the root: compute_root or store_root; on another stage: as fusion_of says.
DropProposal drop_proposal(const ScheduleTree& tree, const NodeId& dragged, const NodeId& target,
                           DropPlace place);

// Two stages, one of which reads the other: the producer moves into the consumer.
struct Fusion {
    std::string producer, consumer; // empty: neither reads the other; `absent` says so
    // Where the producer may be computed in the consumer, innermost loop first, then inlined.
    std::vector<DirectiveChoice> choices;
    QString inline_line; // "gray.inline()"
    // why there is no loop of the consumer to choose; inlining may still be possible
    QString absent;
    // The directive that is refused when `choices` has no loop: what `absent` is about. May be
    // empty.
    QString refused_line;
};
Fusion fusion_of(const ScheduleTree& tree, const std::string& one, const std::string& other);

} // namespace loopscope::views
