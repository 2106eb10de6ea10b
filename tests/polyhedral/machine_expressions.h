#pragma once
// What integer expressions give in the arithmetic of a machine, and random ones to hold forms
// against.
#include "core/base/integer_division.h"
#include "core/base/magnitude.h"
#include "core/ir/expr.h"
#include "core/polyhedral/accesses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::polyhedral::machine {

using Values = std::map<std::string, Wide>;

inline Wide in_type(ScalarType type, Wide value) {
    const auto bits = static_cast<std::uint64_t>(value);
    switch (type) {
    case ScalarType::I8: return static_cast<std::int8_t>(bits);
    case ScalarType::I16: return static_cast<std::int16_t>(bits);
    case ScalarType::I32: return static_cast<std::int32_t>(bits);
    case ScalarType::U8: return static_cast<std::uint8_t>(bits);
    case ScalarType::U16: return static_cast<std::uint16_t>(bits);
    case ScalarType::U32: return static_cast<std::uint32_t>(bits);
    case ScalarType::U64: return bits;
    case ScalarType::Bool: return value != 0;
    default: return static_cast<std::int64_t>(bits);
    }
}

inline Wide shifted(ScalarType type, Wide a, std::int64_t left) {
    if (left >= bits(type))
        return 0;
    return left >= 0 ? a * (Wide{1} << left) : a >> std::min<std::int64_t>(-left, 100);
}

inline Wide product(Wide a, Wide b) {
    using Bits = unsigned __int128;
    return static_cast<Wide>(static_cast<Bits>(a) * static_cast<Bits>(b));
}

inline Wide value_of(const ExprPtr& e, const Values& values) {
    auto of = [&](std::size_t i) { return value_of(e->args[i], values); };
    Wide out = 0;
    switch (e->kind) {
    case ExprKind::Constant: return in_type(e->type, static_cast<std::int64_t>(e->bits));
    case ExprKind::Variable: return values.at(e->name);
    case ExprKind::Let: {
        auto inner = values;
        inner[e->name] = of(0);
        return value_of(e->args[1], inner);
    }
    case ExprKind::Cast: out = of(0); break;
    case ExprKind::Unary: out = e->op == Op::Negate ? -of(0) : -of(0) - 1; break;
    default:
        switch (e->op) {
        case Op::Add: out = of(0) + of(1); break;
        case Op::Subtract: out = of(0) - of(1); break;
        case Op::Multiply: out = product(of(0), of(1)); break;
        case Op::Divide: out = of(1) == 0 ? 0 : floor_div(of(0), of(1)); break;
        case Op::Modulo: out = of(1) == 0 ? 0 : of(0) - of(1) * floor_div(of(0), of(1)); break;
        case Op::ShiftLeft: out = shifted(e->type, of(0), static_cast<std::int64_t>(of(1))); break;
        case Op::ShiftRight:
            out = shifted(e->type, of(0), -static_cast<std::int64_t>(of(1)));
            break;
        case Op::BitAnd: out = of(0) & of(1); break;
        case Op::BitOr: out = of(0) | of(1); break;
        case Op::BitXor: out = of(0) ^ of(1); break;
        case Op::Min: return std::min(of(0), of(1));
        case Op::Less: return of(0) < of(1);
        case Op::LessEqual: return of(0) <= of(1);
        case Op::Greater: return of(0) > of(1);
        case Op::GreaterEqual: return of(0) >= of(1);
        case Op::Equal: return of(0) == of(1);
        case Op::NotEqual: return of(0) != of(1);
        case Op::LogicalAnd: return of(0) != 0 && of(1) != 0;
        default: ADD_FAILURE() << "not drawn";
        }
    }
    return in_type(e->type, out);
}

inline Wide value_of(const Affine& form, const std::vector<Axis>& axes,
                     const std::vector<Division>& divisions, const Values& values) {
    Wide sum = form.constant;
    for (const auto& [variable, c] : form.terms) {
        const auto v = static_cast<std::size_t>(variable);
        sum += Wide{c} * (v < axes.size() ? values.at(axes[v].name)
                                          : floor_div(value_of(divisions[v - axes.size()].numerator,
                                                               axes, divisions, values),
                                                      divisions[v - axes.size()].divisor));
    }
    return sum;
}

// Expressions of axes, in all integer types.
class Drawing {
public:
    explicit Drawing(unsigned seed, std::vector<std::string> names = {"r", "r", "s"})
        : engine_(seed), names_(std::move(names)) {}
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

    ExprPtr expression(ScalarType type, int depth) {
        if (depth == 0 || below(8) == 0)
            return below(4) == 0 ? constant(type) : cast_to(type, variable(any_of(names_)));
        switch (below(12)) {
        case 0: return unary(below(2) ? Op::Negate : Op::BitNot, expression(type, depth - 1));
        case 1:
        case 2: return cast_to(type, perhaps_wrapped(integer_type(), depth - 1));
        case 3: return binary(Op::Add, expression(type, depth - 1), expression(type, depth - 1));
        case 4:
            return binary(Op::Subtract, expression(type, depth - 1), expression(type, depth - 1));
        case 5: return binary(Op::Multiply, expression(type, depth - 1), constant(type));
        case 6: {
            const auto op = below(2) ? Op::Divide : Op::Modulo;
            return binary(op, perhaps_wrapped(type, depth - 1),
                          constant_int(type, 1 + below(below(3) ? 9 : 127)));
        }
        case 7:
        case 8: {
            const auto op = below(2) ? Op::ShiftLeft : Op::ShiftRight;
            return binary(op, perhaps_wrapped(type, depth - 1),
                          constant_int(type, below(below(4) ? 10 : 40)));
        }
        case 9: { // of bits that may be disjoint
            const auto op = any_of<Op>({Op::BitAnd, Op::BitOr, Op::BitXor});
            const auto high = below(5);
            const auto low = below(3) ? (1 << high) - 1 : below(16);
            return binary(
                op, binary(Op::ShiftLeft, expression(type, depth - 1), constant_int(type, high)),
                below(4) ? binary(Op::BitAnd, expression(type, depth - 1), constant_int(type, low))
                         : expression(type, depth - 1));
        }
        default: {
            const Op ops[] = {Op::BitAnd, Op::BitOr, Op::BitXor};
            return binary(ops[below(3)], perhaps_wrapped(type, depth - 1), constant(type));
        }
        }
    }

    ScalarType integer_type() {
        return any_of<ScalarType>({ScalarType::I8, ScalarType::I16, ScalarType::I32,
                                   ScalarType::I32, ScalarType::I64, ScalarType::U8, ScalarType::U8,
                                   ScalarType::U16, ScalarType::U32, ScalarType::U64});
    }

    template <typename T> T any_of(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
    }

private:
    static ExprPtr cast_to(ScalarType type, const ExprPtr& e) {
        return e->type == type ? e : cast(type, e);
    }
    // Below what bounds it, arithmetic that leaves its type.
    ExprPtr perhaps_wrapped(ScalarType type, int depth) {
        const auto e = expression(type, depth);
        return below(4) ? e
                        : binary(below(4) ? Op::Multiply : Op::Add, e,
                                 constant_int(type, (1 + std::int64_t{below(40)})
                                                        << (bits(type) - 1 - below(8))));
    }
    ExprPtr constant(ScalarType type) {
        return constant_int(type, below(3) ? below(16) : below(600) - 300);
    }

    std::mt19937 engine_;
    std::vector<std::string> names_; // of axes
};

} // namespace loopscope::polyhedral::machine
