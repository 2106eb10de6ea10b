#pragma once
// A pipeline's graph in text: a row a stage, in topological order, with lanes of what later rows
// still read.
//
//   ○        img       ○ input, ● stage, ◆ output
//   ├─●      gray      ├ ┤ ┼: reads this lane, which goes on
//   │ ├─●    iy        └ ┘ ┴: reads this lane for the last time
//   │ └─│─●  ix        │: a lane that the line crosses without reading it
//
// A stage takes the leftmost lane that is free, so that a long chain stays narrow.

#include <string>
#include <vector>

namespace loopscope::cli {

struct GraphNode {
    std::vector<int> reads; // indices of earlier nodes, each once
    bool input = false;
    bool output = false;
};

// One drawing a node, without trailing spaces. A node that nothing reads afterwards leaves no lane.
std::vector<std::string> draw_graph(const std::vector<GraphNode>& nodes);

} // namespace loopscope::cli
