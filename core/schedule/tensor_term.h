#pragma once
// Does a definition add up what an intrinsic adds up? The first part of tensorize's proof:
// operator, types and term, without regard to loops and indices.

#include "core/base/result.h"
#include "core/schedule/intrinsics.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

// One way to take a term for the intrinsic's. Products and sums may be written in either order, so
// there may be several.
struct TermMatch {
    std::map<std::string, ExprPtr> loads; // of the definition, by the operand that each is
    // The intrinsic rounds an operand that the definition takes as it is.
    bool rounds = false;
};

// A sum or `+=` of the intrinsic's type, without a condition. The refusal says what it is instead.
Status check_sums(const Stage& stage, int definition, const Intrinsic& intrinsic);

// All ways, none of which is of an earlier one's meaning; at least one. `stage`: of the derived
// program. Casts that keep the value are looked through. The refusal says which part differs.
Result<std::vector<TermMatch>> match_terms(const Stage& stage, int definition,
                                           const Intrinsic& intrinsic);

} // namespace loopscope
