#pragma once
// The interpreter of loop programs: runs a program as it stands after any pass, with or without
// vectors, and judges it. It reports iterations that conflict, accesses outside of buffers and
// reads of what nobody wrote, each with the identity of the statement, and counts operations,
// accesses and distinct bytes: the judge of legality and of models. Its arithmetic is its own,
// written from languages.md.

#include "compiler/lower/program.h"
#include "compiler/run/buffer.h"
#include "core/base/result.h"

#include <atomic>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct LoopInterpreterOptions {
    std::map<std::string, std::int64_t> symbols;
    bool check_conflicts = true;
    // Loops (by origin) whose footprint is wanted: the distinct bytes that one whole execution of
    // the loop touches.
    std::vector<NodeId> footprints;
    std::uint64_t step_limit = 20'000'000'000;         // statements executed
    std::int64_t memory_limit = std::int64_t{8} << 30; // bytes, with what the checks need
    const std::atomic<bool>* cancel = nullptr;         // set by another thread to stop
};

struct LoopFinding {
    enum class Kind {
        // two iterations of one parallel or vectorised loop (or two lanes) access one element, one
        // of them writing. No conflict: lanes that combine into one place by one operation (a
        // vectorised reduction axis), and atomic stores of one operation
        Conflict,
        OutOfBounds,       // the access is left out; a load gives zero
        UninitializedRead, // also an element of an output's window that was never written
    } kind = Kind::Conflict;
    NodeId origin; // of the statement
    std::string buffer;
    std::string message; // the first occurrence
    std::uint64_t count = 0;
};

struct LoopCounts {
    std::uint64_t flops = 0,
                  integer_operations = 0; // by the rule of core/ir/cost.h; lanes that are off count
    std::uint64_t loads = 0, stores = 0;  // elements; lanes that are off do not count
};

struct DistinctBytes {
    std::int64_t touched = 0, read = 0, written = 0; // touched: read or written
};

struct LoopBufferCounts {
    std::uint64_t loads = 0, stores = 0; // elements
    DistinctBytes distinct; // of an allocation: over all times it is made, by place within it
};

// Maxima over the executions of a loop; the figures of different buffers may come from different
// executions.
struct LoopFootprint {
    std::uint64_t executions = 0;
    DistinctBytes total;
    std::map<std::string, DistinctBytes> by_buffer;
};

struct LoopRun {
    std::map<std::string, Buffer> outputs; // what the caller sees: the window of each output
    std::vector<LoopFinding> findings;     // in order of first occurrence; empty: nothing is wrong
    LoopCounts total;
    // the expressions and accesses of the statements with this origin
    std::map<NodeId, LoopCounts> by_origin;
    std::map<std::string, LoopBufferCounts> by_buffer;
    std::map<NodeId, LoopFootprint> footprints;
    std::uint64_t steps = 0;
};

const char* name(LoopFinding::Kind kind); // "conflict"
// a line each; empty when there are none
std::string format(const std::vector<LoopFinding>& findings);

// Runs all launches in order. Errors: an input that is missing or of another type or shape; a
// symbol without a value; the step limit (code "step-limit"), the memory limit ("memory-limit"),
// "cancelled". The program must be one that lower::verify finds right.
Result<LoopRun> run_loop_program(const lower::Program& program,
                                 const std::map<std::string, Buffer>& inputs,
                                 const LoopInterpreterOptions& options = {});

} // namespace loopscope
