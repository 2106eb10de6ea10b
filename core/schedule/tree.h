#pragma once
// The schedule tree: the hub. Views draw it, models estimate it, lowering compiles it. It is a
// derived program (the definitions as rewritten by inline, cache_read and contract) and the nest,
// with boxes inferred. Immutable, structurally shared, hashed by depth. Nobody derives again what
// it knows.

#include "core/base/result.h"
#include "core/ir/box.h"
#include "core/schedule/identity.h"
#include "core/schedule/state.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

enum class TreeKind : std::uint8_t {
    Root,    // children: the stages at root, in topological order
    Stage,   // computes one stage's region: children are the nests of its definitions, in order
    Loop,    // one loop; children: what is computed at it (storage, stage), then its body
    Storage, // memory of a stage, at its store level; precedes what uses it among its siblings
    Compute, // one definition's point: a leaf
};
enum class ComputeRole : std::uint8_t { Pure, Init, Step, Update };

// The region of a stage that is computed or stored at one place: dimension d covers [min, min +
// extent).
struct Region {
    struct Dimension {
        // i32, over variables of enclosing loops and region variables of enclosing stages
        ExprPtr min;
        Extent extent; // constant over all iterations
        // "P.x.min": the name by which inner expressions refer to `min`; empty when min is constant
        std::string variable;
        std::string index; // the stage's name of this dimension: "x"
        // Storage that folds to a circular buffer: `extent` elements, element i at i mod extent, of
        // the `unfolded` that are needed while it lives. 0: it does not fold.
        std::int64_t unfolded = 0;
    };
    std::vector<Dimension> dimensions;
    bool exact = true; // false: an upper bound (a data-dependent or non-affine index took part)
};

// A leaf's definition in terms of the loops around it.
struct ComputeInfo {
    std::string stage;
    int definition = 0;
    ComputeRole role = ComputeRole::Pure;
    // The value of each axis of the definition (free variables, then reduction or over axes) in
    // loop variables.
    std::vector<std::pair<std::string, ExprPtr>> axes;
    bool atomic = false;       // iterations may collide: the store combines atomically
    bool non_temporal = false; // its stores stream: they pass the caches by
    bool read_again = false;   // … though what they store is soon read again, from memory then
    // conditions of split tails, on loop variables; all must hold. Empty: none
    std::vector<ExprPtr> guards;
    bool vectorized = false; // some enclosing loop of its own nest is vectorised
};

// A stage that runs only in a part of a loop's iterations: from `first` on, which may lie before
// those of its readers (it warms up), and, where `moved` is not null, only where that holds (the
// rest that it would compute is in memory).
struct PartialRun {
    std::string variable; // of a loop around the stage
    std::int64_t first = 0;
    // Pipelined: iteration t runs it for iteration t + ahead, where that is below `end`.
    std::int64_t ahead = 0;
    std::int64_t end = 0;
    ExprPtr moved;    // bool, over loop variables
    double count = 0; // iterations of the loop in which it runs
    // Is that their number? Else they are as many at most: how many depends on loops around.
    bool exact = true;
};

// What became of a tail other than `guard` where the factor does not divide: it stands on the
// outermost loop that comes from the split's outer one.
struct LoopTail {
    Tail asked = Tail::Shift;
    Tail used = Tail::Shift; // Guard: it fell back
    std::string reason;      // of falling back, "5 is below 8"; empty: it did not
    bool operator==(const LoopTail&) const = default;
};

// What a loop prefetches at the start of each iteration t of a stage or input: the part that
// iteration t + ahead needs and the one before that does not, where such a part moves on by a
// constant step along one dimension; else all that iteration t + ahead needs.
struct Prefetch {
    std::string stage; // whose definition reads it: at a shared loop not the loop's own
    int definition = 0;
    std::string source;
    std::int64_t ahead = 1;
    // The part inside of what memory holds, whole: where it would leave that it moves back. Empty:
    // nothing moves with the loop.
    Region region;
    std::size_t contiguous = 0; // the dimension along which elements lie side by side
    std::int64_t step = 1;      // elements of the widest type in a cache line
    std::int64_t lines = 0;     // prefetched in each row of that dimension
    std::int64_t count() const; // prefetches an iteration, of one component
};

struct TensorCall; // tensor_call.h

struct TreeNode;
using TreeNodePtr = std::shared_ptr<const TreeNode>;

struct TreeNode {
    TreeKind kind = TreeKind::Root;
    NodeId id;
    // Loop
    std::string variable; // unique in the tree: "C.io", "H.u0.r", "C.ii.init"
    Extent extent;        // trips, with those that warm up
    // the variable's first value: below 0 where producers warm up before the first iteration
    std::int64_t begin = 0;
    LoopKind loop_kind = LoopKind::Serial;
    std::string binding;       // a named level; empty: none
    device::Numbering numbers; // what it numbers
    bool persistent = false;   // bound to blocks, as many as run at once (persistence.h)
    bool reduction = false;
    bool init = false; // a copy of a loop for a reduction's initialisation
    std::vector<LoopTail> tails;
    std::vector<Prefetch> prefetches;
    // The instruction that does what the loop and all inside it do, or the initialisation of what
    // it adds to; the plain loops stand inside all the same. Set on the outermost of them; null:
    // there is none.
    std::shared_ptr<const TensorCall> tensor;
    // Stage, Storage
    Region region;
    std::vector<ScalarType> types; // element type per component
    device::MemoryScope scope;     // Storage, Stage: "host", "local", …, and who shares it
    bool is_output = false;        // Storage: an argument of the program
    NodeId store_level;   // Stage, Storage: the loop at which it is stored (root: empty id)
    NodeId compute_level; // Stage, Storage: the loop at which it is computed
    std::string copy_of;  // Stage, Storage: cache_read's source
    // Storage of a pipelined stage: the number of slots, of which iteration t of the loop
    // `rotates_with` uses number t mod rotation.
    std::int64_t rotation = 1;
    // Storage, Stage: producer warpgroups that do nothing but load it; 0: the threads that use it
    // do
    std::int64_t producers = 0;
    std::string rotates_with;
    // Stage, Compute: those of the loops around in whose iterations it does not always run
    std::vector<PartialRun> runs;
    // Storage: how it lies in memory. `storage_order` lists dimensions of the region, outermost
    // first (empty: as they are); `storage_padding` adds elements to dimensions (empty: none).
    std::vector<int> storage_order;
    std::vector<std::int64_t> storage_padding;
    // Compute
    ComputeInfo compute;
    std::vector<TreeNodePtr> children;
    Hash hash = 0; // of this node and all below it; no pointer and no address enters it
};

// A stage of the derived program.
struct DerivedStage {
    Stage stage; // definitions rewritten; loads name derived stages and inputs
    std::string copy_of;
    bool inlined = false;         // substituted into its readers; has no nest
    Box box;                      // all that is needed of it (root box)
    std::string factor_of;        // the stage that rfactor made this one from
    std::string cache_of;         // the stage whose definitions cache_write moved to this one
    std::vector<bool> contracted; // per definition; fast_math contracts too
    // per definition: fast_math; its calls name the prelude's "fast_…" functions
    std::vector<bool> approximated;
    std::vector<bool> atomic;       // per definition
    std::vector<bool> reassociates; // per definition
    // Per definition: contract() makes the accumulation of a `sum`, or of `+=`, one fma with the
    // term (which is then a product as written, core/ir/product.h: inlining cannot make it one).
    std::vector<bool> fused_step;
};

struct Layout; // region.h

class ScheduleTree {
public:
    PipelinePtr pipeline; // as loaded
    // the derived program as a pipeline: inputs, stages that are not inlined, copies
    std::shared_ptr<const Pipeline> derived;
    std::vector<DerivedStage> stages; // computed stages in topological order, inlined ones included
    ScheduleState state;
    TreeNodePtr root;
    std::map<std::string, Box> input_boxes; // the region of each input that is read
    std::shared_ptr<const Layout> layout; // what region inference found: footprints are asked of it

    const DerivedStage* find_stage(const std::string& stage) const;
    const TreeNode* find(const NodeId& id) const; // null if unknown
    // From the root to the node, both included; empty if unknown.
    std::vector<const TreeNode*> path(const NodeId& id) const;
    // The structural hash of everything down to `depth` levels below the root (Anderson's
    // structural hash by depth: two schedules that agree to a depth have equal hashes there). depth
    // < 0: everything.
    Hash structural_hash(int depth = -1) const;
    // some definition does: results may differ from the reference in rounding
    bool reassociates() const;

    // Once `stages` and `root` are there, and before the tree is shared: what `find_stage`, `find`
    // and `path` look in. Models ask for each launch's nodes, of which a pipeline may have
    // thousands.
    void index_nodes();

private:
    struct HashOfId {
        std::size_t operator()(const NodeId& id) const { return id.hash(); }
    };
    std::unordered_map<NodeId, const TreeNode*, HashOfId> nodes_;
    std::unordered_map<const TreeNode*, const TreeNode*> parents_; // all but the root
    std::unordered_map<std::string, std::size_t> stage_places_;
};

using ScheduleTreePtr = std::shared_ptr<const ScheduleTree>;

// Infers regions and builds the tree. What a known tree of the same pipeline has in common with it
// is not inferred again. Errors: an extent that leaves 2^31-1 (a fused axis), with the remedy.
Result<ScheduleTreePtr> build_tree(ScheduleState state, const ScheduleTree* known = nullptr);

// {"pipeline", "hash", "nodes": [{"id", "kind", "axis", "extent", "binding", "children", …}]}; keys
// are stable.
nlohmann::json to_json(const ScheduleTree& tree);
// The tree as indented text: one row a node, as `tree` prints it.
std::string to_text(const ScheduleTree& tree);

// A difference between two trees, by identity.
struct TreeDifference {
    enum class Kind : std::uint8_t { Added, Removed, Changed } kind;
    NodeId id;
    std::string before; // the row's text; empty when added
    std::string after;  // empty when removed
};
std::vector<TreeDifference> difference(const ScheduleTree& before, const ScheduleTree& after);
// The row of one node without indentation: "io 32 parallel", "C sum → f32 [2048, 2048]".
std::string row_text(const TreeNode& node);

} // namespace loopscope
