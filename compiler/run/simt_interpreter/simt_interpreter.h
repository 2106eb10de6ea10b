#pragma once
// The interpreter of launches on a device: runs a loop program's kernels block by block, after
// `bind_levels` and any pass behind it, and judges them. Nothing is assumed of the order of a
// block's threads but what barriers say, nor of the lanes of a warp: they take their steps
// together, but that orders none of their accesses. An asynchronous copy arrives when its group has
// been waited for, and not before: until then its target holds nothing that may be read. It is then
// a write of the thread that waited, which others see behind a barrier. Acquire and Release are
// collective, and do nothing else: lowering puts barriers where they are needed.
//
// It reports, each with the identity of the statement: races between threads, accesses before
// arrival, barriers that not all threads reach, accesses outside of buffers, reads of what nobody
// wrote; and counts what a GPU would do: operations, global memory by sectors of 32 bytes, shared
// memory by passes over its banks. Its arithmetic is that of the interpreter of loop programs.

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
    // Decides the order in which blocks run, warps take their turns, and the two sides of a branch
    // run where a warp diverges.
    std::uint64_t seed = 1;
    std::uint64_t step_limit = 20'000'000'000;         // statements executed by warps
    std::int64_t memory_limit = std::int64_t{8} << 30; // bytes, with what the checks need
    const std::atomic<bool>* cancel = nullptr;         // set by another thread to stop
};

// Which kinds are found, and where, depends on the seed no more than what the program computes.
struct SimtFinding {
    enum class Kind {
        // Two threads access one element, one of them writing, and no barrier that both took part
        // in lies between, even if both write the same; blocks have none between them. The arrival
        // of a copy is a write. Atomic stores of one operation do not race with each other.
        Race,
        // An element that an asynchronous copy is to fill is read before its group has been waited
        // for, or its slot is written or read meanwhile.
        ReadBeforeArrival,
        // a collective statement that not all threads of its level reach, or some warps more often
        Divergence,
        Deadlock, // threads that wait for each other; nothing runs any more
        // the access is left out, a load gives zero; also rows that ldmatrix cannot load
        OutOfBounds,
        // Also of an element of an output's window that was never written, and a shuffle from a
        // thread that takes no part.
        UninitializedRead,
    } kind = Kind::Race;
    // Origins of the two statements. Race: `origin` reads, or else stands later in the text. Access
    // before arrival: `other` is the copy. Deadlock: `other` is another place where threads wait.
    NodeId origin, other;
    std::string buffer;
    // Tells the first occurrence, with numbers of threads in their block, and of the block along x,
    // y, z.
    std::string message;
    std::uint64_t count = 0; // of accesses of threads; Divergence: of warps
};

// Figures of one launch, or of the statements of one origin in it. An access is what a warp does at
// once: up to 32 lanes, each with up to 16 bytes; wider ones are several.
struct SimtCounts {
    std::uint64_t flops = 0,
                  integer_operations = 0; // by the rule of core/ir/cost.h, of active lanes
    std::uint64_t tensor_flops = 0;       // of tensor instructions
    std::uint64_t global_loads = 0, global_stores = 0; // accesses of warps
    std::uint64_t global_load_sectors = 0,
                  global_store_sectors = 0; // distinct 32-byte sectors of each access
    std::uint64_t global_load_bytes = 0, global_store_bytes = 0; // asked for by lanes
    std::uint64_t shared_accesses = 0;
    // each takes one word of 4 bytes of every bank; lanes that read one word share it
    std::uint64_t shared_passes = 0;
    std::uint64_t shared_passes_least = 0; // as many as the bytes would need without conflicts
    std::uint64_t shared_bytes = 0;
    std::uint64_t atomics = 0; // of threads; none of the accesses above
    // of copies; they count as global loads and shared accesses too
    std::uint64_t asynchronous_bytes = 0;
    std::uint64_t barriers = 0; // of blocks, each execution by a block
    std::uint64_t shuffles = 0; // of warps, 4 bytes each
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

const char* name(SimtFinding::Kind kind); // "race", "access before arrival"
// a line each; empty when there are none
std::string format(const std::vector<SimtFinding>& findings);

// Runs all launches in order, which must all be on a device. Errors: an input that is missing or of
// another type or shape; a symbol without a value; a launch without dimensions; an intrinsic that
// it does not know; the step limit (code "step-limit"), the memory limit ("memory-limit"),
// "cancelled". The program must be one that lower::verify finds right.
Result<SimtRun> run_simt_program(const lower::Program& program,
                                 const std::map<std::string, Buffer>& inputs,
                                 const SimtOptions& options = {});

} // namespace loopscope
