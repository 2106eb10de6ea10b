#pragma once
// The interpreter of launches on a device: runs a loop program's kernels block by block, after `bind_levels` and any pass
// behind it, and judges them. Nothing is assumed of the order of a block's threads but what barriers say, nor of the
// lanes of a warp between its barriers and shuffles. An asynchronous copy arrives when its group has been waited for,
// and not before: until then its room holds nothing that may be read.
//
// It reports, each with the identity of the statement: races between threads, reads before arrival, barriers that not all
// threads reach, accesses outside of buffers, reads of what nobody wrote; and counts what a GPU would do: operations, global
// memory by transactions of 32 bytes, shared memory by passes over its banks. Its arithmetic is that of the interpreter
// of loop programs.

#include "compiler/lower/program.h"
#include "compiler/run/buffer.h"
#include "core/base/result.h"

#include <atomic>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct SimtOptions {
    std::map<std::string, std::int64_t> symbols;
    std::uint64_t seed = 1; // of the order in which warps and lanes take their turns
    std::uint64_t step_limit = 20'000'000'000;         // statements executed by warps
    std::int64_t memory_limit = std::int64_t{8} << 30; // bytes, with what the checks need
    const std::atomic<bool>* cancel = nullptr;         // set by another thread to stop
};

struct SimtFinding {
    enum class Kind {
        Race, // two threads access one element, one of them writing, and no barrier that both took part in lies
        // between. Not one: atomic stores of one operation
        ReadBeforeArrival, // an element that an asynchronous copy is to fill, before its group has been waited for;
                           // or its room written or read meanwhile
        Divergence,        // a collective statement that not all threads of its level reach
        Deadlock,          // threads that wait for each other
        OutOfBounds,       // the access is left out; a load gives zero
        UninitialisedRead, // also an element of an output's window that was never written
    } kind = Kind::Race;
    NodeId origin; // of the statement
    NodeId other;  // Race, ReadBeforeArrival: of the earlier access
    std::string buffer;
    std::string message; // the first occurrence, with block and threads
    std::uint64_t count = 0;
};

// Figures of one launch, or of the statements of one origin in it. An access is what a warp does at once: up to 32 lanes, each
// with up to 16 bytes; wider ones are several.
struct SimtCounts {
    std::uint64_t flops = 0,
                  integer_operations = 0; // by the rule of core/ir/cost.h, of active lanes
    std::uint64_t tensor_flops = 0;       // of tensor instructions
    std::uint64_t global_loads = 0, global_stores = 0; // accesses of warps
    std::uint64_t global_load_sectors = 0,
                  global_store_sectors = 0; // distinct 32-byte sectors of each access
    std::uint64_t global_load_bytes = 0, global_store_bytes = 0; // asked for by lanes
    std::uint64_t shared_accesses = 0;
    std::uint64_t shared_passes =
        0; // each takes one word of 4 bytes of every bank; lanes that read one word share it
    std::uint64_t shared_passes_least = 0; // as many as the bytes would need without conflicts
    std::uint64_t shared_bytes = 0;
    std::uint64_t atomics = 0;
    std::uint64_t asynchronous_bytes =
        0;                      // of copies; they count as global loads and shared accesses too
    std::uint64_t barriers = 0; // executions by blocks
    std::uint64_t shuffles = 0;
};

struct SimtLaunchRun {
    std::string name;
    std::int64_t blocks = 0, threads = 0; // threads: of one block
    std::int64_t shared_bytes = 0;        // of one block
    SimtCounts total;
    std::map<NodeId, SimtCounts> by_origin;
};

struct SimtRun {
    std::map<std::string, Buffer> outputs; // what the caller sees: the window of each output
    std::vector<SimtFinding> findings;     // in order of first occurrence; empty: nothing is wrong
    std::vector<SimtLaunchRun> launches;
    std::uint64_t steps = 0;
};

const char* name(SimtFinding::Kind kind); // "race"
std::string
format(const std::vector<SimtFinding>& findings); // a line each; empty when there are none

// Runs all launches in order, which must all be on a device. Errors: an input that is missing or of another type or shape;
// a symbol without a value; a launch without dimensions; an intrinsic that it does not know; the step limit (code "step-limit"),
// the memory limit ("memory-limit"), "cancelled". The program must be one that lower::verify finds right.
Result<SimtRun> run_simt_program(const lower::Program& program,
                                 const std::map<std::string, Buffer>& inputs,
                                 const SimtOptions& options = {});

} // namespace loopscope
