#pragma once
// The first part of tensorize's proof: does a definition add up what an intrinsic adds up? It
// compares operator, types and term, without regard to loops and indices.

#include "core/base/result.h"
#include "core/schedule/intrinsics.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

// One way to take a term for the intrinsic's. Products and sums may be written in either order, so
// there may be several ways.
struct TermMatch {
    std::map<std::string, ExprPtr> loads; // of the definition, by the operand that each is
    // The intrinsic rounds an operand that the definition takes as it is.
    bool rounds = false;
};

// Checks that the definition is a sum or `+=` of the intrinsic's type, without a condition. The
// refusal says what it is instead.
Status check_sums(const Stage& stage, int definition, const Intrinsic& intrinsic);

// All ways to match that differ in meaning; at least one. `stage`: the derived program's. Casts
// that keep the value are looked through. The refusal says which part differs.
Result<std::vector<TermMatch>> match_terms(const Stage& stage, int definition,
                                           const Intrinsic& intrinsic);

} // namespace loopscope
