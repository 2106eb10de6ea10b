#pragma once
// Short names for the expressions that enclosures are made of.

#include "compiler/worker/enclosure/arithmetic.h"
#include "core/ir/expr.h"

#include <utility>

namespace loopscope::worker {

// What bounds are computed in: it holds every element of the smaller types, and their sums with
// errors of its own that sums.cpp accounts for.
constexpr auto kWide = ScalarType::F64;

inline ExprPtr wide(const ExprPtr& e) { return cast(kWide, e); }
inline ExprPtr number(double value) { return constant_float(kWide, value); }
inline ExprPtr zero(ScalarType type) { return constant_float(type, 0); }
inline ExprPtr add(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Add, a, b); }
inline ExprPtr subtract(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Subtract, a, b); }
inline ExprPtr multiply(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Multiply, a, b); }
inline ExprPtr both(ExprPtr a, ExprPtr b) {
    return binary(Op::LogicalAnd, std::move(a), std::move(b));
}
inline ExprPtr either(ExprPtr a, ExprPtr b) {
    return binary(Op::LogicalOr, std::move(a), std::move(b));
}
inline Enclosure choose(const ExprPtr& condition, const Enclosure& a, const Enclosure& b) {
    if (std::int64_t known = 0; constant_value(condition, known))
        return known ? a : b;
    return {select(condition, a.low, b.low), select(condition, a.high, b.high)};
}

} // namespace loopscope::worker
