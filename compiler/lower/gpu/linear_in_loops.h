#pragma once
// Indices as linear forms in the loops of a nest. What does not depend on these stays one
// expression, the base, whatever it is: an `Affine` (affine.h), whose atoms are all alike, would
// take it apart.

#include "core/ir/expr.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace loopscope::lower {

using LoopExtents = std::map<std::string, std::int64_t>; // of loops whose beginning is 0
using LoopCoefficients = std::map<std::string, std::int64_t>;

// base + sum of coefficient * loop.
struct LinearInLoops {
    ExprPtr base;
    LoopCoefficients coefficients; // none is 0
};

// Nothing: it is no such form.
std::optional<LinearInLoops> linear_in_loops(const ExprPtr& e, const LoopExtents& loops);

// How many elements the loops of a form run over, one after the other: their coefficients are 1,
// the extent of that loop, and so on. Nothing: they leave some out, or meet some twice.
std::optional<std::int64_t> covered(const LinearInLoops& form, const LoopExtents& loops);

bool is_zero(const ExprPtr& e); // the constant

} // namespace loopscope::lower
