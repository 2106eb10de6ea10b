// Tuples, and the pairs of argmin and argmax: what they make, and what is known of their values.
#include "core/ir/box.h"
#include "tests/language/loop_support.h"

namespace loopscope::test {
namespace test_loop_tuples {

using T = ScalarType;
using Types = std::vector<ScalarType>;

std::vector<std::string> texts(const Definition& d) {
    std::vector<std::string> out;
    for (const auto& v : d.values)
        out.push_back(to_text(v));
    return out;
}

const Definition& first(const PipelinePtr& p, const std::string& stage) {
    return p->find(stage)->definitions.at(0);
}

using Texts = std::vector<std::string>;

TEST(LoopTuples, ComponentsHaveTypesOfTheirOwn) {
    auto p = loaded(around("stage t[i]: (f32, u8, bool) = (a[i], 7, i > 3)\n"
                           "stage q[i] = (b[i], 1.5)\n"
                           "stage s[i] = select(t[i].2, t[i].0, f32(t[i].1)) + q[i+1].1"));
    EXPECT_EQ(p->find("t")->types, (Types{T::F32, T::U8, T::Bool}));
    EXPECT_EQ(texts(first(p, "t")), (Texts{"a[i]", "7u8", "i > 3"}));
    EXPECT_EQ(p->find("q")->types, (Types{T::I32, T::F32}));
    EXPECT_EQ(texts(first(p, "s")), (Texts{"select(t[i].2, t[i], f32(t[i].1)) + q[i + 1].1"}));
    std::vector<std::pair<std::string, int>> loads;
    visit(first(p, "s").values[0], [&](const Expr& e) {
        if (e.kind == ExprKind::Load)
            loads.emplace_back(e.name, e.component);
        return true;
    });
    EXPECT_NE(std::find(loads.begin(), loads.end(), std::pair(std::string("t"), 2)), loads.end());
}

TEST(LoopTuples, UpdatesHaveAValueForEachComponent) {
    auto p =
        loaded(around("stage t[i] = (a[i], b[i])\n"
                      "update t[i] += (1, 2)\n"
                      "update t[r] = (t[r-1].0, t[r].1 + t[r-1].1) over r in 1..8 where r != 3\n"
                      "stage s[i] = t[i].1"));
    const auto& t = *p->find("t");
    ASSERT_EQ(t.definitions.size(), 3u);
    EXPECT_EQ(texts(t.definitions[1]), (Texts{"1.0", "2"}));
    EXPECT_EQ(t.definitions[1].update, UpdateOp::Add);
    EXPECT_EQ(texts(t.definitions[2]), (Texts{"t[r - 1]", "t[r].1 + t[r - 1].1"}));
}

TEST(LoopTuples, ALetAroundATupleStandsInEachComponentThatUsesIt) {
    auto p = loaded(around("stage t[i] = let t1 = a[i]*a[i] in let t2 = t1 + 1 in (t2*t2, t1, i)\n"
                           "stage s[i] = t[i].0"));
    EXPECT_EQ(texts(first(p, "t")), (Texts{"let t1 = a[i]*a[i] in let t2 = t1 + 1.0 in t2*t2",
                                           "let t1_1 = a[i]*a[i] in t1_1", "i"}));
}

TEST(LoopTuples, DefsGiveTuples) {
    auto p = loaded(around("def both(x, y) = (min(x, y), max(x, y))\n"
                           "def pairs(f)[i] = let t = f[i] in (t, f[i+1] - t)\n"
                           "def same(f)[i] = f[i]\n"
                           "def swapped(s)[i] = (s[i].1, s[i].0)\n"
                           "stage t[i] = both(a[i], 1)\n"
                           "stage q[i] = same(pairs(b))[2*i]\n"
                           "stage w[i] = swapped(q)[i]\n"
                           "stage s[i] = pairs(a)[i].1 + swapped(t)[i].0"));
    EXPECT_EQ(texts(first(p, "t")), (Texts{"min(a[i], 1.0)", "max(a[i], 1.0)"}));
    EXPECT_EQ(texts(first(p, "q")),
              (Texts{"let t = b[2*i] in t", "let t_1 = b[2*i] in b[2*i + 1] - t_1"}));
    EXPECT_EQ(texts(first(p, "w")), (Texts{"q[i].1", "q[i]"}));
    EXPECT_EQ(texts(first(p, "s")), (Texts{"(let t_2 = a[i] in a[i + 1] - t_2) + t[i].1"}));
}

TEST(LoopTuples, SixteenComponentsAreTheMost) {
    auto p = loaded(around("stage t[i] = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)\n"
                           "stage s[i] = t[i].15"));
    EXPECT_EQ(p->find("t")->types.size(), 16u);
}

TEST(LoopTuples, OutputsMayBeTuples) {
    auto p = loaded(around("stage s[i] = (a[i], b[i])"));
    EXPECT_EQ(p->outputs.at(0).stage, "s");
    EXPECT_EQ(p->find("s")->types.size(), 2u);
}

TEST(LoopArgMax, GivesTheValueAndTheAxis) {
    auto p = loaded(around("stage t[i]: (f32, i32) = argmax[k in 2..8 where k != i](a[k]*2)\n"
                           "stage l[i]: (i64, i32) = argmin[k in 0..3](5)\n"
                           "stage s[i] = t[i].0"));
    const auto& t = *p->find("t");
    EXPECT_EQ(t.types, (Types{T::F32, T::I32}));
    EXPECT_EQ(first(p, "t").kind, DefinitionKind::Reduction);
    EXPECT_EQ(first(p, "t").reduction, ReductionOp::ArgMax);
    EXPECT_EQ(texts(first(p, "t")), (Texts{"a[k]*2.0", "k"}));
    EXPECT_EQ(to_text(first(p, "t").condition), "k != i");
    EXPECT_EQ(first(p, "l").reduction, ReductionOp::ArgMin);
    EXPECT_EQ(texts(first(p, "l")), (Texts{"5i64", "k"}));
}

TEST(LoopArgMax, TheIndexOfSeveralAxesIsThePositionInOrder) {
    auto p = loaded(around("stage s[i] = argmax[r in 2..5, c in 0..4, d in -1..1](g[r+c, d])"));
    EXPECT_EQ(texts(first(p, "s"))[1], "((r - 2)*4 + c)*2 + (d - -1)");
}

TEST(LoopArgMax, TheRangeOfTheIndexIsKnown) {
    auto p = loaded(around("stage all_of[i] = argmax[k in 2..8](a[k])\n"
                           "stage some_of[i] = argmax[k in 2..8 where a[k] > 0](u[k])\n"
                           "stage none_of[i] = argmin[k in 8..2](u[k])\n"
                           "stage flat[i] = argmin[r in 3..6, c in -1..4](g[r, c])\n"
                           "stage t[i] = (b[i] % 5, u[i])\n"
                           "update t[i] max= (2, 3)\n"
                           "stage s[i] = f32(all_of[i].1 + some_of[i].1 + none_of[i].1 + "
                           "flat[i].1 + t[i].0)"));
    EXPECT_EQ(value_range(*p, "all_of", 1), (Interval{2, 7}));
    EXPECT_EQ(value_range(*p, "all_of", 0), std::nullopt);
    EXPECT_EQ(value_range(*p, "some_of", 1), (Interval{kNoRank, 7}));
    EXPECT_EQ(value_range(*p, "some_of", 0), (Interval{0, 255}));
    EXPECT_EQ(value_range(*p, "none_of", 1), (Interval{kNoRank, kNoRank}));
    EXPECT_EQ(value_range(*p, "none_of", 0), (Interval{0, 255}));
    EXPECT_EQ(value_range(*p, "flat", 1), (Interval{0, 14}));
    EXPECT_EQ(value_range(*p, "t", 0), (Interval{0, 4}));
    EXPECT_EQ(value_range(*p, "t", 1), (Interval{0, 255}));
}

TEST(LoopArgMax, AnIndexFoundMayBeReadWith) {
    std::string inputs = "pipeline p\ninput a[i]: f32[8]\n";
    auto p = loaded(inputs + "stage t[i] = argmax[k in 0..8](a[k])\n"
                             "stage s[i] = a[t[i].1]\noutput s: [8]\n");
    auto boxes = required_boxes(*p);
    ASSERT_TRUE(boxes) << format(boxes.errors());
    EXPECT_EQ(boxes->at("a"), (Box{{0, 7}}));
    loaded(inputs + "stage t[i] = argmax[k in 0..8 where k != i](a[k])\n"
                    "stage s[i] = a[clamp(t[i].1, 0, 7)]\noutput s: [8]\n");
    loaded(inputs + "stage t[i] = argmax[k in 0..8 where k != i](a[k])\n"
                    "stage s[i] = select(t[i].1 < 0, 0.0, a[select(t[i].1 < 0, 0, t[i].1)])\n"
                    "output s: [8]\n");
    EXPECT_NE(errors(inputs + "stage t[i] = argmax[k in 1..9](a[k-1])\n"
                              "stage s[i] = a[t[i].1]\noutput s: [8]\n")
                  .find("is read outside: index 0 runs over 1..8"),
              std::string::npos);
}

TEST(LoopArgMax, AllPositionsThatI32Counts) {
    auto p = loaded(around("stage s[i] = argmax[k in 0..65536, l in 0..32767](a[k%8])"));
    EXPECT_EQ(value_range(*p, "s", 1), (Interval{0, 65536LL * 32767 - 1}));
}

} // namespace test_loop_tuples
} // namespace loopscope::test
