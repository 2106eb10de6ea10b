// Can the tensor memory accelerator (TMA) bring what loops around a copy walk through as one box?
// Each answer: what to ask of it, or why not.
#include "lower_support.h"

#include "compiler/lower/gpu/box_request.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {
namespace test_box_request {

ExprPtr i32(std::int64_t v) { return constant_int(ScalarType::I32, v); }
ExprPtr at(const char* name) { return variable(name, ScalarType::I32); }
ExprPtr times(const ExprPtr& a, std::int64_t b) { return binary(Op::Multiply, a, i32(b)); }
ExprPtr sum(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Add, a, b); }

CopiedArrays arrays(int swizzle = 0) {
    CopiedArrays out;
    out.global["A"] = {ScalarType::F16, {Extent(512), Extent(512)}, 0};
    out.shared["s"] = {ScalarType::F16, {Extent(32), Extent(64)}, swizzle};
    return out;
}

// Loops over i in 0..rows and k in 0..columns around s[at] = A[from].
struct Nest {
    std::int64_t rows = 32, columns = 64;
    std::vector<ExprPtr> to{at("i"), at("k")};
    std::vector<ExprPtr> from{sum(times(at("b"), 32), at("i")), at("k")};

    StatementPtr made() const { return around(load("A", ScalarType::F16, from)); }
    StatementPtr around(ExprPtr value, ExprPtr mask = nullptr) const {
        auto body = edited(copy({"s", 0, "@compute"}, "s.copies", "s", to, std::move(value)),
                           [&](Statement& s) { s.access->mask = mask; });
        auto loop = [](const char* name, std::int64_t extent, StatementPtr inside) {
            return for_loop({}, name, i32(0), i32(extent), ForKind::Vectorized, std::move(inside));
        };
        return loop("i", rows, loop("k", columns, body));
    }
};

void expect_none(const StatementPtr& nest, const CopiedArrays& in, const std::string& why) {
    const auto request = box_request(nest, in);
    ASSERT_FALSE(request.ok()) << why;
    ASSERT_EQ(request.errors().size(), 1u);
    EXPECT_EQ(request.errors()[0].message, why);
}

const std::string kConditional = "elements of it have a condition of their own";
const std::string kNotDense =
    "it does not lie in shared memory as it does in the array, one element behind the other";

TEST(BoxRequest, SaysWhatToAskOfTheTMA) {
    const auto request = box_request(Nest().made(), arrays());
    ASSERT_TRUE(request.ok());
    EXPECT_EQ(request->token, "s.copies");
    EXPECT_EQ(request->origin.stage, "s");
    EXPECT_EQ(request->extents, (std::vector<std::int64_t>{32, 64}));
    EXPECT_EQ(to_text(request->source.indices[0]), "b*32");
    EXPECT_EQ(to_text(request->target.indices[0]), "0");
    EXPECT_FALSE(request->zero_border);
    const auto one = bulk_copies_of(*request, "arrivals");
    ASSERT_EQ(one->kind, StatementKind::BulkCopy);
    EXPECT_EQ(one->box->extents, (std::vector<Extent>{Extent(32), Extent(64)}));
    EXPECT_EQ(one->operands[2].buffer, "arrivals");
}

TEST(BoxRequest, OfSwizzledRowsEachPanelIsOne) {
    auto in = arrays(64);
    const auto request = box_request(Nest().made(), in);
    ASSERT_TRUE(request.ok());
    const auto panels = bulk_copies_of(*request, "arrivals");
    ASSERT_EQ(panels->children.size(), 2u);
    for (const auto& panel : panels->children) {
        EXPECT_EQ(panel->box->extents.back(), Extent(32));
        EXPECT_EQ(panel->box->swizzle, 64);
    }
    EXPECT_EQ(to_text(panels->children[1]->operands[1].indices[1]), "32");
}

TEST(BoxRequest, ConditionsAndOtherArraysAreRefused) {
    const Nest nest;
    const auto mask = binary(Op::Less, at("k"), at("n"));
    expect_none(nest.around(load("A", ScalarType::F16, nest.from), mask), arrays(), kConditional);
    expect_none(nest.around(masked_load("A", ScalarType::F16, nest.from, mask)), arrays(),
                kConditional);
    expect_none(nest.around(load("B", ScalarType::F16, nest.from)), arrays(),
                "it is no copy from global into shared memory");
    auto written = arrays();
    written.written.insert("A");
    expect_none(nest.made(), written, "A, which it is a copy of, is computed by the same launch");
    for (const auto& extents :
         {std::vector{Extent(512), Extent::symbol("N", 512)}, std::vector{Extent(512), Extent(511)},
          std::vector<Extent>(6, Extent(64))}) {
        auto other = arrays();
        other.global["A"].extents = extents;
        expect_none(nest.made(), other,
                    "of A the extents are no constants, the dimensions more than 5, or the rows no "
                    "multiple of 16 bytes");
    }
}

TEST(BoxRequest, WhatIsNoBoxOfTheArrayIsRefused) {
    Nest tall;
    tall.rows = 300;
    expect_none(tall.made(), arrays(),
                "it has 300 elements along one dimension of A, and a box at most 256");
    const std::string no_box =
        "it is no box of A, as of what a boundary other than zeros folds back into it";
    Nest diagonal, spread, folded;
    diagonal.from = {at("k"), at("k")};
    spread.from = {times(at("i"), 2), at("k")};
    folded.from = {binary(Op::Min, at("i"), i32(8)), at("k")};
    for (const auto* nest : {&diagonal, &spread, &folded})
        expect_none(nest->made(), arrays(), no_box);
}

TEST(BoxRequest, WhatDoesNotLieDenselyIsRefused) {
    Nest turned, in_part, again;
    turned.to = {at("k"), at("i")};
    in_part.columns = 32;
    again.from = {at("b"), at("k")};
    for (const auto* nest : {&turned, &in_part, &again})
        expect_none(nest->made(), arrays(), kNotDense);
    auto with_gaps = arrays();
    with_gaps.shared["s"].extents = {Extent(32), Extent(2), Extent(64)};
    Nest between;
    between.to = {at("i"), i32(0), at("k")};
    expect_none(between.made(), with_gaps, kNotDense);
}

TEST(BoxRequest, RowsAreWhatTheTMAAndThePatternTake) {
    Nest narrow;
    narrow.columns = 4;
    auto in = arrays();
    in.shared["s"].extents = {Extent(32), Extent(4)};
    expect_none(narrow.made(), in,
                "it has rows of 8 bytes and 256 in all, which are no multiples of 16 and of 128");
    Nest odd;
    odd.columns = 40;
    auto swizzled = arrays(64);
    swizzled.shared["s"].extents = {Extent(32), Extent(40)};
    expect_none(odd.made(), swizzled, "its rows are no multiple of its pattern's 64 bytes");
}

TEST(BoxRequest, LoopsThatRunInOrderAreNoWalk) {
    const auto nest = Nest().made();
    EXPECT_TRUE(innermost_copy(nest));
    EXPECT_FALSE(
        innermost_copy(edited(nest, [](Statement& s) { s.loop->kind = ForKind::Serial; })));
    EXPECT_FALSE(innermost_copy(empty_block()));
}

} // namespace test_box_request
} // namespace loopscope::lower
