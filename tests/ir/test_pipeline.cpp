#include "core/ir/pipeline.h"

#include <gtest/gtest.h>

#include <limits>

namespace loopscope {
namespace {

TEST(Pipeline, FindsStagesByName) {
    Pipeline p;
    p.stages.resize(2);
    p.stages[0].name = "a";
    p.stages[1].name = "b";
    p.outputs.push_back({"b", {Extent(4)}, {}});
    p.seal();
    EXPECT_EQ(p.index_of("b"), 1);
    EXPECT_EQ(p.find("a"), &p.stages[0]);
    EXPECT_EQ(p.find("c"), nullptr);
    EXPECT_EQ(p.index_of("c"), -1);
    EXPECT_NE(p.find_output("b"), nullptr);
    EXPECT_EQ(p.find_output("a"), nullptr);
}

TEST(Pipeline, AxisExtentIsNeverNegative) {
    ReductionAxis axis{"k", Extent(5), Extent(2), {}};
    EXPECT_EQ(axis.extent().hint(), 0);
    axis.end = Extent(9);
    EXPECT_EQ(axis.extent().hint(), 4);
}

TEST(Reduction, Identities) {
    auto text = [](ReductionOp op, ScalarType t) {
        return to_text(reduction_identity(op, {t})[0]);
    };
    EXPECT_EQ(text(ReductionOp::Sum, ScalarType::F32), "0.0");
    EXPECT_EQ(text(ReductionOp::Product, ScalarType::U8), "1u8");
    EXPECT_EQ(text(ReductionOp::Min, ScalarType::F32), "inf");
    EXPECT_EQ(text(ReductionOp::Max, ScalarType::F32), "-inf");
    EXPECT_EQ(text(ReductionOp::Min, ScalarType::I16), "32767i16");
    EXPECT_EQ(text(ReductionOp::Max, ScalarType::I64), "-9223372036854775808i64");
    EXPECT_EQ(text(ReductionOp::Min, ScalarType::U64), "18446744073709551615u64");
    EXPECT_EQ(text(ReductionOp::Any, ScalarType::Bool), "false");
    EXPECT_EQ(text(ReductionOp::All, ScalarType::Bool), "true");
}

TEST(Pipeline, DimensionOfAVariable) {
    Stage stage;
    stage.variables = {"y", "x"};
    EXPECT_EQ(stage.dimension_of("x"), 1u);
    EXPECT_EQ(stage.dimension_of("k"), 2u);
}

TEST(Reduction, NeutralElements) {
    auto text = [](auto op, ScalarType t) { return to_text(neutral_element(op, t)); };
    EXPECT_EQ(text(UpdateOp::Add, ScalarType::F32), "-0.0") << "0 would make a sum of -0 a 0";
    EXPECT_EQ(text(UpdateOp::Add, ScalarType::I64), "0i64");
    EXPECT_EQ(text(UpdateOp::Multiply, ScalarType::F64), "1.0f64");
    EXPECT_EQ(text(UpdateOp::Max, ScalarType::F32), "-inf");
    EXPECT_EQ(text(UpdateOp::Min, ScalarType::U64), "18446744073709551615u64");
    EXPECT_EQ(text(Op::Subtract, ScalarType::F32), "0.0");
    EXPECT_EQ(text(Op::BitAnd, ScalarType::U8), "255u8");
    EXPECT_EQ(text(Op::BitXor, ScalarType::I32), "0");
    EXPECT_EQ(text(Op::LogicalAnd, ScalarType::Bool), "true");
    EXPECT_EQ(text(Op::LogicalOr, ScalarType::Bool), "false");
    EXPECT_EQ(neutral_element(Op::Divide, ScalarType::F32), nullptr);
    EXPECT_THROW(neutral_element(UpdateOp::Assign, ScalarType::F32), std::logic_error);
}

TEST(Reduction, StepsKeepTheOrder) {
    auto a = variable("a"), t = variable("t");
    EXPECT_EQ(to_text(reduction_step(ReductionOp::Sum, {a}, {t})[0]), "a + t");
    EXPECT_EQ(to_text(reduction_step(ReductionOp::Max, {a}, {t})[0]), "max(a, t)");
    EXPECT_EQ(to_text(update_step(UpdateOp::Assign, a, t)), "t");
    EXPECT_EQ(to_text(update_step(UpdateOp::Multiply, a, t)), "a*t");
    auto p = variable("p", ScalarType::Bool), q = variable("q", ScalarType::Bool);
    EXPECT_EQ(to_text(reduction_step(ReductionOp::Any, {p}, {q})[0]), "p or q");
    EXPECT_EQ(to_text(reduction_step(ReductionOp::All, {p}, {q})[0]), "p and q");
}

} // namespace
} // namespace loopscope
