#pragma once
// One statement of a loop program: its kind, what kinds have in common, and its parts, each about
// one thing.

#include "core/base/part.h"
#include "core/device/hierarchy.h"
#include "core/ir/expr.h"
#include "core/ir/extent.h"
#include "core/schedule/gpu/shared_matrix.h"
#include "core/schedule/identity.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::lower {

enum class ForKind : std::uint8_t { Serial, Parallel, Unrolled, Vectorized, Bound };

// What each kind has of the parts below, and what it does.
enum class StatementKind : std::uint8_t {
    // children, in order
    Block,
    // variable, loop; body = children[0]
    For,
    // condition; children[0], and children[1] when there is an else
    If,
    // variable, value; body = children[0]. The variable's type is value's
    Let,
    // access, value
    Store,
    // As Store, and access.op (Add, Multiply, Min, Max, LogicalAnd, LogicalOr): element = element
    // op value, as one step that no other thread sees half done; lanes one after another. Order is
    // not defined
    Atomic,
    // storage; body = children[0]. Contents start uninitialised
    Allocate,
    // access, of scalar indices: the element's cache line will be read. A hint, and no access
    Prefetch,
    // value, for its effect in an interpreter; no code
    Evaluate,
    // Launches on a device only:
    // level: all threads of one unit ("block", "warp", "cluster") arrive before one goes on; what
    // they wrote before is seen by all of them behind it. Collective
    Barrier,
    // As Store, the value a load of the same type and lanes (a masked load gives zeros), and step:
    // the elements arrive some time after, at the latest when the thread has waited for the group
    // they are in
    Copy,
    // step, box; operands: the destination from an element on, the source from an element on (its
    // coordinates, one per dimension: `flatten` leaves them), the mbarriers. The tensor memory
    // accelerator (TMA) brings the box. The box lies densely from the destination's element on,
    // row-major, chunks of a swizzled one where they belong; what it has outside of the source,
    // where it may, arrives as zeros. One request of the whole block, which its first thread makes;
    // arrives as a Copy does. Collective in the block. With a level ("cluster.x"): the blocks of
    // the cluster along it need the same box, and ask for it together (multicast.h)
    BulkCopy,
    // ALCOP's four primitives (section III-B, step 5), each a step. All are collective in the
    // block. With bulk copies Commit and Wait have an operand: the mbarriers, one for each group
    // that may be under way. Where producer warpgroups load the token (`Threads`), Acquire and
    // Release have an operand too: mbarriers that count the readers done with a slot, one for each
    // slot.
    // Acquire: the slot is free, for no thread reads it any more
    Acquire,
    // The copies of the token that this thread began since its last commit are one group
    Commit,
    // At most step.pending of this thread's groups of the token are still under way; others have
    // arrived, for itself alone: a barrier makes them everybody's. Where other threads load the
    // token: the next group has arrived, which the matching Release frees
    Wait,
    // This thread will not read the slot again; of level "cluster" all blocks of that count it
    Release,
    // instruction: one of the device's table (intrinsics.h), operands. Collective in the level that
    // it states. Of one that reduces, level: whose threads do so
    Intrinsic,
    // threads; body = children[0], which only those threads of the block run. Inside they are the
    // block: its barriers and collective steps are theirs
    Threads,
};

// What an instruction or a step works on: a buffer from an element on.
struct Operand {
    std::string buffer;
    std::vector<ExprPtr> indices; // as of Store
    // Elements of shared memory that a warpgroup takes together, from that one on.
    std::optional<SharedMatrix> matrix = std::nullopt;
    bool operator==(const Operand&) const = default;
};

// How a loop runs. Its variable stands beside it.
struct Loop {
    ExprPtr begin, extent; // i32 or i64 scalars; extent may be below 1: no iteration
    ForKind kind = ForKind::Serial;
    std::string level; // of a Bound one: the named level ("block.x")
    // That many blocks run the iterations, each several: a Bound loop that numbers blocks, before
    // the pass `persistent_blocks`. 0: all other loops.
    std::int64_t run_by = 0;
    // One of so many blocks takes these iterations in turn: a Serial loop, behind that pass. 0: all
    // other loops.
    std::int64_t turns_of = 0;
};

// Elements of a buffer that a statement writes, or prefetches.
struct ElementAccess {
    std::string buffer;
    ExprPtr mask; // bool of the value's lanes; null: all
    // One per dimension; after `flatten` exactly one, in elements. With lanes: all indices and the
    // value have the same lanes, or are scalars
    std::vector<ExprPtr> indices;
    bool streaming = false; // Store: past the caches. A hint
    Op op = Op::None;       // Atomic
};

// Slots of an allocation that rotate, so that one is loaded while others are used: what the
// schedule asks for, and what the passes that pipeline plan. Behind these, one slot again: the
// others are a dimension.
struct Rotation {
    int slot_count = 1;
    int producers = 0; // producer warpgroups that load it. 0: the threads that use it load it
    // Once it is planned: the variable of the loop that is pipelined, and the token.
    std::string loop, token;
};

// Memory that a statement allocates for its body.
struct Storage {
    std::string buffer; // unique in the whole program
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents; // row-major, the last contiguous
    device::MemoryScope scope;   // its name is for people; who shares it decides
    int alignment = 64;          // bytes
    // Indices of a block's memory are to be permuted along rows, by the pass `swizzle`, in the
    // pattern of so many bytes (core/schedule/gpu/swizzling.h): 32, 64, 128. 0: they stay.
    int swizzle = 0;
    Rotation rotation = {};
    // The place in a block's memory, in bytes; allocations that are not in use at once may lie at
    // one place. Below 0: not planned, a place of its own.
    std::int64_t offset = -1;
};

// A step of a pipeline: what is loaded and used together has one token.
struct PipelineStep {
    std::string token;
    // Acquire, before the pass `specialize_warps`: producer warpgroups that load what the token
    // counts, and how many slots there are. 0: the threads that use it load it.
    int producers = 0;
    int slot_count = 1;
    int pending = 0; // Wait: groups that may be under way
};

// The box that one bulk copy brings.
struct CopiedBox {
    std::vector<Extent> extents; // constants, along the source's dimensions
    int swizzle = 0;             // that of its destination, as it was allocated
    // It may leave the source. The TMA fills in zeros in either case; a box that should have
    // nothing there is at the wrong place.
    bool zero_border = false;
};

// Threads of a block, by their numbers.
struct ThreadRange {
    std::int64_t begin = 0, count = 1;
};

struct Statement;
using StatementPtr = std::shared_ptr<const Statement>;

// What kinds have in common stands by itself, and what is about one thing is a part, which is there
// where the kind has it: `part_faults` (statements.h) holds both.
struct Statement {
    StatementKind kind = StatementKind::Block;
    NodeId origin;
    std::string variable;       // For, Let. Unique in the whole program
    Part<Loop> loop;            // For
    ExprPtr condition;          // If: bool scalar
    ExprPtr value;              // Let, Store, Atomic, Copy, Evaluate
    Part<ElementAccess> access; // Store, Atomic, Copy, Prefetch
    Part<Storage> storage;      // Allocate
    Part<PipelineStep> step;    // Copy, BulkCopy, Acquire, Commit, Wait, Release
    Part<CopiedBox> box;        // BulkCopy
    Part<ThreadRange> threads;  // Threads
    std::string instruction;    // Intrinsic
    std::string level; // Barrier; Intrinsic, BulkCopy and Release of several threads' or blocks'
    std::vector<Operand> operands; // Intrinsic, BulkCopy; Acquire, Commit, Wait, Release
    std::vector<StatementPtr> children;
};

} // namespace loopscope::lower
