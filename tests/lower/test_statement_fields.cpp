// Statements and programs are equal where all of their fields are, and their expressions are found
// in whatever field they stand.
#include "compiler/lower/statement_fields.h"
#include "compiler/lower/statements.h"
#include "tests/support/each_change.h"

#include <gtest/gtest.h>

namespace loopscope {

template <FieldsOf<SharedMatrix> T> auto fields(T& matrix) {
    auto& [along, columns, rows, row_bytes, panel_bytes] = matrix;
    return std::tie(along, columns, rows, row_bytes, panel_bytes);
}

namespace lower {

// Their lists are what the test goes by; that two are equal is said by their own operator.
template <FieldsOf<Argument> T> auto fields(T& argument) {
    auto& [buffer, role, type, extents, mins, window] = argument;
    return std::tie(buffer, role, type, extents, mins, window);
}

namespace {

void expect_unequal(const Statement& full, int fields) {
    Statement statement = full;
    const auto before = std::make_shared<const Statement>(full);
    EXPECT_TRUE(equal(before, std::make_shared<const Statement>(statement)));
    int changes = 0;
    loopscope::test::each_change(statement, "", [&](const std::string& field) {
        EXPECT_FALSE(equal(before, std::make_shared<const Statement>(statement))) << field;
        ++changes;
    });
    EXPECT_GE(changes, fields);
}

TEST(StatementFields, StatementsDifferInEachFieldOfAnEmptyOne) { expect_unequal({}, 17); }

TEST(StatementFields, StatementsDifferInEachFieldOfAFullOne) {
    Statement statement;
    loopscope::test::fill_in(statement);
    expect_unequal(statement, 50);
}

TEST(StatementFields, ProgramsDifferInEachField) {
    Program program;
    loopscope::test::fill_in(program);
    program.arguments[0].extents = {Extent(4), Extent(5)};
    const Program before = program;
    EXPECT_TRUE(equal(program, before));
    loopscope::test::each_change(program, "", [&](const std::string& field) {
        EXPECT_FALSE(equal(program, before)) << field;
    });
}

TEST(StatementFields, WhatAnArgumentLeavesOutIsUnderstood) {
    Argument said, left_out;
    said.extents = left_out.extents = {Extent(4), Extent(5)};
    said.mins = {0, 0};
    said.window = said.extents;
    EXPECT_TRUE(said == left_out);
    said.mins = {0, 1};
    EXPECT_FALSE(said == left_out);
}

// What is found is what is mapped: one after another, each expression that the test can put there.
TEST(StatementFields, ExpressionsAreFoundAndMappedWhereverTheyStand) {
    Statement statement;
    loopscope::test::fill_in(statement);
    statement.children.clear();
    int number = 0;
    each_expression(statement, [&](ExprPtr& e) { e = constant_index(100 + number++); });
    EXPECT_EQ(number, 7) << "begin, extent, condition, value, mask, an index, an operand's index";
    const auto made = std::make_shared<const Statement>(statement);
    std::vector<ExprPtr> seen = expressions(*made);
    ASSERT_EQ(seen.size(), 7u);
    const auto mapped = map_expressions(
        made, [](const ExprPtr& e) { return binary(Op::Add, e, constant_index(1)); });
    const auto now = expressions(*mapped);
    ASSERT_EQ(now.size(), seen.size());
    for (std::size_t i = 0; i < now.size(); ++i)
        EXPECT_EQ(to_text(now[i]), to_text(seen[i]) + " + 1");
    EXPECT_EQ(map_expressions(made, [](const ExprPtr& e) { return e; }), made);
}

} // namespace
} // namespace lower
} // namespace loopscope
