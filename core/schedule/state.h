#pragma once
// What a schedule has decided so far: the state that directives read and change, one after another.
// A value: copying is cheap (stages are shared), and a directive that fails leaves its input
// untouched because it works on a copy. Extents are not here: they follow from the boxes that
// tree.h infers once all directives are applied.

#include "core/device/hierarchy.h"
#include "core/ir/pipeline.h"
#include "core/schedule/stage_list.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

enum class LoopKind : std::uint8_t { Serial, Parallel, Unrolled, Vectorized };
// What becomes of the points beyond the end where a split's factor does not divide: a condition
// leaves them out; the last tile moves inwards (and computes some points twice); or they are
// computed too.
enum class Tail : std::uint8_t { Guard, Shift, Pad };

const char* name(LoopKind kind); // "serial", "parallel", "unrolled", "vectorised"
const char* name(Tail tail);     // "guard", "shift", "pad"

// One loop of a definition's nest. `id` is unique within the definition and never reused: names may
// be.
struct LoopState {
    int id = 0;
    std::string name;
    LoopKind kind = LoopKind::Serial;
    std::string binding;       // a named level; empty on a CPU
    device::Numbering numbers; // what that level does
    // runs inside as many blocks as run at once; on a CPU it is a plain loop
    bool persistent = false;
    bool reduction = false; // runs over a reduction or `over` axis, or a part of one
    bool operator==(const LoopState&) const = default;
};

// How loops derive from axes. Relations stand in the order in which they were made.
struct Relation {
    enum class Kind : std::uint8_t { Split, Fuse } kind = Kind::Split;
    int parent = 0;          // Split: the loop that was split. Fuse: the fused loop
    int outer = 0;           // Split, Fuse
    int inner = 0;           // Split, Fuse
    std::int64_t factor = 1; // Split: extent of `inner`; parent = outer*factor + inner
    Tail tail = Tail::Guard;
    bool operator==(const Relation&) const = default;
};

// S.prefetch(X, a, n): at the start of each iteration of the loop, what the one `ahead` of it needs
// of X is asked for.
struct Prefetching {
    std::string source;     // a stage or an input that the definition reads
    int loop = 0;           // LoopState::id
    std::string loop_name;  // as the directive named it
    std::int64_t ahead = 1; // iterations
    std::int64_t line = 64; // bytes of a cache line
    bool operator==(const Prefetching&) const = default;
};

struct Intrinsic; // intrinsics.h

// S.tensorize(a, INTRINSIC): the loop and all inside it are one instruction (tensorizing.h).
struct Tensorizing {
    int loop = 0; // LoopState::id, of the outermost
    std::shared_ptr<const Intrinsic> intrinsic;
    bool operator==(const Tensorizing&) const = default;
};

// A loop of a definition: where something is computed or stored.
struct LoopRef {
    std::string stage;
    int definition = 0;
    int loop = 0; // LoopState::id
    bool operator==(const LoopRef&) const = default;
};

struct DefinitionState {
    // the definition's axes as loops: free variables, then reduction or over axes
    std::vector<LoopState> roots;
    std::vector<LoopState> loops; // the nest as it stands, outermost first
    std::vector<Relation> relations;
    int next_id = 0;
    bool contract = false;
    bool fast_math = false; // contracts, and evaluates the prelude's functions by approximations
    // iterations of parallel and vectorised loops may collide: they combine by atomic operations
    bool atomic = false;
    bool reassociates = false; // a directive changed the order of a float sum or product
    bool non_temporal = false; // its stores stream: they pass the caches by
    std::vector<Prefetching> prefetches;
    std::optional<Tensorizing> tensorized;
    // The other definition whose loops are its outer ones, down to this loop (merging.h); nothing:
    // all loops are its own.
    std::optional<LoopRef> with;
    bool touched = false; // has loop directives: inline excludes them
    bool operator==(const DefinitionState&) const = default;

    const LoopState* find(const std::string& loop) const; // by current name; null if there is none
    int position(const std::string& loop) const;          // in `loops`; -1 if there is none
    int position_of(int id) const;
    // Position of the outermost loop that an instruction replaces, with all inside it;
    // loops.size(): none does.
    std::size_t tensorized_from() const;
};

struct Placement {
    enum class Kind : std::uint8_t { Root, At, Inline } kind = Kind::Root;
    LoopRef at; // At
    bool operator==(const Placement&) const = default;
};

struct StageState {
    std::string name;
    // A copy made by cache_read: of which stage or input, for which definitions; empty for the
    // pipeline's own stages.
    std::string copy_of;
    std::string copied; // … in the end: copies of copies are followed
    // (stage, definition) whose reads of copy_of go to this copy
    std::set<std::pair<std::string, int>> copy_readers;
    // The stage as rfactor rewrote or made it, in place of the pipeline's; null: as the pipeline
    // has it.
    std::shared_ptr<const Stage> rewritten;
    std::string factor_of; // the stage that rfactor made this one from; empty for others
    std::string cache_of;  // the stage whose definitions cache_write moved here; empty for others
    // The layout of its storage, which is then the schedule's own: dimensions by position in the
    // declaration, outermost first (empty: as declared), and the elements added to each (by
    // position in the declaration; empty: none).
    std::vector<int> storage_order;
    std::vector<std::int64_t> storage_padding;
    device::MemoryScope
        scope; // on a CPU a hint; without a name: inferred (memory_scope in storage.h)
    Placement compute;
    Placement store; // equals `compute` until store_root or store_at says otherwise
    // The slots of a pipelined stage, which rotate: it is computed one iteration less than that
    // ahead of its use. 0: a device's passes decide later.
    std::int64_t pipeline = 1;
    bool swizzled = false;                // shared-memory banks are permuted; a CPU has none
    std::int64_t producer_warpgroups = 0; // 0: all threads load it. A CPU has none
    std::vector<DefinitionState> definitions;
    bool operator==(const StageState&) const = default; // what rfactor made: the same object
};

class DirectReads;
struct Inferred;

struct ScheduleState {
    PipelinePtr pipeline;
    // what each definition reads as written; made once by initial()
    std::shared_ptr<const DirectReads> reads;
    // Boxes and padded tails as a line last asked for them, in this state or one before it
    // (inferred.h compares): the next line asks only for what it changes. Null: no line has asked.
    std::shared_ptr<const Inferred> inferred;
    std::string target; // from the script's `target` line; may be empty
    // Computed stages (not inputs) in topological order: the pipeline's, with copies inserted
    // before their first reader.
    StageList stages;

    // The default schedule: every stage at root, loops in order.
    static ScheduleState initial(PipelinePtr pipeline);

    const StageState* find(const std::string& stage) const; // null if unknown
    int index_of(const std::string& stage) const;
    // A private copy of the stage to change; the stage must exist, and keeps its name.
    StageState& edit(const std::string& stage);
    // Is something computed or stored at this loop, in any definition of any stage?
    std::vector<std::string> placed_at(const LoopRef& loop) const;

    // The stage or input that declares `name`'s index names and types: itself (as rewritten), or,
    // for a copy, what it is a copy of in the end. The name must be known.
    const Stage& declared(const std::string& name) const;
    // The definition as the pipeline has it, or as rfactor rewrote it; null for a copy (whose one
    // definition is pure), or if there is none.
    const Definition* definition(const std::string& stage, int index) const;
    bool known(const std::string& name) const; // a stage, a copy or an input
};

} // namespace loopscope
