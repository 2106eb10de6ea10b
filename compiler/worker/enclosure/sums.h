#pragma once
// Bounds of what a float sum or product may give in any order.
//
// A sum of n terms, in whatever order, has n - 1 additions, and no term passes through more of
// them; where the sum is contracted, the term's own product may be rounded once besides (by one
// order) or not (by another). So a term gets at most m = n - 1, or n, factors 1 + d, |d| <= u, and
//
//     |computed - exact| <= ((1 + u)^m - 1) sum |terms|
//
// with u the unit roundoff of the sum's type (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, sections 3.1 and 4.2, lemma 3.1),
// and likewise |computed - exact| <= ((1 + u)^m - 1) |exact| of a product. One term alone is not
// rounded: m = 0. The exact value is computed in f64, by the reference, and what that leaves out is
// bounded in the same way. As the bound is around the exact value, it holds for the reference's own
// sum too: the two may be as far apart as twice the bound, one at each end, but neither may be
// beyond.
//
// (1 + u)^m - 1 <= exp(x) - 1 <= x + x*x where x = m u is at most 1: so it is computed, and as
// exp(x) above.

#include "compiler/worker/enclosure/arithmetic.h"

namespace loopscope::worker {

// All in f64, of one element: sums over the terms of their ends and of their greatest magnitude,
// and how many terms there are, of which the element's value before an update is one.
struct SumParts {
    ExprPtr low, high, size, count;
};
// `contracted`: what is below the least denormal of a product's rounding counts too.
Enclosure enclose_sum(ScalarType type, const SumParts& parts, bool contracted);

// All in f64: products over the terms of their low ends, of 1 + their relative width (null: all are
// exact), and of their magnitudes where these are above 1 and where they are below (of 0: 1), by
// which it is known whether any partial product overflows or becomes less than a normal number.
struct ProductParts {
    ExprPtr low, width, above, below, count;
};
Enclosure enclose_product(ScalarType type, const ProductParts& parts);
// The relative width of a term, in f64, as ProductParts takes it.
ExprPtr relative_width(const Enclosure& term);
ExprPtr magnitude_above(const Enclosure& term);
ExprPtr magnitude_below(const Enclosure& term);

} // namespace loopscope::worker
