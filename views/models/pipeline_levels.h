#pragma once
// What of a kernel's loads can be pipelined, level by level, with the times that a timeline draws:
// the terms of the GPU's bottleneck model, shared out to one iteration of each loop in one wave of
// blocks.

#include "core/schedule/directive.h"
#include "views/geometry/pipeline_timeline.h"
#include "views/models/snapshots.h"

#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace loopscope::views {

struct PipelineLevel {
    QString name;                    // "global → shared"
    NodeId loop;                     // whose iterations load
    std::vector<std::string> stages; // copies that are loaded at it, in the tree's order
    int copies = 1;                  // of the buffers: the greatest of theirs
    std::int64_t producers = 0;      // producer warpgroups
    device::MemoryScope scope;
    double copy_bytes = 0;    // of all its buffers, one copy of each
    TimelineLevel times;      // with `copies` as its stages
    QString transfer_formula; // in this schedule's values
};

struct PipelineChain {
    NodeId node;                       // the stage whose loops load
    std::vector<PipelineLevel> levels; // outermost first; at least one
    double work_seconds = 0;           // of one iteration of the innermost level
    QString work_name;                 // "f32 units", "tensor cores", "instructions"
    QString work_formula;
    double store_seconds = 0;
    // False: there is no time, and lengths only say what follows what. `reason` then says why.
    bool timed = false;
    QString reason;
    // What its kernel takes; as the estimate says.
    std::int64_t shared_bytes = 0, shared_limit = 0;
    int blocks_at_once = 0; // of a multiprocessor; 0: it cannot run
    QString limited_by;

    TimelineSpec spec() const;
};

// Chains of loads, in the order of the tree: each with loops of its own. `device` must be a GPU;
// `estimate` may be null.
std::vector<PipelineChain> pipeline_chains(const ScheduleTree& tree,
                                           const model::Estimate* estimate,
                                           const device::Device& device);
// The one that holds a node, else the first; -1: there is none.
int chain_of(const std::vector<PipelineChain>& chains, const ScheduleTree& tree, const NodeId& id);

// The script's edits that give all buffers of a level so many copies. Empty: they have.
std::vector<DirectiveEdit> stages_edits(const PipelineLevel& level, int copies,
                                        const ScheduleTree& tree, const Schedule* schedule);

} // namespace loopscope::views
