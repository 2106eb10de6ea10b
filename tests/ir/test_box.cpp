#include "core/ir/box.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace test_box {

using T = ScalarType;

ExprPtr v(const char* name) { return variable(name); }
ExprPtr i32(std::int64_t value) { return constant_int(T::I32, value); }
ExprPtr plus(const char* name, std::int64_t offset) {
    return binary(Op::Add, v(name), i32(offset));
}
ExprPtr add(ExprPtr a, ExprPtr b) { return binary(Op::Add, std::move(a), std::move(b)); }

Stage input(const std::string& name, T type, std::vector<Extent> extents,
            BoundaryKind boundary = BoundaryKind::None) {
    Stage s;
    s.name = name;
    s.is_input = true;
    s.types = {type};
    s.extents = std::move(extents);
    s.boundary.kind = boundary;
    for (std::size_t i = 0; i < s.extents.size(); ++i)
        s.variables.push_back("d" + std::to_string(i));
    return s;
}

Stage pure(const std::string& name, std::vector<std::string> variables, ExprPtr value) {
    Stage s;
    s.name = name;
    s.variables = variables;
    s.types = {value->type};
    Definition d;
    d.values = {std::move(value)};
    d.free = variables;
    s.definitions = {d};
    return s;
}

Definition update(std::vector<ExprPtr> left, ExprPtr value, std::vector<ReductionAxis> axes,
                  std::vector<std::string> free) {
    Definition d;
    d.kind = DefinitionKind::Update;
    d.update = UpdateOp::Add;
    d.left = std::move(left);
    d.values = {std::move(value)};
    d.axes = std::move(axes);
    d.free = std::move(free);
    return d;
}

ReductionAxis axis(const char* name, std::int64_t begin, std::int64_t end) {
    return {name, Extent(begin), Extent(end), {}};
}

Pipeline pipeline(std::vector<Stage> stages, const std::string& output,
                  std::vector<Extent> extents) {
    Pipeline p;
    p.stages = std::move(stages);
    p.outputs = {{output, std::move(extents), {}}};
    p.seal();
    return p;
}

Box box_of(const Pipeline& p, const std::string& stage) {
    auto boxes = required_boxes(p);
    EXPECT_TRUE(boxes) << (boxes ? "" : format(boxes.errors()));
    return boxes ? boxes->at(stage) : Box{};
}

TEST(Boxes, StencilsWidenTheirProducers) {
    auto in = [](ExprPtr i) { return load("in", T::I32, {std::move(i)}); };
    auto a = [](ExprPtr i) { return load("a", T::I32, {std::move(i)}); };
    auto p = pipeline({input("in", T::I32, {Extent(16)}, BoundaryKind::Edge),
                       pure("a", {"x"}, add(in(plus("x", -1)), in(plus("x", 1)))),
                       pure("unused", {"x"}, in(v("x"))),
                       pure("b", {"x"}, add(a(plus("x", -2)), a(v("x"))))},
                      "b", {Extent(16)});
    EXPECT_EQ(box_of(p, "b"), (Box{{0, 15}}));
    EXPECT_EQ(box_of(p, "a"), (Box{{-2, 15}}));
    EXPECT_EQ(box_of(p, "in"), (Box{{-3, 16}}));
    EXPECT_TRUE(box_of(p, "unused")[0].empty());
}

TEST(Boxes, ReductionsReadOverTheirAxes) {
    auto s = pure("s", {"x"}, load("in", T::I32, {v("x"), plus("k", 2)}));
    s.definitions[0].kind = DefinitionKind::Reduction;
    s.definitions[0].axes = {axis("k", 1, 5)};
    auto p = pipeline({input("in", T::I32, {Extent(8), Extent(9)}), s}, "s", {Extent(8)});
    EXPECT_EQ(box_of(p, "in"), (Box{{0, 7}, {3, 6}}));
    s.definitions[0].axes = {axis("k", 5, 1)};
    p = pipeline({input("in", T::I32, {Extent(8), Extent(9)}), s}, "s", {Extent(8)});
    EXPECT_TRUE(box_of(p, "in")[0].empty());
}

TEST(Boxes, UpdatesExtendByWhatTheyWrite) {
    // A histogram of bytes: the box holds all 256 bins though only 10 are asked for.
    auto h = pure("h", {"i"}, i32(0));
    h.definitions.push_back(
        update({cast(T::I32, load("in", T::U8, {v("r")}))}, i32(1), {axis("r", 0, 100)}, {}));
    auto p = pipeline({input("in", T::U8, {Extent(100)}), h}, "h", {Extent(10)});
    EXPECT_EQ(box_of(p, "h"), (Box{{0, 255}}));
    EXPECT_EQ(box_of(p, "in"), (Box{{0, 99}}));
}

TEST(Boxes, SelfReadsThroughOverExtend) {
    // s[r, x] = s[r - 1, x] over r in 1..10: rows from 0, columns as asked for.
    auto s = pure("s", {"y", "x"}, i32(0));
    auto d = update({v("r"), v("x")}, load("s", T::I32, {plus("r", -1), v("x")}),
                    {axis("r", 1, 10)}, {"x"});
    s.definitions.push_back(d);
    auto p = pipeline({s}, "s", {Extent(4), Extent(7)});
    EXPECT_EQ(box_of(p, "s"), (Box{{0, 9}, {0, 6}}));
}

TEST(Boxes, GrowthWithoutEndIsAnError) {
    auto s = pure("s", {"y", "x"}, i32(0));
    s.definitions.push_back(update({v("y"), plus("y", 1)}, i32(1), {}, {"y"}));
    s.definitions.push_back(update({plus("x", 1), v("x")}, i32(1), {}, {"x"}));
    auto boxes = required_boxes(pipeline({s}, "s", {Extent(4), Extent(7)}));
    ASSERT_FALSE(boxes);
    EXPECT_NE(boxes.errors()[0].remedy.find("clamp"), std::string::npos);
}

TEST(Boxes, DataDependentIndices) {
    auto gather = [](T type, BoundaryKind boundary) {
        auto index = cast(T::I32, load("in", type, {v("x")}));
        return pipeline({input("in", type, {Extent(8)}),
                         input("lut", T::I32, {Extent(300)}, boundary),
                         pure("s", {"x"}, load("lut", T::I32, {index}))},
                        "s", {Extent(8)});
    };
    EXPECT_EQ(box_of(gather(T::U8, BoundaryKind::None), "lut"), (Box{{0, 255}}));
    EXPECT_EQ(box_of(gather(T::I32, BoundaryKind::Edge), "lut"), (Box{{0, 299}}));
    auto boxes = required_boxes(gather(T::I32, BoundaryKind::None));
    ASSERT_FALSE(boxes);
    EXPECT_NE(format(boxes.errors()).find("clamp"), std::string::npos);
}

TEST(Boxes, IndicesThroughLetsAndStages) {
    // A stage whose values are bounded by a clamp may be an index; so may a let.
    auto bounded = binary(Op::Min, binary(Op::Max, load("in", T::I32, {v("x")}), i32(2)), i32(5));
    auto q = let("t", load("q", T::I32, {v("x")}), load("lut", T::I32, {add(v("t"), v("t"))}));
    auto p = pipeline({input("in", T::I32, {Extent(8)}), input("lut", T::I32, {Extent(30)}),
                       pure("q", {"x"}, bounded), pure("s", {"x"}, q)},
                      "s", {Extent(8)});
    EXPECT_EQ(box_of(p, "lut"), (Box{{4, 10}}));
}

TEST(Boxes, ConditionsDoNotNarrow) {
    auto s = pure("s", {"x"}, load("in", T::I32, {v("k")}));
    s.definitions[0].kind = DefinitionKind::Reduction;
    s.definitions[0].axes = {axis("k", 0, 9)};
    s.definitions[0].condition = binary(Op::Less, v("k"), load("n", T::I32, {v("x")}));
    auto p = pipeline({input("in", T::I32, {Extent(9)}), input("n", T::I32, {Extent(3)}), s}, "s",
                      {Extent(3)});
    EXPECT_EQ(box_of(p, "in"), (Box{{0, 8}}));
    EXPECT_EQ(box_of(p, "n"), (Box{{0, 2}})); // read by the condition
}

TEST(Boxes, SymbolsStandAtTheirHints) {
    auto l = Extent::symbol("L", 12);
    auto p = pipeline(
        {input("in", T::I32, {l}), pure("s", {"x"}, load("in", T::I32, {add(v("x"), v("L"))}))},
        "s", {l});
    p.symbols = {{"L", 1, 100, 12}};
    EXPECT_EQ(box_of(p, "s"), (Box{{0, 11}}));
    EXPECT_EQ(box_of(p, "in"), (Box{{12, 23}}));
}

TEST(Boxes, OfOneDefinition) {
    auto s = pure("s", {"y", "x"}, load("in", T::I32, {plus("y", 1), plus("x", -1)}));
    auto p = pipeline({input("in", T::I32, {Extent(8), Extent(8)}, BoundaryKind::Zero), s}, "s",
                      {Extent(4), Extent(4)});
    auto ranges = axis_ranges(s, s.definitions[0], {{0, 3}, {2, 2}});
    EXPECT_EQ(ranges.at("x"), (Interval{2, 2}));
    auto read = boxes_read(p, s, s.definitions[0], ranges);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->at("in"), (Box{{1, 4}, {1, 1}}));
}

TEST(ValueRange, FollowsDefinitions) {
    auto sum = pure("sum", {"x"}, cast(T::I32, load("in", T::U8, {v("k")})));
    sum.definitions[0].kind = DefinitionKind::Reduction;
    sum.definitions[0].axes = {axis("k", 0, 10)};
    auto counts = pure("counts", {"x"}, i32(0));
    counts.definitions.push_back(
        update({cast(T::I32, load("in", T::U8, {v("r")}))}, i32(1), {axis("r", 0, 10)}, {}));
    auto p =
        pipeline({input("in", T::U8, {Extent(10)}), sum, counts,
                  pure("any", {"x"}, load("sum", T::I32, {v("x")})), pure("free", {"x"}, v("x"))},
                 "any", {Extent(4)});
    EXPECT_EQ(value_range(p, "in", 0), (Interval{0, 255}));
    EXPECT_EQ(value_range(p, "sum", 0), (Interval{0, 2550}));
    EXPECT_EQ(value_range(p, "any", 0), (Interval{0, 2550}));
    EXPECT_EQ(value_range(p, "counts", 0), (Interval{0, 10}));
    EXPECT_FALSE(value_range(p, "free", 0));
}

TEST(ValueRange, LongChainsNeedNoDeepStack) {
    std::vector<Stage> stages = {input("s0", T::I32, {Extent(4)})};
    stages.push_back(pure("s1", {"x"}, binary(Op::Modulo, load("s0", T::I32, {v("x")}), i32(7))));
    for (int i = 2; i < 20000; ++i)
        stages.push_back(pure("s" + std::to_string(i), {"x"},
                              load("s" + std::to_string(i - 1), T::I32, {v("x")})));
    auto p = pipeline(std::move(stages), "s19999", {Extent(4)});
    EXPECT_EQ(value_range(p, "s19999", 0), (Interval{0, 6}));
}

} // namespace test_box
} // namespace loopscope
