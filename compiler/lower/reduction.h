#pragma once
// Stores that accumulate.

#include "compiler/lower/known_facts.h"
#include "core/ir/pipeline.h"

#include <optional>

namespace loopscope::lower {

// A store that combines what its place holds with a term: place = place op term, or place = fma(a,
// b, place). Where the place is a 16-bit float the operation is of f32, and its result is rounded
// (half_arithmetic).
struct Reduction {
    Op op = Op::None;           // None: fma
    bool place_first = true;    // place op term, or term op place
    bool rounded = false;       // place = f16(f32(place) op term)
    std::vector<ExprPtr> terms; // one; two for fma
};
// The form of a store that reads its own place, when it is one of the above and reads the buffer
// nowhere else.
std::optional<Reduction> match_reduction(const Statement& store);
// The value that such a store writes, with another place and other terms.
ExprPtr combined(const Reduction& reduction, const ExprPtr& place,
                 const std::vector<ExprPtr>& terms);
// The operation by which stores combine: those with the same one may follow each other in any
// order. An fma counts as an addition.
Op combining_operation(const Reduction& reduction);
// Terms that leave the place unchanged, for lanes that are off: -0 and 1 for an fma. Empty when
// there are none.
std::vector<ExprPtr> neutral_terms(const Reduction& reduction);
// The value that an accumulator of the type begins with, so that it changes nothing when it is
// combined. Null: there is none.
ExprPtr neutral_value(const Reduction& reduction, ScalarType type);
// Does any order of the terms give the same bits? Integers, minima and maxima, bit and logical
// operations.
bool any_order(Op op, ScalarType type);

// One place in memory.
struct Place {
    std::string buffer;
    ScalarType type;
    std::vector<ExprPtr> indices;
    ExprPtr load() const { return loopscope::load(buffer, type, indices); }
};

// A step of argmin or argmax on two places: those of the value found so far, and of its rank.
//
//     let S.take = …                                    does the term win?
//     S.0[i] = select(S.take, term, S.0[i])
//     S.1[i] = select(S.take, rank, S.1[i])
//
// Steps may follow each other in any order: equals are told apart by their ranks.
struct Selection {
    ReductionOp op = ReductionOp::ArgMax;
    std::vector<Place> places;
    std::vector<ExprPtr> terms; // the value and its rank
};
// The statement of a selection step; `take` is the name of its let. Terms occur several times.
StatementPtr selection_step(const NodeId& origin, const std::string& take,
                            const Selection& selection);
// Recognises a selection step in a let statement, whatever the passes made of its condition: it
// decides as argmin or argmax would for every order of its operands. Neither terms nor indices load
// the places' buffers.
std::optional<Selection> match_selection(const Statement& let, const KnownFacts& scope);

} // namespace loopscope::lower
