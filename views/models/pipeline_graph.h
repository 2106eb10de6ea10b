#pragma once
// The pipeline's graph as a view draws it: which nodes, edges and kernels there are, and what is written on them.

#include "views/models/snapshots.h"

#include <vector>

namespace loopscope::views {

struct PipelineNode {
    std::string stage;
    QString name;
    QString detail; // "f32 [1024, 1920]", "inlined"
    bool is_input = false, is_output = false, inlined = false;
    int group = -1; // of PipelineGraph::groups
    NodeId id;      // what selecting it selects
};

struct PipelineEdge {
    int from = 0, to = 0; // indices of nodes
    double bytes = 0;     // of the memory read; 0: nothing is stored
};

struct PipelineGroup {
    std::string root; // the stage at root with which all others of the group are computed
};

struct PipelineGraph {
    std::vector<PipelineNode> nodes;              // inputs, then stages, in topological order
    std::vector<PipelineEdge> edges;              // at most one between two nodes
    std::vector<PipelineGroup> groups;            // kernels of more than one stage
    int index_of(const std::string& stage) const; // -1: none
};

PipelineGraph pipeline_graph(const ScheduleTree& tree);

// The seconds of each stage without those of stages computed inside it.
std::map<std::string, double> stage_seconds(const ScheduleTree& tree,
                                            const model::Estimate& estimate);

} // namespace loopscope::views
