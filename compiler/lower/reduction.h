#pragma once
// Stores that accumulate.

#include "compiler/lower/program.h"

#include <optional>

namespace loopscope::lower {

// A store that combines what its place holds with a term: place = place op term, or place = fma(a, b, place).
struct Reduction {
    Op op = Op::None;           // None: fma
    bool place_first = true;    // place op term, or term op place
    std::vector<ExprPtr> terms; // one; two for fma
};
// The form of a store that reads its own place, when it is one of the above and reads the buffer nowhere else.
std::optional<Reduction> match_reduction(const Statement& store);
// Stores that combine by the same operation may follow each other in any order: fma is an addition here.
Op combining_operation(const Reduction& reduction);
// What leaves the place unchanged when it is combined: for lanes that are off. Null when there is none. For fma the
// values are -0 and 1.
std::vector<ExprPtr> neutral_terms(const Reduction& reduction, ScalarType type);
// Does any order of the terms give the same bits? Integers, minima and maxima, bit and logical operations.
bool any_order(Op op, ScalarType type);

} // namespace loopscope::lower
