#pragma once
// Which iterations of a definition touch the same element of its own stage, and what that allows:
// may a loop's iterations run at once, and does a nest keep the order that matters? Quick affine
// arithmetic answers what it can and never accepts what isl refuses; the rest goes to isl under a
// quota, and an exhausted quota is "not proven".

#include "core/polyhedral/accesses.h"
#include "core/polyhedral/integer_sets.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope::polyhedral {

// How loops derive from others; the first loops, 0 … n-1, are the query's axes counted from their
// begins.
struct LoopRelation {
    bool fuse = false;
    int parent = 0, outer = 0,
        inner = 0; // fuse: parent is the fused loop; split: parent = outer*factor + inner, guarded
    std::int64_t factor = 1;
};

struct DependenceQuery {
    Accesses accesses;
    int loop_count = 0;                  // loops are numbered below this
    std::vector<LoopRelation> relations; // in the order in which they were made
    std::vector<int> nest;               // the loops over axes that are not free, outermost first
};

// Two iterations that meet. The first comes before the second in the definition's own order.
struct Dependence {
    int first = 0, second = 0; // indices into accesses.list; at least one is a write
    std::vector<int> axes;     // the axes that are not free, as indices into accesses.axes
    // The nearest such pair; empty where an index is not affine, or where finding it would take too
    // much work.
    std::vector<std::int64_t> from;     // their values in the first iteration
    std::vector<std::int64_t> distance; // second minus first
    bool certain = true;                // false: an index is not affine, so that they may meet
};

struct Answer {
    enum class Verdict : std::uint8_t { No, Yes, NotProven } verdict = Verdict::NotProven;
    std::optional<Dependence> example; // Yes
    bool quick = false;                // answered without isl
};

enum class Effort : std::uint8_t { QuickFirst, ExactOnly }; // the latter is for tests of the former

// Is there a pair of iterations that agrees in the loops outside nest[position], differs in that
// loop, and touches one element, at least one of them writing?
Answer carries(const DependenceQuery& query, std::size_t position,
               Effort effort = Effort::QuickFirst, unsigned long quota = kDefaultQuota);

// Does the nest exchange two iterations that touch one element, a write and a read, or, if `writes`
// matter, two writes?
Answer exchanges(const DependenceQuery& query, bool writes, Effort effort = Effort::QuickFirst,
                 unsigned long quota = kDefaultQuota);

// Iteration counts of the query's loops by number; 0 for those of free axes.
std::vector<std::int64_t> loop_extents(const DependenceQuery& query);

} // namespace loopscope::polyhedral
