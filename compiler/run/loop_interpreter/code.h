#pragma once
// A loop program as the interpreter runs it: a tree of statements, each with straight-line
// instructions on cells.

#include "compiler/run/loop_interpreter/kernels.h"
#include "compiler/run/loop_interpreter/storage.h"
#include "core/ir/cost.h"

#include <memory>
#include <vector>

namespace loopscope::loop_interpreter {

// A load or store of the lanes of one place.
struct Access {
    Site site;
    std::vector<std::uint32_t> indices; // first cells; one per dimension, or one in elements
    std::vector<bool> scalar;           // this index is the same in all lanes
    bool flat = false;
    bool prefetches = false; // the place is looked at alone
    std::int64_t mask = -1;  // first cell; -1: all lanes are on
    std::uint32_t value = 0; // of a store
    bool scalar_value = false;
    std::uint32_t lanes = 1;
    Instruction combine; // Atomic: of an old value and a new one, one lane; else without a kernel
};

struct Run { // instructions [begin, end)
    std::uint32_t begin = 0, end = 0;
};

struct Node {
    lower::StatementKind kind = lower::StatementKind::Block;
    lower::ForKind for_kind = lower::ForKind::Serial;
    const NodeId* origin = nullptr;
    std::vector<Node> children;
    Run head;                   // bounds; condition; value, indices and mask
    std::uint32_t variable = 0; // For: cell
    std::uint32_t begin = 0, extent = 0, condition = 0;
    bool narrow = true;           // For: the variable is an i32
    std::uint32_t access = 0;     // Store, Atomic, Prefetch
    std::uint32_t store = 0;      // Allocate
    std::int64_t footprint = -1;  // For: its number among those asked for
    Cost cost;                    // of the head
    std::uint64_t executions = 0; // of the head
};

struct Code {
    std::vector<Instruction> instructions;
    std::vector<Access> accesses;
    std::vector<Cell> cells; // constants are in place
    std::vector<Node> launches;
};

// Adds the program's buffers to `memory` and compiles it. Stops (Stop) at types that are not there
// yet.
Code compile(const lower::Program& program, const LoopInterpreterOptions& options, Memory& memory,
             std::map<std::string, std::uint32_t>& stores);

} // namespace loopscope::loop_interpreter
