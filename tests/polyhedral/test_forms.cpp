// Forms of indices in the integers of a machine: shifts, masks, remainders and casts, held against
// what the expressions give.
#include "core/base/integer_division.h"
#include "core/base/magnitude.h"
#include "core/polyhedral/accesses.h"
#include "core/polyhedral/dependences.h"
#include "core/polyhedral/forms.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace loopscope::polyhedral {
namespace forms_test {
namespace {

using Values = std::map<std::string, std::int64_t>;

std::int64_t in_type(ScalarType type, Wide value) {
    const auto bits = static_cast<std::uint64_t>(value);
    switch (type) {
    case ScalarType::I8: return static_cast<std::int8_t>(bits);
    case ScalarType::I16: return static_cast<std::int16_t>(bits);
    case ScalarType::I32: return static_cast<std::int32_t>(bits);
    case ScalarType::U8: return static_cast<std::uint8_t>(bits);
    case ScalarType::U16: return static_cast<std::uint16_t>(bits);
    case ScalarType::U32: return static_cast<std::uint32_t>(bits);
    default: return static_cast<std::int64_t>(bits);
    }
}

Wide shifted(ScalarType type, Wide a, std::int64_t left) {
    if (left >= bits(type))
        return 0;
    return left >= 0 ? a * (Wide{1} << left) : a >> std::min<std::int64_t>(-left, 100);
}

std::int64_t value_of(const ExprPtr& e, const Values& values) {
    auto of = [&](std::size_t i) { return Wide{value_of(e->args[i], values)}; };
    Wide out = 0;
    switch (e->kind) {
    case ExprKind::Constant: {
        std::int64_t value = 0;
        EXPECT_TRUE(constant_value(e, value));
        return value;
    }
    case ExprKind::Variable: return values.at(e->name);
    case ExprKind::Cast: out = of(0); break;
    case ExprKind::Unary: out = e->op == Op::Negate ? -of(0) : -of(0) - 1; break;
    default:
        switch (e->op) {
        case Op::Add: out = of(0) + of(1); break;
        case Op::Subtract: out = of(0) - of(1); break;
        case Op::Multiply: out = of(0) * of(1); break;
        case Op::Divide: out = of(1) == 0 ? 0 : floor_div(of(0), of(1)); break;
        case Op::Modulo: out = of(1) == 0 ? 0 : of(0) - of(1) * floor_div(of(0), of(1)); break;
        case Op::ShiftLeft: out = shifted(e->type, of(0), static_cast<std::int64_t>(of(1))); break;
        case Op::ShiftRight:
            out = shifted(e->type, of(0), -static_cast<std::int64_t>(of(1)));
            break;
        case Op::BitAnd: out = of(0) & of(1); break;
        case Op::BitOr: out = of(0) | of(1); break;
        case Op::BitXor: out = of(0) ^ of(1); break;
        default: ADD_FAILURE() << "not drawn";
        }
    }
    return in_type(e->type, out);
}

std::int64_t value_of(const Affine& form, const std::vector<Axis>& axes,
                      const std::vector<Division>& divisions, const Values& values) {
    auto sum = form.constant;
    for (const auto& [variable, c] : form.terms) {
        const auto v = static_cast<std::size_t>(variable);
        sum += c * (v < axes.size() ? values.at(axes[v].name)
                                    : floor_div(value_of(divisions[v - axes.size()].numerator, axes,
                                                         divisions, values),
                                                divisions[v - axes.size()].divisor));
    }
    return sum;
}

// Expressions of two axes, in all integer types.
class Drawing {
public:
    explicit Drawing(unsigned seed) : engine_(seed) {}
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

    ExprPtr expression(ScalarType type, int depth) {
        if (depth == 0 || below(8) == 0)
            return below(4) == 0 ? constant(type) : cast_to(type, variable(below(3) ? "r" : "s"));
        switch (below(12)) {
        case 0: return unary(below(2) ? Op::Negate : Op::BitNot, expression(type, depth - 1));
        case 1:
        case 2: return cast_to(type, expression(integer_type(), depth - 1));
        case 3: return binary(Op::Add, expression(type, depth - 1), expression(type, depth - 1));
        case 4:
            return binary(Op::Subtract, expression(type, depth - 1), expression(type, depth - 1));
        case 5: return binary(Op::Multiply, expression(type, depth - 1), constant(type));
        case 6: {
            const auto op = below(2) ? Op::Divide : Op::Modulo;
            return binary(op, expression(type, depth - 1),
                          constant_int(type, 1 + below(below(3) ? 9 : 127)));
        }
        case 7:
        case 8: {
            const auto op = below(2) ? Op::ShiftLeft : Op::ShiftRight;
            return binary(op, expression(type, depth - 1), constant_int(type, below(10)));
        }
        case 9: // disjoint bits
            return binary(below(2) ? Op::BitOr : Op::BitXor,
                          binary(Op::ShiftLeft, expression(type, depth - 1), constant_int(type, 3)),
                          binary(Op::BitAnd, expression(type, depth - 1), constant_int(type, 7)));
        default: {
            const Op ops[] = {Op::BitAnd, Op::BitOr, Op::BitXor};
            return binary(ops[below(3)], expression(type, depth - 1), constant(type));
        }
        }
    }

    ScalarType integer_type() {
        const ScalarType types[] = {ScalarType::I8,  ScalarType::I16, ScalarType::I32,
                                    ScalarType::I32, ScalarType::I64, ScalarType::U8,
                                    ScalarType::U8,  ScalarType::U16, ScalarType::U32};
        return types[below(9)];
    }

private:
    static ExprPtr cast_to(ScalarType type, const ExprPtr& e) {
        return e->type == type ? e : cast(type, e);
    }
    ExprPtr constant(ScalarType type) {
        return constant_int(type, below(3) ? below(16) : below(600) - 300);
    }
    std::mt19937 engine_;
};

TEST(Forms, AreTheValuesThatExpressionsHave) {
    const std::vector<Axis> axes{{"r", 0, 40, false}, {"s", -5, 11, false}};
    int known = 0, divided = 0;
    for (unsigned seed = 1; seed <= 20'000; ++seed) {
        Drawing drawing(seed);
        const auto e = drawing.expression(
            drawing.below(2) ? ScalarType::I32 : drawing.integer_type(), 1 + drawing.below(4));
        std::vector<Division> divisions;
        const auto form = affine_of(e, axes, divisions);
        if (!form)
            continue;
        ++known;
        divided += divisions.empty() ? 0 : 1;
        for (auto r = axes[0].begin; r < axes[0].end; ++r)
            for (auto s = axes[1].begin; s < axes[1].end; s += 3) {
                const Values values{{"r", r}, {"s", s}};
                ASSERT_EQ(value_of(*form, axes, divisions, values), value_of(e, values))
                    << "seed " << seed << ": " << to_text(e) << " at r = " << r << ", s = " << s;
            }
    }
    EXPECT_GT(known, 14'000);
    EXPECT_GT(divided, 5'000);
}

// Whether two values of r give one value of the expression.
bool meets(const ExprPtr& e, std::int64_t extent) {
    std::set<std::int64_t> seen;
    for (std::int64_t r = 0; r < extent; ++r)
        if (!seen.insert(value_of(e, {{"r", r}, {"s", 0}})).second)
            return true;
    return false;
}

Answer carried(const ExprPtr& index, std::int64_t extent, Effort effort) {
    DependenceQuery query;
    query.accesses.axes = {{"r", 0, extent, false}, {"s", 0, 1, false}};
    query.accesses.list = {
        {true, {affine_of(index, query.accesses.axes, query.accesses.divisions)}, to_text(index)}};
    query.loop_count = 2;
    query.nest = {0, 1};
    return carries(query, 0, effort);
}

const auto r = variable("r");
ExprPtr number(std::int64_t value, ScalarType type = ScalarType::I32) {
    return constant_int(type, value);
}
ExprPtr as(ScalarType type, const ExprPtr& e) { return cast(type, e); }

TEST(Forms, IndicesThatTellAllIterationsApart) {
    const auto i32 = ScalarType::I32;
    const struct {
        ExprPtr index;
        std::int64_t extent; // the greatest for which no two iterations meet; 0: there is none
    } cases[] = {
        {binary(Op::ShiftLeft, r, number(1)), 0},
        {binary(Op::ShiftLeft, r, number(20)), 0},
        {binary(Op::ShiftRight, r, number(1)), 1},
        {binary(Op::ShiftLeft, r, number(-1)), 1},
        {binary(Op::ShiftRight, binary(Op::Multiply, r, number(4)), number(2)), 0},
        {binary(Op::ShiftRight, binary(Op::Multiply, r, number(3)), number(2)), 1},
        {binary(Op::BitXor, r, number(5)), 0},
        {binary(Op::BitXor, r, number(0x5555)), 0},
        {binary(Op::BitXor, r, number(-1)), 0},
        {unary(Op::BitNot, r), 0},
        {binary(Op::BitAnd, r, number(15)), 16},
        {binary(Op::BitAnd, r, number(14)), 1},
        {binary(Op::BitAnd, binary(Op::ShiftLeft, r, number(1)), number(14)), 8},
        {binary(Op::BitOr, r, number(64)), 64},
        {binary(Op::BitOr, binary(Op::Multiply, r, number(8)), number(5)), 0},
        {binary(Op::BitOr, binary(Op::Multiply, r, number(4)), number(5)), 1},
        {binary(Op::Modulo, binary(Op::Multiply, r, number(5)), number(16)), 16},
        {binary(Op::Modulo, binary(Op::Multiply, r, number(6)), number(16)), 8},
        {binary(Op::BitOr, binary(Op::ShiftLeft, binary(Op::Divide, r, number(4)), number(4)),
                binary(Op::Modulo, r, number(4))),
         0},
        {as(i32, as(ScalarType::U8, binary(Op::Add, r, number(250)))), 256},
        {as(i32, as(ScalarType::I8, binary(Op::Add, r, number(120)))), 256},
        {as(i32, binary(Op::Add, as(ScalarType::U8, r), number(250, ScalarType::U8))), 256},
        {as(i32, binary(Op::Multiply, as(ScalarType::U8, r), number(7, ScalarType::U8))), 256},
        {as(i32, binary(Op::Multiply, as(ScalarType::U8, r), number(6, ScalarType::U8))), 128},
        {as(i32, binary(Op::BitXor, as(ScalarType::U8, r), number(0xa5, ScalarType::U8))), 256},
        {as(i32, binary(Op::ShiftLeft, as(ScalarType::U16, r), number(4, ScalarType::U16))), 4096},
    };
    for (const auto& c : cases) {
        const auto most = c.extent == 0 ? 1000 : c.extent;
        SCOPED_TRACE(to_text(c.index));
        ASSERT_FALSE(meets(c.index, most));
        EXPECT_EQ(carried(c.index, most, Effort::QuickFirst).verdict, Answer::Verdict::No);
        if (c.extent == 0)
            continue;
        ASSERT_TRUE(meets(c.index, c.extent + 1));
        for (auto effort : {Effort::QuickFirst, Effort::ExactOnly}) {
            const auto answer = carried(c.index, c.extent + 1, effort);
            EXPECT_EQ(answer.verdict, Answer::Verdict::Yes);
            EXPECT_TRUE(answer.example && answer.example->certain);
        }
    }
}

// What quick arithmetic does not tabulate, isl proves.
TEST(Forms, OfLongAxes) {
    for (const auto& index :
         {binary(Op::ShiftLeft, r, number(3)), binary(Op::BitXor, r, number(5)),
          binary(Op::BitXor, r, number(0xff00)),
          binary(Op::BitOr, binary(Op::ShiftLeft, r, number(3)), number(5)),
          as(ScalarType::I32, as(ScalarType::U16, binary(Op::Add, r, number(40'000))))}) {
        EXPECT_EQ(carried(index, 50'000, Effort::QuickFirst).verdict, Answer::Verdict::No)
            << to_text(index);
    }
}

TEST(Forms, ThatAreQuickAreAlsoExact) {
    int apart = 0, together = 0;
    for (unsigned seed = 1; seed <= 3'000; ++seed) {
        Drawing drawing(seed);
        const auto index = drawing.expression(ScalarType::I32, 1 + drawing.below(3));
        const auto extent = 2 + drawing.below(40);
        const bool meet = meets(index, extent);
        const auto answer = carried(index, extent, Effort::QuickFirst);
        if (!answer.example || answer.example->certain) {
            EXPECT_EQ(answer.verdict, meet ? Answer::Verdict::Yes : Answer::Verdict::No)
                << "seed " << seed << ": " << to_text(index) << " below " << extent;
            ++(meet ? together : apart);
        }
    }
    EXPECT_GT(apart, 700);
    EXPECT_GT(together, 700);
}

} // namespace
} // namespace forms_test
} // namespace loopscope::polyhedral
