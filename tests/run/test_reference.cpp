// Definitions, boundaries, reductions and updates, against values worked out by hand.
#include "tests/run/build.h"

#include <atomic>
#include <limits>
#include <numeric>

namespace loopscope::test {
namespace test_reference {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

// in = 1 2 3 read from -5 to 7.
Ints read_around(BoundaryKind kind, ExprPtr value = nullptr) {
    auto p = pipeline({input("in", T::I32, {3}, kind, value),
                       pure("s", {"x"}, load("in", T::I32, {plus("x", -5)}))},
                      "s", {13});
    return run<std::int32_t>(p, {{"in", buffer<std::int32_t>(T::I32, {3}, {1, 2, 3})}});
}

TEST(Reference, Boundaries) {
    //                                                   -5 -4 -3 -2 -1 | 0  1  2 | 3  4  5  6  7
    EXPECT_EQ(read_around(BoundaryKind::Edge), (Ints{1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3}));
    EXPECT_EQ(read_around(BoundaryKind::Zero), (Ints{0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0}));
    EXPECT_EQ(read_around(BoundaryKind::Constant, i32(-9)),
              (Ints{-9, -9, -9, -9, -9, 1, 2, 3, -9, -9, -9, -9, -9}));
    EXPECT_EQ(read_around(BoundaryKind::Mirror), (Ints{2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2}));
    EXPECT_EQ(read_around(BoundaryKind::Reflect), (Ints{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2}));
    EXPECT_EQ(read_around(BoundaryKind::Wrap), (Ints{2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2}));
}

TEST(Reference, BoundariesOfOneElement) {
    for (auto kind :
         {BoundaryKind::Edge, BoundaryKind::Mirror, BoundaryKind::Reflect, BoundaryKind::Wrap}) {
        auto p = pipeline(
            {input("in", T::I32, {1}, kind), pure("s", {"x"}, load("in", T::I32, {plus("x", -2)}))},
            "s", {5});
        EXPECT_EQ(run<std::int32_t>(p, {{"in", buffer<std::int32_t>(T::I32, {1}, {7})}}),
                  (Ints{7, 7, 7, 7, 7}))
            << name(kind);
    }
}

TEST(Reference, BoundaryPerDimension) {
    auto p = pipeline({input("in", T::I32, {2, 2}, BoundaryKind::Zero),
                       pure("s", {"y", "x"}, load("in", T::I32, {plus("y", -1), plus("x", -1)}))},
                      "s", {4, 4});
    EXPECT_EQ(run<std::int32_t>(p, {{"in", buffer<std::int32_t>(T::I32, {2, 2}, {1, 2, 3, 4})}}),
              (Ints{0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0}));
}

TEST(Reference, HugeIndicesOfBoundaries) {
    // 2^63 + 1 as u64: the edge, and 2^63 + 1 = 0 modulo 3.
    for (auto [kind, expected] :
         {std::pair{BoundaryKind::Edge, 3}, {BoundaryKind::Wrap, 1}, {BoundaryKind::Zero, 0}}) {
        auto p = pipeline({input("in", T::I32, {3}, kind), input("at", T::U64, {1}),
                           pure("s", {"x"}, load("in", T::I32, {load("at", T::U64, {v("x")})}))},
                          "s", {1});
        auto at = buffer<std::uint64_t>(T::U64, {1}, {(std::uint64_t{1} << 63) + 1});
        EXPECT_EQ(run<std::int32_t>(
                      p, {{"in", buffer<std::int32_t>(T::I32, {3}, {1, 2, 3})}, {"at", at}}),
                  (Ints{expected}))
            << name(kind);
    }
}

TEST(Reference, IntermediateStagesReachBeyondTheOutput) {
    auto s = [](std::int64_t d) { return load("sq", T::I32, {plus("x", d)}); };
    auto p = pipeline(
        {pure("sq", {"x"}, multiply(v("x"), v("x"))), pure("out", {"x"}, add(s(-2), s(2)))}, "out",
        {4});
    EXPECT_EQ(run<std::int32_t>(p), (Ints{8, 10, 16, 26}));
}

TEST(Reference, AnOutputMayBeReadToo) {
    auto p = pipeline(
        {pure("a", {"x"}, plus("x", 10)), pure("b", {"x"}, load("a", T::I32, {plus("x", -3)}))},
        "b", {2});
    p.outputs.push_back({"a", {Extent(3)}, {}});
    auto out = evaluate(p, {});
    ASSERT_TRUE(out);
    EXPECT_EQ(Ints(out->at("a").as<std::int32_t>(), out->at("a").as<std::int32_t>() + 3),
              (Ints{10, 11, 12}));
    EXPECT_EQ(Ints(out->at("b").as<std::int32_t>(), out->at("b").as<std::int32_t>() + 2),
              (Ints{7, 8}));
}

TEST(Reference, LongRowsAndColumns) {
    // Longer than a batch of lanes, in both directions.
    for (auto [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{3, 1000}, {1000, 3}, {1, 256}, {257, 257}}) {
        auto p = pipeline({pure("s", {"y", "x"}, add(multiply(v("y"), i32(columns)), v("x")))}, "s",
                          {rows, columns});
        Ints expected(static_cast<std::size_t>(rows * columns));
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(run<std::int32_t>(p), expected);
    }
}

TEST(Reference, SumsRunInOrder) {
    // ((1e8 + 1) - 1e8) + 1 = 1 in f32 only in this order.
    auto p = pipeline(
        {input("in", T::F32, {4}),
         reduction("s", {"x"}, ReductionOp::Sum, {axis("k", 0, 4)}, load("in", T::F32, {v("k")}))},
        "s", {3});
    EXPECT_EQ(run<float>(p, {{"in", buffer<float>(T::F32, {4}, {1e8f, 1, -1e8f, 1})}}),
              (Floats{1, 1, 1}));
    EXPECT_EQ(run<float>(p, {{"in", buffer<float>(T::F32, {4}, {1e8f, -1e8f, 1, 1})}}),
              (Floats{2, 2, 2}));
}

TEST(Reference, ReductionAxesNestInOrder) {
    // With k outermost 2^24 + 1 - 2^24 + 1 = 1, as 2^24 absorbs the first 1; with l outermost 2^24
    // - 2^24 + 1 + 1 = 2.
    auto p = pipeline({input("in", T::F32, {2, 2}),
                       reduction("s", {"x"}, ReductionOp::Sum, {axis("k", 0, 2), axis("l", 0, 2)},
                                 load("in", T::F32, {v("k"), v("l")})),
                       reduction("t", {"x"}, ReductionOp::Sum, {axis("l", 0, 2), axis("k", 0, 2)},
                                 load("in", T::F32, {v("k"), v("l")}))},
                      "s", {1});
    p.outputs.push_back({"t", {Extent(1)}, {}});
    auto out = evaluate(p, {{"in", buffer<float>(T::F32, {2, 2}, {16777216, 1, -16777216, 1})}});
    ASSERT_TRUE(out);
    EXPECT_EQ(out->at("s").as<float>()[0], 1);
    EXPECT_EQ(out->at("t").as<float>()[0], 2);
}

TEST(Reference, EveryReduction) {
    auto of = [](ReductionOp op, std::int64_t end, ExprPtr condition = nullptr) {
        auto p =
            pipeline({input("in", T::I32, {4}), reduction("s", {"x"}, op, {axis("k", 0, end)},
                                                          load("in", T::I32, {v("k")}), condition)},
                     "s", {1});
        return run<std::int32_t>(p, {{"in", buffer<std::int32_t>(T::I32, {4}, {5, -2, 7, 3})}})[0];
    };
    EXPECT_EQ(of(ReductionOp::Sum, 4), 13);
    EXPECT_EQ(of(ReductionOp::Product, 4), -210);
    EXPECT_EQ(of(ReductionOp::Min, 4), -2);
    EXPECT_EQ(of(ReductionOp::Max, 4), 7);
    // An empty axis leaves the identity.
    EXPECT_EQ(of(ReductionOp::Sum, -3), 0);
    EXPECT_EQ(of(ReductionOp::Product, 0), 1);
    EXPECT_EQ(of(ReductionOp::Min, 0), INT32_MAX);
    EXPECT_EQ(of(ReductionOp::Max, 0), INT32_MIN);
    // where k % 2 == 0
    EXPECT_EQ(
        of(ReductionOp::Sum, 4, binary(Op::Equal, binary(Op::Modulo, v("k"), i32(2)), i32(0))), 12);
}

TEST(Reference, AnyAndAll) {
    auto of = [](ReductionOp op, std::int64_t end, std::int64_t threshold) {
        auto p = pipeline({reduction("s", {"x"}, op, {axis("k", 0, end)},
                                     binary(Op::Less, v("k"), i32(threshold)))},
                          "s", {2});
        return run<std::uint8_t>(p)[1];
    };
    EXPECT_EQ(of(ReductionOp::Any, 4, 1), 1);
    EXPECT_EQ(of(ReductionOp::Any, 4, 0), 0);
    EXPECT_EQ(of(ReductionOp::Any, 0, 1), 0);
    EXPECT_EQ(of(ReductionOp::All, 4, 4), 1);
    EXPECT_EQ(of(ReductionOp::All, 4, 3), 0);
    EXPECT_EQ(of(ReductionOp::All, 0, 0), 1);
}

TEST(Reference, FloatMinOfNothingIsInfinite) {
    auto p =
        pipeline({reduction("s", {"x"}, ReductionOp::Min, {axis("k", 0, 0)}, f32(1))}, "s", {1});
    EXPECT_EQ(run<float>(p)[0], std::numeric_limits<float>::infinity());
}

TEST(Reference, Histogram) {
    auto h = updated(pure("h", {"i"}, i32(0)), {cast(T::I32, load("in", T::U8, {v("r"), v("c")}))},
                     UpdateOp::Add, i32(1), {axis("r", 0, 2), axis("c", 0, 3)});
    auto p = pipeline({input("in", T::U8, {2, 3}), h}, "h", {4});
    EXPECT_EQ(
        run<std::int32_t>(p, {{"in", buffer<std::uint8_t>(T::U8, {2, 3}, {1, 1, 3, 0, 1, 200})}}),
        (Ints{1, 3, 0, 1}));
}

TEST(Reference, ScansSeeEarlierSteps) {
    auto start = pure("s", {"y", "x"}, add(multiply(v("y"), i32(10)), v("x")));
    auto s = updated(start, {v("y"), v("r")}, UpdateOp::Add,
                     load("s", T::I32, {v("y"), plus("r", -1)}), {axis("r", 1, 4)});
    EXPECT_EQ(run<std::int32_t>(pipeline({s}, "s", {2, 4})), (Ints{0, 1, 3, 6, 10, 21, 33, 46}));
    // Down the columns: the free variable is the contiguous one.
    s = updated(start, {v("r"), v("x")}, UpdateOp::Add, load("s", T::I32, {plus("r", -1), v("x")}),
                {axis("r", 1, 2)});
    EXPECT_EQ(run<std::int32_t>(pipeline({s}, "s", {2, 4})), (Ints{0, 1, 2, 3, 10, 12, 14, 16}));
}

TEST(Reference, UpdatesRunInTheOrderWritten) {
    auto s = pure("s", {"x"}, v("x"));
    s = updated(s, {v("x")}, UpdateOp::Multiply, i32(3));
    s = updated(s, {v("x")}, UpdateOp::Add, i32(1));
    s = updated(s, {i32(1)}, UpdateOp::Assign, i32(100));
    s = updated(s, {v("x")}, UpdateOp::Min, i32(50));
    s = updated(s, {v("x")}, UpdateOp::Max, i32(2));
    EXPECT_EQ(run<std::int32_t>(pipeline({s}, "s", {4})), (Ints{2, 50, 7, 10}));
}

TEST(Reference, WhereMasksUpdates) {
    auto even = binary(Op::Equal, binary(Op::Modulo, add(v("x"), v("r")), i32(2)), i32(0));
    auto s =
        updated(pure("s", {"x"}, i32(0)), {v("x")}, UpdateOp::Add, v("r"), {axis("r", 0, 4)}, even);
    EXPECT_EQ(run<std::int32_t>(pipeline({s}, "s", {3})), (Ints{2, 4, 2})); // 0 + 2, 1 + 3, 0 + 2
}

TEST(Reference, LaterScattersWin) {
    auto s = updated(pure("s", {"x"}, i32(-1)), {binary(Op::Modulo, v("r"), i32(3))},
                     UpdateOp::Assign, v("r"), {axis("r", 0, 8)});
    EXPECT_EQ(run<std::int32_t>(pipeline({s}, "s", {4})), (Ints{6, 7, 5, -1}));
}

TEST(Reference, SelfReadsThatMoveAFreeVariableRunOneByOne) {
    // Not legal in the language, but never wrong here: s[x] = s[max(x - 1, 0)] + 1 in the order of
    // x.
    auto s = updated(pure("s", {"x"}, i32(0)), {v("x")}, UpdateOp::Assign,
                     add(load("s", T::I32, {binary(Op::Max, plus("x", -1), i32(0))}), i32(1)));
    EXPECT_EQ(run<std::int32_t>(pipeline({s}, "s", {4})), (Ints{1, 2, 3, 4}));
}

TEST(Reference, TuplesUpdateTogether) {
    // (a, b) = (b, a + b): Fibonacci, the right side reads old values.
    Stage s = pure("s", {"x"}, i32(0));
    s.types = {T::I32, T::I32};
    s.definitions[0].values = {i32(0), i32(1)};
    s = updated(s, {v("x")}, UpdateOp::Assign, i32(0), {axis("r", 0, 10)});
    auto part = [](int component) { return load("s", T::I32, {v("x")}, component); };
    s.definitions[1].values = {part(1), add(part(0), part(1))};
    auto out = evaluate(pipeline({s}, "s", {1}), {});
    ASSERT_TRUE(out);
    EXPECT_EQ(out->at("s.0").as<std::int32_t>()[0], 55);
    EXPECT_EQ(out->at("s.1").as<std::int32_t>()[0], 89);
}

TEST(Reference, MatrixProduct) {
    auto product =
        multiply(load("a", T::F32, {v("i"), v("k")}), load("b", T::F32, {v("k"), v("j")}));
    auto p = pipeline({input("a", T::F32, {2, 3}), input("b", T::F32, {3, 2}),
                       reduction("c", {"i", "j"}, ReductionOp::Sum, {axis("k", 0, 3)}, product)},
                      "c", {2, 2});
    EXPECT_EQ(run<float>(p, {{"a", buffer<float>(T::F32, {2, 3}, {1, 2, 3, 4, 5, 6})},
                             {"b", buffer<float>(T::F32, {3, 2}, {7, 8, 9, 10, 11, 12})}}),
              (Floats{58, 64, 139, 154}));
}

TEST(Reference, BadInputsAreNamed) {
    auto p = pipeline({input("in", T::I32, {3}), pure("s", {"x"}, load("in", T::I32, {v("x")}))},
                      "s", {3});
    auto message = [&](const std::map<std::string, Buffer>& inputs) {
        auto out = evaluate(p, inputs);
        return out ? std::string() : format(out.errors());
    };
    EXPECT_NE(message({}).find("'in' is missing"), std::string::npos);
    EXPECT_NE(message({{"in", buffer<float>(T::F32, {3}, {1, 2, 3})}}).find("i32[3]"),
              std::string::npos);
    EXPECT_NE(message({{"in", buffer<std::int32_t>(T::I32, {2}, {1, 2})}}).find("i32[2]"),
              std::string::npos);
    EXPECT_EQ(message({{"in", buffer<std::int32_t>(T::I32, {3}, {1, 2, 3})}}), "");
}

TEST(Reference, ReadsOutsideAreCaught) {
    auto p = pipeline(
        {input("in", T::I32, {3}), pure("s", {"x"}, load("in", T::I32, {plus("x", 1)}))}, "s", {3});
    auto out = evaluate(p, {{"in", buffer<std::int32_t>(T::I32, {3}, {1, 2, 3})}});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.errors()[0].code, "read-outside");
    EXPECT_NE(out.errors()[0].message.find("'in' at 3 in dimension 0"), std::string::npos);
}

TEST(Reference, EmptyInputs) {
    auto of = [](BoundaryKind kind) {
        return pipeline(
            {input("in", T::I32, {0}, kind), pure("s", {"x"}, load("in", T::I32, {v("x")}))}, "s",
            {2});
    };
    auto in = make_buffer(T::I32, {0}).value();
    EXPECT_EQ(run<std::int32_t>(of(BoundaryKind::Zero), {{"in", in}}), (Ints{0, 0}));
    auto out = evaluate(of(BoundaryKind::Edge), {{"in", in}});
    ASSERT_FALSE(out);
    EXPECT_NE(out.errors()[0].message.find("no elements"), std::string::npos);
    // Also where the index is data, which no box bounds.
    auto p = of(BoundaryKind::Edge);
    p.stages[1].definitions[0].values = {load("in", T::I32, {load("at", T::I32, {v("x")})})};
    p.stages.insert(p.stages.begin(), input("at", T::I32, {2}));
    p.seal();
    out = evaluate(p, {{"in", in}, {"at", make_buffer(T::I32, {2}).value()}});
    ASSERT_FALSE(out);
    EXPECT_NE(out.errors()[0].message.find("no elements"), std::string::npos);
}

TEST(Reference, StopsAtTheMemoryLimitAndWhenCancelled) {
    auto p = pipeline({pure("s", {"y", "x"}, v("x"))}, "s", {1000, 1000});
    ReferenceOptions options;
    options.memory_limit = 3'999'999;
    auto out = evaluate(p, {}, options);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.errors()[0].code, "memory-limit");
    std::atomic<bool> cancel = true;
    options = {};
    options.cancel = &cancel;
    out = evaluate(p, {}, options);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.errors()[0].code, "cancelled");
}

TEST(Reference, FreesStagesAfterTheirLastReader) {
    std::vector<Stage> stages = {pure("s0", {"x"}, v("x"))};
    for (int i = 1; i <= 20; ++i)
        stages.push_back(pure("s" + std::to_string(i), {"x"},
                              load("s" + std::to_string(i - 1), T::I32, {v("x")})));
    ReferenceOptions options;
    options.memory_limit = 3 * 4000;
    EXPECT_EQ(run<std::int32_t>(pipeline(std::move(stages), "s20", {1000}), {}, options).back(),
              999);
}

TEST(Reference, SymbolsStandAtTheirHints) {
    auto p = pipeline({pure("s", {"x"}, add(v("x"), v("L")))}, "s", {3});
    p.symbols = {{"L", 1, 100, 12}};
    EXPECT_EQ(run<std::int32_t>(p), (Ints{12, 13, 14}));
}

} // namespace test_reference
} // namespace loopscope::test
