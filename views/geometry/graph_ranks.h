#pragma once
// The rows of a layered drawing: every node stands below all that it reads.

#include <vector>

namespace loopscope::views {

struct GraphLink {
    int from = 0, to = 0;
};

// The row of each node, from 0: by longest paths, then what is read more than it reads moves down
// to its first reader, as do chains that hang between two rows. That shortens edges as the network
// simplex does (Gansner, Koutsofios, North, Vo 1993), in one pass over them. Of a cycle some link
// goes upwards; a link from a node to itself does not count.
std::vector<int> graph_ranks(int nodes, const std::vector<GraphLink>& links);

} // namespace loopscope::views
