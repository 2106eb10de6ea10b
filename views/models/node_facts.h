#pragma once
// The facts of a node as names and values: what the inspector lists. Only what tree, pipeline and
// estimate hold.

#include "views/models/snapshots.h"

#include <vector>

namespace loopscope::views {

struct Fact {
    QString name, value, tooltip;
    bool code = false; // the value is an expression
    // against the baseline's node of the same identity; empty: nothing to compare with
    QString change = {};
    int sign = 0;        // of the change: -1 better, +1 worse
    bool quoted = false; // the name is the program's own
};

// For any identity that the window can select: nodes of the tree, inlined stages, inputs. Empty:
// unknown.
// `device`: whose registers memory may be too large for; null: not known.
std::vector<Fact> node_facts(const ScheduleTree& tree, const model::Estimate* estimate,
                             const NodeId& id, const Baseline& baseline = {},
                             const device::Device* device = nullptr);

} // namespace loopscope::views
