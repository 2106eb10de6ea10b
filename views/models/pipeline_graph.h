#pragma once
// The pipeline's graph as a view draws it: which nodes, edges and kernels there are, and what is
// written on them.

#include "views/models/snapshots.h"

#include <unordered_map>
#include <vector>

namespace loopscope::views {

struct PipelineNode {
    std::string stage; // empty: the node stands for the stages of a folded group
    QString name;
    QString detail; // "f32 [1024, 1920]", "inlined", "7 stages · 12 MiB"
    bool is_input = false, is_output = false, inlined = false;
    bool made = false; // by cache_read or cache_write: it holds what another stage has
    int group = -1;    // of PipelineGraph::groups
    NodeId id;         // what selecting it selects
    double bytes = 0;  // of its memory; 0: nothing is stored
    // The groups that it may be folded into, outermost first (graph_folding.h); only those with
    // other nodes too.
    std::vector<std::string> folds;
    std::string folded; // the group that the node stands for; empty: it is a stage
    // the stages that it stands for, in topological order; of a stage: itself
    std::vector<std::string> members;
};

struct PipelineEdge {
    int from = 0, to = 0; // indices of nodes
    double bytes = 0;     // of the memory read; 0: nothing is stored
};

struct PipelineGroup {
    std::string root; // the stage at root with which all others of the group are computed
};

struct PipelineGraph {
    std::vector<PipelineNode> nodes;               // inputs, then stages, in topological order
    std::vector<PipelineEdge> edges;               // at most one between two nodes
    std::vector<PipelineGroup> groups;             // kernels of more than one stage
    std::unordered_map<std::string, int> by_stage; // the node of each stage, folded or not
    int index_of(const std::string& stage) const;  // -1: none
};

PipelineGraph pipeline_graph(const ScheduleTree& tree);

// Is it another one, and not another size of the same, or its text as it is being written? Another
// name, or most stages are new.
bool another_pipeline(const Pipeline& before, const Pipeline& after);

// The seconds of each stage without those of stages computed inside it.
std::map<std::string, double> stage_seconds(const ScheduleTree& tree,
                                            const model::Estimate& estimate);

} // namespace loopscope::views
