// Counts: by hand, and against the interpreter of loop programs.

#include "model_support.h"

using namespace loopscope;
using namespace loopscope::test;
using model::count;

namespace {

TEST(Count, MatmulByHand) {
    auto tree = tree_of(kMatmul, "C.tile(i, j, io, jo, ii, ji, 16, 16)\n",
                        {{"M", 20}, {"N", 30}, {"K", 7}});
    ASSERT_TRUE(tree);
    auto c = count(*tree);
    EXPECT_EQ(c.flops, 2.0 * 20 * 30 * 7);        // a multiplication and an addition a step
    EXPECT_EQ(c.stores, 20 * 30 + 20 * 30 * 7.0); // the initialisation, and every step
    EXPECT_TRUE(c.flops_exact && c.stores_exact);
    EXPECT_EQ(c.distinct_bytes["A"], 20 * 7 * 4);
    EXPECT_EQ(c.distinct_bytes["B"], 7 * 30 * 4);
    EXPECT_EQ(c.distinct_bytes["C"], 20 * 30 * 4);
    // Loops run to their extents; the guard holds at each point once.
    EXPECT_EQ((c.nodes[{"C", 0, "jo"}].trips), 2); // started once for each io
    EXPECT_EQ((c.nodes[{"C", 0, "k"}].trips), 2 * 2 * 16 * 16);
    EXPECT_EQ((c.nodes[{"C", 0, "@compute"}].trips), 20 * 30 * 7);
    EXPECT_EQ((c.nodes[{"C", 0, "k"}].footprint_bytes["A"]), 7 * 4);
    EXPECT_EQ((c.nodes[{"C", 0, "ii"}].footprint_bytes["C"]), 16 * 16 * 4);
}

TEST(Count, ContractionKeepsTheFlops) {
    auto plain = tree_of(kMatmul), fused = tree_of(kMatmul, "C.contract()\n");
    ASSERT_TRUE(plain && fused);
    EXPECT_EQ(count(*plain).flops, count(*fused).flops);
}

TEST(Count, ProducersInAGuardedTileRunItsWholeExtent) {
    auto tree =
        tree_of(kBlur, "out.tile(y, x, yo, xo, yi, xi, 16, 48)\nblur_x.compute_at(out, xo)\n");
    ASSERT_TRUE(tree);
    auto c = count(*tree); // 64 × 128 in 4 × 3 tiles, the last of them a third full
    EXPECT_EQ((c.nodes[{"blur_x", 0, "@compute"}].trips), 12.0 * 18 * 48);
    EXPECT_EQ((c.nodes[{"out", 0, "@compute"}].trips), 64 * 128);
    EXPECT_EQ(c.stores, 12.0 * 18 * 48 + 64 * 128);
    EXPECT_EQ(c.distinct_bytes["blur_x"], 18 * 48 * 2) << "the same memory serves every tile";
    EXPECT_EQ(c.distinct_bytes["img"], 66 * 130 * 2);
    expect_counts_hold(*tree);
}

const char* const kTriangle = R"(pipeline triangle
param N = 40
input A[i, k]: f32[N, N]
input B[k]: f32[N]
stage S[i]: f32 = sum[k in 0..N where k <= i](A[i, k] * B[k])
stage D[i]: f32 = S[i]
update D[r] += 1.0 over r in 0..N where r % 3 == 1 or r > 35
output D: [N]
)";

TEST(Count, AffineConditionsAreSolvedAndOthersEnumerated) {
    auto tree = tree_of(kTriangle);
    ASSERT_TRUE(tree);
    auto c = count(*tree);
    double triangle = 40 * 41 / 2;
    double update = 0;
    for (int r = 0; r < 40; ++r)
        update += r % 3 == 1 || r > 35 ? 1 : 0;
    EXPECT_TRUE(c.flops_exact && c.stores_exact);
    EXPECT_EQ(c.flops, 2 * triangle + update);
    EXPECT_EQ(c.stores, 40 + triangle + 40 + update);
    expect_counts_hold(*tree);
}

TEST(Count, ConditionsOnDataAreBoundedByAllPoints) {
    auto tree = tree_of(R"(pipeline masked
input m[i]: u8[50]
input a[i]: f32[50]
stage S[i]: f32 = 0.0
update S[r] += a[r]*a[r] over r in 0..50 where m[r] > 128 and f32(m[r])*2.0 > 3.0
output S: [50]
)");
    ASSERT_TRUE(tree);
    auto c = count(*tree);
    EXPECT_FALSE(c.flops_exact);
    EXPECT_FALSE(c.stores_exact);
    EXPECT_EQ(c.stores, 100);
    EXPECT_EQ(c.flops, 50 * 3) << "the condition's multiplication, the term's, and the addition";
    EXPECT_FALSE(c.distinct_exact["a"]);
    EXPECT_TRUE(c.distinct_exact["m"]) << "the condition itself reads at every point";
    expect_counts_hold(*tree);
}

const char* const kBlocks = R"(pipeline blocks
param N = 64
input A[i, k]: f32[N, N]
input B[k, j]: f32[N, N]
stage S[i, j]: f32 = sum[k in 0..N where k/8 >= i/8 and j/8 <= i/8](A[i, k] * B[k, j])
stage out[i, j]: f32 = S[i, j] * 2.0
output out: [N, N]
)";

// What is computed in a tile begins where the tile does: the condition is asked of another part of
// the triangle in each.
TEST(Count, ConditionsInTilesAreCountedOverAllTiles) {
    for (const char* lines :
         {"out.tile(i, j, io, jo, ii, ji, 4, 16)\nS.compute_at(out, jo)\n",
          "out.tile(i, j, io, jo, ii, ji, 5, 7, shift)\nS.compute_at(out, jo)\n",
          "out.tile(i, j, io, jo, ii, ji, 6, 12)\nout.fuse(io, jo, f)\nS.compute_at(out, f)\n",
          "out.split(i, io, ii, 8)\nS.compute_at(out, io)\nS.split(k, ko, ki, 8)\n"
          "S.reorder(ko, ki, i, j)\nS.vectorize(j, 8)\n"}) {
        for (std::int64_t n : {64, 50}) {
            auto tree = tree_of(kBlocks, lines, {{"N", n}});
            ASSERT_TRUE(tree) << lines;
            EXPECT_TRUE(count(*tree).flops_exact && count(*tree).stores_exact) << lines;
            expect_counts_hold(*tree);
        }
    }
}

TEST(Count, AHugeConditionIsBounded) {
    auto tree = tree_of(R"(pipeline large
input a[i]: f32[8]
stage S[i]: f32 = 0.0
update S[i] += a[i] over p in 0..3000, q in 0..3000, r in 0..3000 where p*q % 7 == r
output S: [8]
)");
    ASSERT_TRUE(tree);
    auto c = count(*tree);
    EXPECT_FALSE(c.stores_exact);
    EXPECT_EQ(c.stores, 8 + 8 * 27e9);
}

TEST(Count, FloatsInIndicesCountAsOftenAsTheyAreEvaluated) {
    for (const char* boundary : {"edge", "zero", "constant(1.0)", "mirror", "reflect", "wrap"}) {
        auto tree =
            tree_of(std::string("pipeline warp\ninput a[i]: f32[20] boundary ") + boundary + R"(
stage S[i]: f32 = a[i32(f32(i)*1.5 - 3.0)] + a[i32(sqrt(f32(i)))]
stage H[i]: i32 = 0
update H[clamp(i32(S[r]*2.0), 0, 9)] += 1 over r in 0..30
output S: [30]
output H: [10]
)");
        ASSERT_TRUE(tree);
        EXPECT_TRUE(count(*tree).flops_exact);
        expect_counts_hold(*tree);
    }
}

TEST(Count, InputsThroughTheirBoundaries) {
    for (const char* boundary : {"edge", "zero", "mirror", "reflect", "wrap"}) {
        auto tree = tree_of(std::string("pipeline around\ninput a[y, x]: f32[9, 12] boundary ") +
                            boundary + R"(
stage S[y, x]: f32 = a[y-2, x] + a[y+2, x+3] + a[y, 2*x]
output S: [7, 5]
)");
        ASSERT_TRUE(tree);
        expect_counts_hold(*tree);
    }
}

TEST(Count, UnionsOfReadsAreCountedWithoutTheHull) {
    auto tree = tree_of(R"(pipeline cross
input a[y, x]: f32[10, 10]
stage S[y, x]: f32 = a[y, x+3] + a[y+6, x+3] + a[y+3, x] + a[y+3, x+6]
output S: [4, 4]
)");
    ASSERT_TRUE(tree);
    auto c = count(*tree);
    EXPECT_TRUE(c.distinct_exact["a"]);
    EXPECT_LT(c.distinct_bytes["a"], 10 * 10 * 4);
    expect_counts_hold(*tree);
}

TEST(Count, DiagonalsAreBounded) {
    auto tree = tree_of("pipeline diagonal\ninput a[y, x]: f32[10, 10]\nstage S[i]: f32 = a[i, "
                        "i]\noutput S: [10]\n");
    ASSERT_TRUE(tree);
    EXPECT_FALSE(count(*tree).distinct_exact["a"]);
    expect_counts_hold(*tree);
}

TEST(Count, AStageNobodyNeedsRunsNever) {
    auto tree = tree_of("pipeline idle\ninput a[i]: f32[8]\nstage unused[i]: f32 = a[i] * "
                        "2.0\nstage S[i]: f32 = a[i]\n"
                        "output S: [8]\n");
    ASSERT_TRUE(tree);
    EXPECT_EQ(count(*tree).flops, 0);
    expect_counts_hold(*tree);
}

struct Program {
    const char* name;
    std::map<std::string, std::int64_t> params;
};

class CountOfProgram : public ::testing::TestWithParam<Program> {};

TEST_P(CountOfProgram, EqualsTheInterpreters) {
    for (bool shipped : {false, true}) {
        auto tree = bundled_tree(GetParam().name, shipped, GetParam().params);
        ASSERT_TRUE(tree);
        expect_counts_hold(*tree);
        auto c = count(*tree);
        EXPECT_TRUE(c.flops_exact && c.stores_exact) << "no condition here depends on data";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Bundled, CountOfProgram,
    ::testing::Values(
        Program{"copy", {{"H", 33}, {"W", 1100}}}, Program{"blur", {{"H", 70}, {"W", 530}}},
        Program{"unsharp", {{"H", 70}, {"W", 270}}}, Program{"harris", {{"H", 70}, {"W", 270}}},
        Program{"histogram_equalise", {{"H", 20}, {"W", 50}}},
        Program{"iir_blur", {{"H", 40}, {"W", 36}}},
        Program{"matmul", {{"M", 20}, {"N", 70}, {"K", 33}}},
        Program{"trmm", {{"M", 48}, {"N", 40}}}, Program{"syrk", {{"N", 72}, {"K", 20}}},
        Program{"syr2k", {{"N", 72}, {"K", 20}}},
        Program{"conv_relu", {{"N", 1}, {"H", 6}, {"W", 12}, {"CI", 5}, {"CO", 20}}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Count, SchedulesOfEveryShapeAgreeWithTheInterpreter) {
    for (const char* lines :
         {"C.fuse(i, j, f)\nC.split(f, fo, fi, 37)\n",
          "C.split(i, io, ii, 7)\nC.split(io, a, b, 3)\nC.reorder(k, a, j, b, ii)\n",
          "C.split(k, ko, ki, 5)\nC.reorder(ko, i, j, ki)\nC.vectorize(j, 8)\nC.unroll(i, 3)\n",
          "Bp = C.cache_read(B, local)\nC.tile(i, j, io, jo, ii, ji, 8, 8)\nBp.compute_at(C, "
          "jo)\n"}) {
        auto tree = tree_of(kMatmul, lines, {{"M", 17}, {"N", 19}, {"K", 11}});
        ASSERT_TRUE(tree);
        expect_counts_hold(*tree);
    }
}

TEST(Count, CopiesThatRotateAllCount) {
    auto tree = tree_of(kBlur, "out.split(y, yo, yi, 8)\nblur_x.compute_at(out, yo)\n"
                               "blur_x.pipeline(3)\n");
    ASSERT_TRUE(tree);
    EXPECT_EQ(count(*tree).distinct_bytes["blur_x"], 3 * 10 * 128 * 2);
    expect_counts_hold(*tree);
}

// 20 rows of 31 iterations, in 25 of which the stage runs: 620 * (25 / 31) is a little less than
// 500.
TEST(Count, StagesThatRunAheadRunAWholeNumberOfTimes) {
    auto tree = tree_of(R"(pipeline ahead
input src[y, x]: f32[20, 25]
stage a[y, x]: f32 = src[y, x] * 3.0
stage b[y, x]: f32 = a[y, x] + 1.0
output b: [20, 25]
)",
                        "a.compute_at(b, x)\na.pipeline(7)\n");
    ASSERT_TRUE(tree);
    auto c = count(*tree);
    EXPECT_EQ((c.nodes[{"a", 0, "@compute"}].trips), 20 * 25);
    EXPECT_EQ(c.flops, 2.0 * 20 * 25);
    expect_counts_hold(*tree);
}

// The condition of b is asked in the iterations of c that use b, though a runs two ahead of them.
TEST(Count, ConditionsBesideStagesThatRunAhead) {
    auto tree = tree_of(R"(pipeline beside
input src[y, x]: f32[20, 25]
stage a[y, x]: f32 = src[y, x] * 3.0
stage b[y]: f32 = sum[k in 0..4 where k <= y](src[y, k])
stage c[y]: f32 = b[y] + a[y, 1]
output c: [20]
)",
                        "b.compute_at(c, y)\na.compute_at(c, y)\na.pipeline(3)\n");
    ASSERT_TRUE(tree);
    auto c = count(*tree);
    EXPECT_TRUE(c.flops_exact);
    EXPECT_EQ(c.flops, 20 + 20 + (1 + 2 + 3 + 17 * 4)); // a, c, and the terms of b
    expect_counts_hold(*tree);
}

// Shifted tiles compute points twice, padded ones more than is needed; layouts change no count.
TEST(Count, TailsAndLayoutsAgreeWithTheInterpreter) {
    const char* chain = R"(pipeline chain
input a[y, x]: f32[13, 17] boundary edge
stage b[y, x]: f32 = a[y, x] * 2.0 + 1.0
stage s[y]: f32 = sum[k in 0..7](b[y, k - 1])
update s[y] += b[y, 2] * 0.5
stage c[y, x]: f32 = b[y - 1, x] + b[y + 1, x] + s[y]
output c: [13, 17]
)";
    for (const char* lines :
         {"c.split(x, xo, xi, 8, shift)\nc.vectorize(xi)\n",
          "c.tile(y, x, yo, xo, yi, xi, 5, 4, shift)\nb.tile(y, x, yo, xo, yi, xi, 4, 4, pad)\n",
          "c.split(x, xo, xi, 8, shift)\nc.split(xo, xp, xq, 2, shift)\n",
          "c.fuse(y, x, f)\nc.split(f, fo, fi, 16, shift)\n",
          "b.fuse(y, x, f)\nb.split(f, fo, fi, 16, pad)\n",
          "s.split(y, yo, yi, 4, pad)\ns.update(0).split(y, yo, yi, 8, pad)\n",
          "b.split(x, xo, xi, 6)\nb.split(xo, xp, xq, 2, shift)\n",
          "c.split(y, yo, yi, 3, shift)\nb.vectorize(x, 4, pad)\nb.reorder_storage(x, y)\n"
          "b.pad_storage(y, 5)\n"}) {
        auto tree = tree_of(chain, lines);
        ASSERT_TRUE(tree);
        expect_counts_hold(*tree);
    }
    auto twice = tree_of(chain, "c.split(x, xo, xi, 16, shift)\n");
    ASSERT_TRUE(twice);
    auto plain = tree_of(chain, "");
    ASSERT_TRUE(plain);
    EXPECT_EQ(count(*twice).stores - count(*plain).stores, 13 * 15);
    EXPECT_TRUE(count(*twice).stores_exact);
}

// How often a window moves is a bound where it moves at every second iteration, and a loop around
// says at which. Where it moves in all alike, it is known.
TEST(Count, StepsOfAWindowThatALoopAroundShifts) {
    for (const auto& [part, factor, exact] :
         {std::tuple{"2", "5", true}, {"2", "6", true}, {"3", "5", false}, {"3", "6", true}}) {
        const auto y = std::string("y/") + part;
        auto tree = tree_of("pipeline parts\ninput img[x]: f32[40] boundary edge\n"
                            "stage a[x]: f32 = img[x] * 2.0\nstage o[y]: f32 = a[" +
                                y + "] + a[" + y + " + 3]\noutput o: [60]\n",
                            std::string("o.split(y, yo, yi, ") + factor +
                                ")\na.compute_at(o, yi)\na.store_at(o, yo)\n");
        ASSERT_TRUE(tree);
        EXPECT_EQ(count(*tree).stores_exact, exact) << part << " " << factor;
        expect_counts_hold(*tree);
    }
}

// What moves by one at most is counted by how far it comes; sums of such, in long loops, are
// bounded.
TEST(Count, StepsOfAWindowInALongLoop) {
    for (const auto& [window, exact] : {std::pair{"y/2", true},
                                        {"(y + 1)/3", true},
                                        {"y/7", true},
                                        {"(y + y/299)/8", true},
                                        {"clamp(y/7, 3, 120)", true},
                                        {"(1000 - y)/3", true},
                                        {"2*y - y/5", true},
                                        {"y/7 + y/5", false}}) {
        const auto text = std::string("pipeline steps\ninput img[x]: f32[40] boundary edge\n"
                                      "stage a[x]: f32 = img[x] * 2.0\nstage o[y]: f32 = a[") +
                          window + "] + a[" + window + " + 3]\noutput o: [1001]\n";
        auto tree = tree_of(text, "a.compute_at(o, y)\na.store_root()\n");
        ASSERT_TRUE(tree);
        EXPECT_EQ(count(*tree).stores_exact, exact) << window;
        expect_counts_hold(*tree);
    }
}

// A row of a fused loop moves once a row.
TEST(Count, StepsOfAWindowInAFusedLoop) {
    auto tree = tree_of("pipeline rows\ninput img[y]: f32[101] boundary edge\n"
                        "stage a[y]: f32 = img[y] * 2.0\n"
                        "stage o[y, x]: f32 = a[y] + a[y + 1]\noutput o: [100, 480]\n",
                        "o.fuse(y, x, f)\na.compute_at(o, f)\na.store_root()\n");
    ASSERT_TRUE(tree);
    EXPECT_LE(count(*tree).stores, 48000 + 2 * 101);
    expect_counts_hold(*tree);
}

} // namespace
