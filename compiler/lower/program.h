#pragma once
// The loop program: the one lowered form (loop-program.md). Passes are pure functions Program ->
// Program; printers, interpreters and code generators read it. Every statement carries the identity
// of the tree node it comes from.

#include "core/device/hierarchy.h"
#include "core/ir/expr.h"
#include "core/ir/extent.h"
#include "core/schedule/gpu/shared_matrix.h"
#include "core/schedule/identity.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::lower {

enum class ForKind : std::uint8_t { Serial, Parallel, Unrolled, Vectorized, Bound };

enum class StatementKind : std::uint8_t {
    Block, // children, in order
    For,   // name, begin, extent, for_kind, level; body = children[0]
    If,    // condition; children[0], and children[1] when there is an else
    Let,   // name, value; body = children[0]. The variable's type is value's
    Store, // buffer, indices, value; mask or null
    // as Store, and op (Add, Multiply, Min, Max, LogicalAnd, LogicalOr): element = element op
    // value, as one step that no other thread sees half done; lanes one after another. Order is not
    // defined
    Atomic,
    // buffer, type, extents, scope, alignment; body = children[0]. Contents start uninitialised
    Allocate,
    // buffer, indices (as of Store, scalars): the element's cache line will be read. A hint, and no
    // access
    Prefetch,
    Evaluate, // value, for its effect in an interpreter; no code
    // Launches on a device only:
    // level: all threads of one unit ("block", "warp", "cluster") arrive before one goes on; what
    // they wrote before is seen by all of them behind it. Collective
    Barrier,
    // as Store, the value a load of the same type and lanes (a masked load gives zeros), name = a
    // token: the elements arrive some time after, at the latest when the thread has waited for the
    // group they are in
    Copy,
    // name = a token; operands: the destination from an element on, the source from an element on
    // (its coordinates, one per dimension: `flatten` leaves them), the mbarriers. The tensor memory
    // accelerator (TMA) brings the box of `extents`, constants along the source's dimensions. The
    // box lies densely from the destination's element on, row-major, chunks of a swizzled one where
    // they belong; what it has outside of the source, where it may (`zero_border`), arrives as
    // zeros. One request of the whole block, which its first thread makes; arrives as a Copy does.
    // Collective in the block. With a level ("cluster.x"): the blocks of the cluster along it need
    // the same box, and ask for it together (multicast.h)
    BulkCopy,
    // ALCOP's four primitives (section III-B, step 5), on the token in `name`. All are collective
    // in the block. With bulk copies Commit and Wait have an operand: the mbarriers, one for each
    // group that may be under way. Where producer warpgroups load the token (`Threads`), Acquire
    // and Release have an operand too: mbarriers that count the readers done with a slot, one for
    // each slot.
    // Acquire: the slot is free, for no thread reads it any more
    Acquire,
    Commit, // the copies of the token that this thread began since its last commit are one group
    // at most `pending` of this thread's groups of the token are still under way; others have
    // arrived, for itself alone: a barrier makes them everybody's. Where other threads load the
    // token: the next group has arrived, which the matching Release frees
    Wait,
    // this thread will not read the slot again; of level "cluster" all blocks of that count it
    Release,
    // name: an instruction of the device's table (intrinsics.h), operands. Collective in the level
    // that it states
    Intrinsic,
    // begin, extent: constants; body = children[0], which only those threads of the block run, by
    // their numbers. Inside they are the block: its barriers and collective steps are theirs
    Threads,
};

// What an intrinsic works on: a buffer from an element on.
struct Operand {
    std::string buffer;
    std::vector<ExprPtr> indices; // as of Store
    // Elements of shared memory that a warpgroup takes together, from that one on.
    std::optional<SharedMatrix> matrix = std::nullopt;
    bool operator==(const Operand&) const = default;
};

struct Statement;
using StatementPtr = std::shared_ptr<const Statement>;

struct Statement {
    StatementKind kind = StatementKind::Block;
    NodeId origin;
    // For, Let: variable. Unique in the whole program. Copy, Acquire, Commit, Wait, Release: the
    // token. Intrinsic: the instruction
    std::string name;
    ForKind for_kind = ForKind::Serial;
    // For of kind Bound: the named level ("block.x"). Barrier: "block", "warp". Intrinsic that
    // reduces: the level whose threads do so. Allocate, between the passes that pipeline: the loop
    // that is pipelined; `name` then has the token.
    std::string level;
    // For of kind Bound that numbers blocks, before the pass `persistent_blocks`: that many blocks
    // run its iterations, each several. Behind the pass, For of kind Serial: one of so many blocks
    // takes these iterations in turn. 0: all other loops.
    std::int64_t blocks = 0;
    ExprPtr begin, extent; // For: i32 or i64 scalars; extent may be below 1: no iteration
    ExprPtr condition;     // If: bool scalar
    ExprPtr value;         // Let, Store, Evaluate
    ExprPtr mask;          // Store, Atomic: bool of the value's lanes; null: all
    // Store, Atomic, Prefetch, Allocate. Allocated names are unique in the whole program
    std::string buffer;
    // Store: one per dimension; after `flatten` exactly one, in elements. With lanes: all indices
    // and the value have the same lanes, or are scalars
    std::vector<ExprPtr> indices;
    bool streaming = false;            // Store: past the caches. A hint
    Op op = Op::None;                  // Atomic
    ScalarType type = ScalarType::F32; // Allocate
    std::vector<Extent> extents; // Allocate: row-major, the last contiguous. BulkCopy: the box
    device::MemoryScope scope;   // Allocate: its name is for people; who shares it decides
    int alignment = 64;          // Allocate: bytes
    int rotation = 1;            // Allocate: slots that rotate (pipelining)
    // Allocate of a block's memory, before the pass `swizzle`: indices are to be permuted along
    // rows by the pattern of so many bytes (core/schedule/gpu/swizzling.h): 32, 64, 128. 0: they
    // stay. BulkCopy: that of its destination.
    int swizzle = 0;
    // BulkCopy: its box may leave the source. The TMA fills in zeros in either case; a box that
    // should have nothing there is at the wrong place.
    bool zero_border = false;
    // Allocate of a block's memory: where in it, in bytes; allocations that are not in use at once
    // may lie at one place. Below 0: not planned, a place of its own.
    std::int64_t offset = -1;
    int pending = 0; // Wait: groups that may be under way
    // Allocate and Acquire, before the pass `specialize_warps`: producer warpgroups that load what
    // the token counts. 0: the threads that use it load it. (With producers, `rotation` of Acquire
    // is the number of slots.)
    int producers = 0;
    std::vector<Operand> operands; // Intrinsic, BulkCopy; Commit and Wait of bulk copies
    std::vector<StatementPtr> children;
};

enum class Role : std::uint8_t { Input, Output };

// An argument of the program. Element (i0, i1, …) of the caller's array is index (i0 - min0, …) of
// this buffer: an output whose stage is needed outside its extents is larger than what the caller
// gets, who reads the window [0, extent) out of it.
struct Argument {
    std::string buffer; // of a tuple's component c: "S.c"
    Role role = Role::Input;
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents; // of the buffer
    // pipeline coordinate of index 0, per dimension; zeros for inputs
    std::vector<std::int64_t> mins;
    // outputs: the extents that the caller asked for; inputs: same as extents
    std::vector<Extent> window;
    // Mins may be left out where they are zero, the window where it is the whole.
    bool operator==(const Argument& other) const;
};

// Memory of a device that holds what one launch computes for another. Uninitialised before its
// first launch.
struct DeviceBuffer {
    std::string buffer;
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents;
    // Where it lies in the one allocation that all of them share; those that are in use at once do
    // not overlap. Below 0: not planned yet.
    std::int64_t offset = -1;
};

// A launch on the device runs its body once for each thread of its grid. The body then begins with
// a chain of loops of kind Bound, each from 0 and of constant extent, which are the launch's
// dimensions: of "block", "cluster", "thread", each .z, .y, .x, each at most once; no other loop is
// Bound (after `bind_levels`; before it they stand where the schedule has them). Where there are
// clusters, block.x numbers them, cluster.x the blocks of one, which run at once. Threads of a
// block number from 0, thread.x fastest; 32 in a row are a warp. Allocations inside are the block's
// or the thread's, as their scopes say. Collective statements must be reached by all threads of
// their level: no condition and no loop bound around them depends on what differs between those.
struct Launch {
    std::string name;           // the function's name
    std::string place = "host"; // "host", "device": an open name
    // buffers used, in order; a CPU schedule: all of the program's
    std::vector<std::string> arguments;
    StatementPtr body;
};

struct Program {
    std::string name;
    std::vector<std::string> symbols; // i64 arguments
    std::vector<Argument> arguments;
    std::vector<DeviceBuffer> buffers;
    // run in order; before the first the device gets the inputs, after the last it gives the
    // outputs back
    std::vector<Launch> launches;
    bool flat = false; // true after `flatten`: loads and stores have one index
};

// Builders: shared, immutable nodes.
StatementPtr block(std::vector<StatementPtr> children,
                   NodeId origin = {}); // flattens nested blocks, drops empty ones
StatementPtr for_loop(NodeId origin, std::string name, ExprPtr begin, ExprPtr extent, ForKind kind,
                      StatementPtr body);
StatementPtr if_then(NodeId origin, ExprPtr condition, StatementPtr then,
                     StatementPtr otherwise = nullptr);
StatementPtr let_statement(NodeId origin, std::string name, ExprPtr value, StatementPtr body);
StatementPtr store(NodeId origin, std::string buffer, std::vector<ExprPtr> indices, ExprPtr value,
                   ExprPtr mask = nullptr);
StatementPtr atomic(NodeId origin, std::string buffer, std::vector<ExprPtr> indices, Op op,
                    ExprPtr value, ExprPtr mask = nullptr);
StatementPtr prefetch(NodeId origin, std::string buffer, std::vector<ExprPtr> indices);
StatementPtr allocate(NodeId origin, std::string buffer, ScalarType type,
                      std::vector<Extent> extents, device::MemoryScope scope, StatementPtr body);
StatementPtr barrier(NodeId origin, std::string level);
StatementPtr copy(NodeId origin, std::string token, std::string buffer,
                  std::vector<ExprPtr> indices, ExprPtr value);
// A step of a kind that has a token alone: Acquire, Commit, Wait (with `pending`), Release.
StatementPtr pipeline_step(StatementKind kind, NodeId origin, std::string token, int pending = 0);
StatementPtr intrinsic(NodeId origin, std::string name, std::vector<Operand> operands);
// Runs the body in threads [begin, begin + count) of the block.
StatementPtr threads(std::int64_t begin, std::int64_t count, StatementPtr body);
// Operands: destination, source, mbarriers.
StatementPtr bulk_copy(NodeId origin, std::string token, std::vector<Operand> operands,
                       std::vector<Extent> box, int swizzle = 0, bool zero_border = false);

// Rebuilds bottom-up: `on_statement` gets each statement with rebuilt children; `on_expr` maps each
// expression field.
StatementPtr rewrite(const StatementPtr& s,
                     const std::function<StatementPtr(const StatementPtr&)>& on_statement,
                     const std::function<ExprPtr(const ExprPtr&)>& on_expr = {});
bool equal(const StatementPtr& a, const StatementPtr& b); // structural, origins included
bool equal(const Program& a, const Program& b);

// Text form: printable, parseable (golden tests write it). `lines`, if given, receives for each
// line of the text the origin of its statement: what links the source view to the tree.
std::string to_text(const Program& program, std::vector<NodeId>* lines = nullptr);
// The inverse of to_text (types and origins are part of the text when `with_origins`).
std::string to_text_with_origins(const Program& program);

} // namespace loopscope::lower
