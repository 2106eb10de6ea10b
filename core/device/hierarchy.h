#pragma once
// What the names of levels and scopes mean on a GPU: an open table, which a device's file may extend.

#include <string>
#include <vector>

namespace loopscope::device {

// A level that loops are bound to. It numbers the members of one unit: block.x the blocks of a grid, thread.x the threads
// of a block, cluster.x the blocks of a cluster, warp the warps of a block.
struct Level {
    std::string name;
    std::string unit; // one of level_units()
};

// A memory that stages lie in, and the unit all members of which see one copy of it. The threads of a warp hold a fragment
// together, in registers: the operands and results of tensor instructions.
struct Scope {
    std::string name;
    std::string shared_by; // one of scope_units()
};

// "grid", "cluster", "block", "warpgroup", "warp", outermost first; and "virtual", whose members are one thread in turn.
const std::vector<std::string>& level_units();
// "grid", "cluster", "block", "warpgroup", "warp", "thread", outermost first.
const std::vector<std::string>& scope_units();

// Those of the schedule language (core/schedule/levels.h), which all GPUs have. A cluster is one block where the
// device has none.
const std::vector<Level>& default_levels();
const std::vector<Scope>& default_scopes();

} // namespace loopscope::device
