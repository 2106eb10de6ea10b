#pragma once
// The loop program: the one lowered form (loop-program.md). Passes are pure functions Program ->
// Program; printers, interpreters and code generators read it. Every statement carries the identity
// of the tree node it comes from.

#include "compiler/lower/statement.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace loopscope::lower {

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
// With the alignment, swizzle, rotation and place that `storage` has.
StatementPtr allocate(NodeId origin, Storage storage, StatementPtr body);
StatementPtr evaluate(NodeId origin, ExprPtr value);
StatementPtr barrier(NodeId origin, std::string level);
StatementPtr copy(NodeId origin, std::string token, std::string buffer,
                  std::vector<ExprPtr> indices, ExprPtr value);
// A step that copies nothing: Acquire, Commit, Wait, Release.
StatementPtr pipeline_step(StatementKind kind, NodeId origin, PipelineStep step);
StatementPtr intrinsic(NodeId origin, std::string name, std::vector<Operand> operands);
// Runs the body in those threads of the block.
StatementPtr threads(ThreadRange range, StatementPtr body);
// Operands: destination, source, mbarriers.
StatementPtr bulk_copy(NodeId origin, std::string token, std::vector<Operand> operands,
                       CopiedBox box);
// A store as a copy of a pipeline; a copy as a plain store.
StatementPtr as_copy(const StatementPtr& store, std::string token);
StatementPtr as_store(const StatementPtr& copy);

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
