#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Split, MakesAnOuterAndAnInnerLoopInPlace) {
    auto applied = scheduled(matmul(), "C.split(k, ko, ki, 32)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(nest(applied, "C"), "i j ko! ki! l!");
    const auto& relation = applied.state.find("C")->definitions[0].relations.at(0);
    EXPECT_EQ(relation.kind, Relation::Kind::Split);
    EXPECT_EQ(relation.factor, 32);
    EXPECT_FALSE(applied.state.find("C")->definitions[0].reassociates);
}

TEST(Split, KeepsTheOrderOfAFloatSum) {
    EXPECT_FALSE(scheduled(matmul(), "C.split(k, ko, ki, 7)\nC.split(l, lo, li, 2)\n")
                     .state.find("C")
                     ->definitions[0]
                     .reassociates);
}

TEST(Split, ANewNameMayReuseTheOld) {
    EXPECT_EQ(nest(scheduled(matmul(), "C.split(j, jo, j, 8)\n"), "C"), "i jo j k! l!");
    EXPECT_EQ(nest(scheduled(matmul(), "C.split(j, j, ji, 8)\n"), "C"), "i j ji k! l!");
    EXPECT_EQ(nest(scheduled(matmul(), "C.split(j, jo, ji, 8)\nC.split(i, j, io, 4)\n"), "C"),
              "j io jo ji k! l!");
}

TEST(Split, TheOuterLoopKeepsItsKind) {
    EXPECT_EQ(nest(scheduled(chain(), "out.parallel(y)\nout.split(y, yo, yi, 4)\n"), "out"),
              "yo=parallel yi x");
}

TEST(Split, NativeIsTheLanesOfTheStagesType) {
    auto factor = [](const PipelinePtr& pipeline, const std::string& line,
                     const std::string& stage) {
        return scheduled(pipeline, line).state.find(stage)->definitions[0].relations.at(0).factor;
    };
    EXPECT_EQ(factor(chain(), "out.split(x, xo, xi, native)\n", "out"),
              8); // 256 bits where no device is named
    EXPECT_EQ(factor(chain(), "out.split(x, xo, xi, 3*native)\n", "out"), 24);
    EXPECT_EQ(
        factor(reduction(ReductionOp::Max, ScalarType::U8), "M.split(j, jo, ji, native)\n", "M"),
        32);
}

// Once it is split, a loop of its name is one of the two.
TEST(Split, LoopsAtWhichStagesAreStoredAreSplitBefore) {
    const auto inside = std::string("c = b.cache_read(a, local)\nd = c.cache_read(a, local)\n"
                                    "c.compute_at(b, x)\nd.compute_at(c, x)\n");
    const std::string store = "d.store_at(b, y)\n", split = "b.split(y, y, yi, 4)\n";
    EXPECT_EQ(refusal(chain(), inside + store + split),
              "6:9 b.y cannot be split: d is stored at it; write this line before "
              "d.store_at(b, y)");
    EXPECT_EQ(refusal(chain(), inside + split + store), "applied");
}

TEST(Split, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.split(kk, ko, ki, 8)\n"),
              "1:9 C has no loop kk; its loops are i, j, k, l; did you mean k?");
    EXPECT_EQ(refusal(matmul(), "Cc.split(k, ko, ki, 8)\n"),
              "1:1 there is no stage Cc; did you mean C?");
    EXPECT_EQ(refusal(matmul(), "A.split(k, ko, ki, 8)\n"),
              "1:1 A is an input: it is given, not computed; a copy takes directives: B = "
              "S.cache_read(A, local)");
    EXPECT_EQ(refusal(matmul(), "C.update(0).split(k, ko, ki, 8)\n"),
              "1:1 C.update(0) does not exist: C has no update");
    EXPECT_EQ(refusal(matmul(), "C.split(k, j, ki, 8)\n"),
              "1:12 C already has a loop named j; take another name");
    EXPECT_EQ(refusal(matmul(), "C.split(k, ko, ko, 8)\n"),
              "1:16 two new loops cannot both be named ko; take another name for one of them");
    EXPECT_EQ(
        refusal(matmul(), "C.split(k, ko, ki, 0)\n"),
        "1:20 '0' is no factor; a factor is a whole number from 1, native, or such as 4*native");
    EXPECT_EQ(refusal(matmul(), "C.split(k, ko, ki, 3000000000)\n"),
              "1:20 a factor of 3000000000 is out of range; factors are from 1 to 2147483647");
    EXPECT_EQ(refusal(matmul(), "C.split(k, ko, ki, 8, gard)\n"),
              "1:23 there is no tail gard; the tail is guard (the default), shift or pad");
}

TEST(Split, NotOfALoopInUse) {
    EXPECT_EQ(refusal(chain(), "a.compute_at(b, y)\nb.split(y, yo, yi, 8)\n"),
              "1:17 a cannot be computed at b.y: out, which reads it, is outside that loop; legal "
              "for a: compute_root()");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, i)\nout.split(i, io, ii, 8)\n"),
              "2:11 out.i cannot be split: C is computed at it; write this line before "
              "C.compute_at(out, i)");
    EXPECT_EQ(
        refusal(matmul(), "out.vectorize(j)\nout.split(j, jo, ji, 8)\n"),
        "2:11 out.j cannot be split: it is vectorised; write this line before out.vectorize(j)");
    EXPECT_EQ(refusal(chain(), "a.inline()\na.split(x, xo, xi, 8)\n"),
              "2:1 a is inlined: it has no loops; a.compute_root() gives it loops again");
}

TEST(Split, ANestHasALimit) {
    std::string lines;
    for (int i = 0; i < 100; ++i)
        lines += "out.split(x, x, x" + std::to_string(i) + ", 2)\n";
    EXPECT_EQ(refusal(chain(), lines),
              "63:11 out has 64 loops after 62 splits and fusions: that is the limit; at most 64 "
              "loops and 256 splits "
              "and fusions");
}

TEST(Split, RoundTrip) {
    expect_round_trip("C.split(k, ko, ki, 32)");
    expect_round_trip("C.update(3).split(k, ko, k, 4*native)");
    expect_round_trip("st*.split(k, ko, k, native)");
    auto guard = parse_directive("C.split( k,ko,\n  ki, 32 , guard )");
    ASSERT_TRUE(guard.ok());
    EXPECT_EQ((*guard)->text(), "C.split(k, ko, ki, 32)");
    EXPECT_EQ((*guard)->describe(), "split C.k by 32");
    expect_round_trip("C.split(k, ko, ki, 32, shift)");
    expect_round_trip("C.split(k, ko, ki, native, pad)");
    EXPECT_EQ((*parse_directive("C.split(k, ko, ki, 8, shift)"))->describe(),
              "split C.k by 8, shifting the tail");
}

} // namespace
} // namespace loopscope::test
