#pragma once
// Graphs to be laid out, of the kinds that layouts find hard.

#include "views/geometry/graph_layout.h"

namespace loopscope::views::test {

// A chain of stages that each read the one before and, all of them, one input: what an iteration
// with a right-hand side is.
GraphDescription chain_with_common_input(int stages);
// Every node reads all before it.
GraphDescription all_read_all(int nodes);
// Each node reads the one before and the one `back` before.
GraphDescription chain_with_skips(int nodes, int back);
// A chain of blocks with reads that skip ahead; every fourth block is an enclosure.
GraphDescription chain_of_blocks(int blocks);
// Acyclic; what is between its enclosures is so for most seeds.
GraphDescription random_graph(unsigned seed);

} // namespace loopscope::views::test
