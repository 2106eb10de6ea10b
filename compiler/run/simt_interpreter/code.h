#pragma once
// A launch as the interpreter runs it: a list of steps with jumps, so that a warp can stop behind
// any of them and go on later. A step has straight-line instructions on the warp's cells, which run
// in all lanes, also in those that are off: results of those are not used.

#include "compiler/lower/gpu/launch.h"
#include "compiler/run/loop_interpreter/kernels.h"
#include "compiler/run/simt_interpreter/findings.h"
#include "compiler/run/simt_interpreter/memory.h"
#include "core/ir/cost.h"
#include "core/schedule/gpu/shared_matrix.h"
#include "core/schedule/gpu/swizzling.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope::simt_interpreter {

using loop_interpreter::Instruction;
using loop_interpreter::Kernel;

// The place of a warp's value in its cells. For a value with lanes (a vector of each thread) all
// threads' first lanes come first. A value that is the same in all threads is `uniform`, and has
// one cell a lane.
struct Value {
    std::uint32_t cell = 0;
    std::uint32_t lanes = 1;
    bool uniform = true;

    std::uint32_t size() const { return uniform ? lanes : lanes * lower::kWarp; }
    // The cell of a lane; a value of one lane stands for any number of lanes.
    std::uint32_t at(std::uint32_t lane, std::uint32_t thread) const {
        auto l = lanes == 1 ? 0 : lane;
        return cell + (uniform ? l : l * lower::kWarp + thread);
    }
};

// A place in the text that is counted or reported: a statement, or a load in one. Places are
// numbered as the text goes.
struct Site {
    const NodeId* origin = nullptr;
    Deed deed = Deed::Reads;
    std::uint8_t operation = 0; // of an atomic store: its number, above 0
    SimtCounts counts;          // without operations
};

struct Access {
    std::uint32_t site = 0, store = 0;
    std::vector<Value> indices; // one per dimension, or one in elements
    bool flat = false;
    std::optional<Value> mask; // none: all lanes are on
    Value value;               // of a store; of a load: its result
    std::uint32_t lanes = 1;
    Instruction combine; // Atomic: of an old value and a new one, one lane; else without a kernel
};

struct Run { // instructions [begin, end)
    std::uint32_t begin = 0, end = 0;
};

enum class StepKind : std::uint8_t {
    Compute, // the head alone
    Loop,    // a, b: begin, extent; `variable`; target: behind its LoopEnd
    LoopEnd, // target: its Loop
    Branch,  // a: condition; target: the other side, or what comes behind
    // of a branch whose condition differs between threads: the other side, or all together to
    // target
    SideEnd,
    Jump,     // target
    Store,    // access; also Atomic
    Copy,     // access, token
    BulkCopy, // call, token
    Allocate, // store
    Prefetch, // access
    BlockBarrier,
    WarpBarrier,
    Commit,      // token
    Wait,        // token, pending
    Rendezvous,  // Acquire, Release: nothing but collective
    AcquireSlot, // of tokens that are handed over: token
    TakeGroup,
    ReleaseSlot,
    Threads, // `of`; target: behind its ThreadsEnd
    ThreadsEnd,
    Intrinsic, // number of the call
    End
};

// Threads of a block, by their numbers.
struct ThreadRange {
    std::uint32_t begin = 0, end = 0;
    Mask in_warp(std::uint32_t first_thread) const {
        Mask mask = 0;
        for (std::uint32_t t = 0; t < kWarp; ++t)
            mask |= Mask{first_thread + t >= begin && first_thread + t < end} << t;
        return mask;
    }
    bool meets_warp(std::uint32_t first_thread) const {
        return first_thread < end && first_thread + kWarp > begin;
    }
};

// A token whose copies producers ask for and other threads use.
struct Handover {
    std::string name;        // the token
    std::uint32_t slots = 0; // 0: it is none
    ThreadRange readers;
};

struct Step {
    StepKind kind = StepKind::Compute;
    bool uniform = false;           // Branch: one condition for all
    const NodeId* origin = nullptr; // of what has a cost
    Run head;
    Value a, b, variable;
    std::uint32_t site = 0, target = 0, access = 0, store = 0, token = 0, call = 0;
    int pending = 0;
    ThreadRange of;   // collective steps: who takes them together
    bool wide = true; // Loop: the variable is an i64
    // The name of the step where not all threads reach it: "a barrier of the block"
    const char* collective = nullptr;
    Cost cost;
    std::uint64_t lanes = 0; // that ran it, over all warps
};

struct IntrinsicEntry;

// An intrinsic with its operands.
struct Call {
    const IntrinsicEntry* entry = nullptr;
    int number = 0; // in the name, as of shuffle_down_16
    std::uint32_t site = 0;
    struct Operand {
        std::uint32_t store = 0;
        std::vector<Value> indices;
        std::optional<SharedMatrix> matrix;
    };
    std::vector<Operand> operands;
    bool flat = false;
    std::vector<std::int64_t> box;    // BulkCopy
    std::optional<Swizzling> swizzle; // of its destination
    bool zero_border = false;         // it may leave its source
};

struct LaunchCode {
    std::string name;
    lower::LaunchShape shape;
    std::vector<Step> steps;
    std::vector<Instruction> instructions;
    std::vector<Access> accesses;
    std::vector<Call> calls;
    std::vector<Site> sites;
    std::vector<Cell> cells; // of a warp before it begins: constants are in place
    std::uint32_t tokens = 0;
    std::vector<Handover> handovers; // by token
    // The variables of the launch's dimensions; those without a loop have none.
    struct Variable {
        std::size_t axis = 0; // 0 is x
        Value value;
        bool in_cluster = false; // numbers the blocks of one
    };
    std::vector<Variable> block_variables, thread_variables;
    std::vector<std::uint32_t> allocations; // stores that are made inside
};

struct Compiling {
    const lower::Program& program;
    const std::map<std::string, std::int64_t>& symbols;
    Memory& memory;
    // stores of arguments and of buffers of the device
    const std::map<std::string, std::uint32_t>& globals;
};

// Compiles the launch. Stops (Stop) at statements that the interpreter does not know.
LaunchCode compile(const lower::Launch& launch, const Compiling& compiling);

} // namespace loopscope::simt_interpreter
