#pragma once
// A pipeline: what is computed, never how. Immutable once built; shared by documents, schedules and
// trees.

#include "core/base/source.h"
#include "core/ir/expr.h"
#include "core/ir/extent.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

// Half-open [begin, end) for one reduction or `over` axis; an end below the start is empty.
struct ReductionAxis {
    std::string name;
    Extent begin;
    Extent end;
    SourceRange where;
    Extent extent() const { return end.hint() < begin.hint() ? Extent(0) : end - begin; }
};

// ArgMin and ArgMax reduce pairs: Definition::values is {term, rank}, the stage's types {the
// term's, i32}. The rank is the reduction axis itself, or the lexicographic position among several
// axes (each from its begin).
enum class ReductionOp : std::uint8_t { Sum, Product, Min, Max, Any, All, ArgMin, ArgMax };
enum class UpdateOp : std::uint8_t { Assign, Add, Multiply, Max, Min };
enum class DefinitionKind : std::uint8_t { Pure, Reduction, Update };

// One definition of a stage. A stage's first is Pure or Reduction; those after it are Updates, run
// in order.
struct Definition {
    DefinitionKind kind = DefinitionKind::Pure;
    // The value's expression per tuple component (one unless the stage is a tuple): the whole of a
    // pure definition, the term of a reduction, the right side of an update.
    std::vector<ExprPtr> values;
    ReductionOp reduction = ReductionOp::Sum; // Reduction
    UpdateOp update = UpdateOp::Assign;       // Update
    // Reduction: reduction axes; Update: `over` axes; outermost first
    std::vector<ReductionAxis> axes;
    ExprPtr condition;         // `where`; null: always
    std::vector<ExprPtr> left; // Update: one index per dimension
    // Free variables of the definition, in the stage's order: all of them, or for an update those
    // that stand in their own position on the left. Loops by default: these outermost, then `axes`.
    std::vector<std::string> free;
    SourceRange where;
};

enum class BoundaryKind : std::uint8_t { None, Edge, Zero, Constant, Mirror, Reflect, Wrap };

struct Boundary {
    BoundaryKind kind = BoundaryKind::None;
    ExprPtr value; // Constant: of the input's type
};

// Where a stage comes from, for folding and for messages.
struct Origin {
    SourceRange range;
    std::string iteration; // template iteration, "l=3"; empty outside `for`
    std::string group;     // group path, "level3/blur"; pyramid levels and model blocks fold by it
};

struct Stage {
    std::string name;
    std::string display_name;
    Origin origin;
    std::vector<std::string> variables; // index names, outermost first; the last is contiguous
    std::vector<ScalarType> types;      // one per tuple component
    bool is_input = false;
    std::vector<Extent> extents;         // inputs only
    Boundary boundary;                   // inputs only
    std::vector<Definition> definitions; // empty for inputs
    // The stage as it was where rfactor has rewritten the definitions. It has the same whole
    // numbers in each element, and more is known of it: that an argmax has found some term,
    // although each of its parts may have none.
    std::shared_ptr<const Stage> original;
    int rank() const { return static_cast<int>(variables.size()); }
    // The position of one of its index names; rank() if it has no such name.
    std::size_t dimension_of(const std::string& variable) const;
};

struct Output {
    std::string stage;
    std::vector<Extent> extents;
    SourceRange where;
};

struct Param {
    std::string name;
    std::int64_t value = 0; // as loaded: the default, or what the caller set
    std::int64_t default_value = 0;
    SourceRange where;
};

struct Symbol {
    std::string name;
    std::int64_t begin = 0, end = 0; // half-open range
    std::int64_t hint = 0;
};

class Pipeline {
public:
    std::string name;
    std::vector<Param> params;
    std::vector<Symbol> symbols;
    std::vector<Stage> stages; // inputs and stages in the order of definition: a topological order
    std::vector<Output> outputs; // each stage at most once
    SourceFilePtr source;        // null when built by a program

    const Stage* find(const std::string& stage) const; // null if unknown
    int index_of(const std::string& stage) const;      // -1 if unknown
    const Output* find_output(const std::string& stage) const;
    // Must be called once when all is filled in; builds the name index.
    void seal();

private:
    std::unordered_map<std::string, int> index_;
};

using PipelinePtr = std::shared_ptr<const Pipeline>;

const char* name(ReductionOp op);      // "sum"
const char* name(UpdateOp op);         // "+="
const char* name(BoundaryKind kind);   // "edge"
const char* name(DefinitionKind kind); // "pure"

// The rank of an ArgMin or ArgMax that has taken no term yet.
constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::min();

// The identity of a reduction, one value a component: 0, 1, the type's greatest (min; +inf for
// floats), least (max), false (any), true (all); of argmin and argmax also the rank kNoRank.
std::vector<ExprPtr> reduction_identity(ReductionOp op, const std::vector<ScalarType>& types);
// One step: accumulators combined with terms, in the order acc, term. Of argmin and argmax the
// first of equals wins and a NaN wins over numbers; equals are told apart by rank, so that the
// result does not depend on the order of steps. The operands of argmin and argmax occur several
// times in the result: pass loads, variables or constants.
std::vector<ExprPtr> reduction_step(ReductionOp op, const std::vector<ExprPtr>& accumulator,
                                    const std::vector<ExprPtr>& term);
ExprPtr update_step(UpdateOp op, ExprPtr old_value, ExprPtr value);
// The value that an operation leaves any other unchanged with, to the bit (x op e = x): for a float
// sum -0, since -0 + 0 is 0. Null: it has none. An assignment has none.
ExprPtr neutral_element(Op op, ScalarType type);
ExprPtr neutral_element(UpdateOp op, ScalarType type);
constexpr bool is_arg(ReductionOp op) {
    return op == ReductionOp::ArgMin || op == ReductionOp::ArgMax;
}

} // namespace loopscope
