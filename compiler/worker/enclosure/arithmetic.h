#pragma once
// The enclosure of a value whose roundings may fall otherwise than in the reference: an interval,
// as two expressions of the value's own type. The operations of the language round to nearest, and
// rounding is monotone: where an operation is, the same operation on the ends of the intervals
// encloses whatever it gives on values within them, with its rounding, and nothing needs to be
// added.
//
// An interval with a NaN as an end holds every value, a NaN too; so does least to greatest of the
// integers and false to true of bool. Infinities are ends as others: a result that may be NaN
// because of them, as a difference of two or a product with 0, has NaN for an end. Where both ends
// are one expression, the value is the reference's to the bit.

#include "core/ir/expr.h"

#include <functional>
#include <vector>

namespace loopscope::worker {

struct Enclosure {
    ExprPtr low, high;
    bool exact() const { return low == high; }
};

Enclosure exactly(ExprPtr value);
Enclosure anything(ScalarType type);
bool all_exact(const std::vector<Enclosure>& list);

// The enclosure of an operation on operands that are not all exact.
Enclosure enclose_unary(Op op, const Enclosure& a);
Enclosure enclose_binary(Op op, const Enclosure& a, const Enclosure& b);
Enclosure enclose_fma(const Enclosure& a, const Enclosure& b, const Enclosure& c);
Enclosure enclose_select(const Enclosure& condition, const Enclosure& a, const Enclosure& b);
Enclosure enclose_cast(ScalarType type, const Enclosure& a);
// The enclosure of an operation that is not monotone: its value where the intervals of all operands
// are single values, else anything. The sign of a float that is certainly 0 is not known, nor what
// may depend on it.
Enclosure enclose_certain(const std::vector<Enclosure>& operands,
                          const std::function<ExprPtr(const std::vector<ExprPtr>&)>& value);

ExprPtr greatest_magnitude(const Enclosure& a); // of a float: max(|low|, |high|)
ExprPtr is_certain(const Enclosure& a);         // does the interval hold one value only?

} // namespace loopscope::worker
