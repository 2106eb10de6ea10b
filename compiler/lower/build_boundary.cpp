#include "compiler/lower/build.h"

namespace loopscope::lower {

BoundedIndex bounded_index(const ExprPtr& raw, BoundaryKind boundary, std::int64_t n) {
    // Small integers widen exactly; wide ones are reduced in their own type before they are
    // narrowed.
    ExprPtr index = bits(raw->type) < 32 ? cast(ScalarType::I32, raw) : raw;
    auto type = index->type;
    auto number = [&](std::int64_t v) { return constant_int(type, v); };
    auto narrowed = [&](ExprPtr e) {
        return e->type == ScalarType::I32 ? e : cast(ScalarType::I32, e);
    };
    auto clamped = [&] {
        return binary(Op::Min, binary(Op::Max, index, number(0)), number(n - 1));
    };
    switch (boundary) {
    case BoundaryKind::None: return {narrowed(index), nullptr};
    case BoundaryKind::Edge: return {narrowed(clamped()), nullptr};
    case BoundaryKind::Zero:
    case BoundaryKind::Constant:
        return {narrowed(clamped()),
                binary(Op::LogicalAnd, binary(Op::GreaterEqual, index, number(0)),
                       binary(Op::Less, index, number(n)))};
    case BoundaryKind::Wrap: return {narrowed(binary(Op::Modulo, index, number(n))), nullptr};
    case BoundaryKind::Mirror: { // c b a | a b c: period 2n
        auto m = binary(Op::Modulo, index, number(2 * n));
        return {narrowed(binary(Op::Min, m, binary(Op::Subtract, number(2 * n - 1), m))), nullptr};
    }
    case BoundaryKind::Reflect: { // c b | a b c: period 2(n-1)
        if (n == 1)
            return {constant_int(ScalarType::I32, 0), nullptr};
        auto m = binary(Op::Modulo, index, number(2 * (n - 1)));
        return {narrowed(binary(Op::Min, m, binary(Op::Subtract, number(2 * (n - 1)), m))),
                nullptr};
    }
    }
    return {narrowed(index), nullptr};
}

} // namespace loopscope::lower
