// Forms of indices in the integers of a machine: shifts, masks, remainders and casts, held against
// what the expressions give.
#include "core/polyhedral/accesses.h"
#include "core/polyhedral/dependences.h"
#include "core/polyhedral/forms.h"
#include "tests/polyhedral/machine_expressions.h"

#include <gtest/gtest.h>

#include <set>

namespace loopscope::polyhedral {
namespace test_forms {
namespace {

using machine::Drawing;
using machine::value_of;
using machine::Values;

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
                ASSERT_TRUE(value_of(*form, axes, divisions, values) == value_of(e, values))
                    << "seed " << seed << ": " << to_text(e) << " at r = " << r << ", s = " << s;
            }
    }
    EXPECT_GT(known, 14'000);
    EXPECT_GT(divided, 5'000);
}

// Whether two values of r give one value of the expression.
bool meets(const ExprPtr& e, std::int64_t extent) {
    std::set<Wide> seen;
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
    for (unsigned seed = 1; seed <= 2'000; ++seed) {
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
    EXPECT_GT(apart, 450);
    EXPECT_GT(together, 450);
}

} // namespace
} // namespace test_forms
} // namespace loopscope::polyhedral
