#pragma once
// A quotient and a remainder say together what was divided: x/c*c + x%c = x. Fused axes are taken
// apart in this way, and their elements follow each other again where the pair is put together.

#include "compiler/lower/known_facts.h"

#include <cstdint>
#include <optional>

namespace loopscope::lower {

struct DividedBy {
    ExprPtr dividend;
    std::int64_t divisor; // positive, the same in every lane
};
// The parts of x/c and x%c; casts that keep the value are looked through.
std::optional<DividedBy> as_quotient(const KnownFacts& scope, const ExprPtr& e);
std::optional<DividedBy> as_remainder(const KnownFacts& scope, const ExprPtr& e);

// The whole of quotient*c + remainder, where the remainder is one by c, as an expression that
// divides once less; null where the two do not belong together:
//     x/c,     y%c        x        if x and y differ by a multiple of c
//     x/(d*c), (y/d)%c    x/d      if x and y differ by a multiple of d*c
ExprPtr rejoined(const KnownFacts& scope, const ExprPtr& quotient, const ExprPtr& remainder);

} // namespace loopscope::lower
