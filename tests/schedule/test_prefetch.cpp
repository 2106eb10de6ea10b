#include "tests/schedule/scheduling.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {
namespace {

const Prefetch& prefetch_at(const ScheduleTreePtr& tree, const NodeId& id) {
    return tree->find(id)->prefetches.at(0);
}

std::string region(const Prefetch& prefetch) {
    std::string out;
    for (const auto& d : prefetch.region.dimensions)
        out += "[" + to_text(d.min) + ", +" + d.extent.text() + ")";
    return out;
}

// b reads rows y-1, y and y+1 of a: row y+1 of the iteration two later is the one that is new. a
// has rows -1 to 64.
TEST(Prefetch, AsksForWhatIsNew) {
    auto tree = tree_of(scheduled(chain(), "b.prefetch(a, y, 2)\n"));
    const auto& prefetch = prefetch_at(tree, {"b", 0, "y"});
    EXPECT_EQ(region(prefetch), "[min(max(b.y + 3, -1), 64), +1)[0, +48)");
    EXPECT_EQ(prefetch.step, 16);
    EXPECT_EQ(prefetch.lines, 3); // 48 floats, of rows that begin with a line
    EXPECT_EQ(prefetch.count(), 3);
    EXPECT_EQ(row_text(*tree->find({"b", 0, "y"})), "y 64 prefetch a 2 ahead");
}

// The footprint of a tile of four rows is six rows, of which four are new.
TEST(Prefetch, AsksForAStepOfATile) {
    auto tree = tree_of(scheduled(chain(), "b.split(y, yo, yi, 4)\nb.prefetch(a, yo, 1)\n"));
    EXPECT_EQ(region(prefetch_at(tree, {"b", 0, "yo"})),
              "[min(max(b.yo*4 + 5, -1), 61), +4)[0, +48)");
}

// Elements -1 to 48 of a row with an edge: not known to begin with a line, and hence one more. a
// begins with row -1.
TEST(Prefetch, RowsThatBeginWithinALineTakeOneMore) {
    auto tree = tree_of(scheduled(chain(), "a.prefetch(in, y, 1)\n"));
    const auto& prefetch = prefetch_at(tree, {"a", 0, "y"});
    EXPECT_EQ(region(prefetch), "[min(max(a.y, 0), 63), +1)[0, +48)");
    EXPECT_EQ(prefetch.lines, 4);
}

// Both A and B in one dimension; nothing of B moves with i.
TEST(Prefetch, OfAReduction) {
    auto tree = tree_of(
        scheduled(matmul(), "C.prefetch(B, k, 4)\nC.prefetch(A, k, 2)\nC.prefetch(B, i, 1)\n"));
    EXPECT_EQ(row_text(*tree->find({"C", 0, "k"})),
              "k 100 reduction prefetch B 4 ahead prefetch A 2 ahead");
    EXPECT_EQ(row_text(*tree->find({"C", 0, "i"})).substr(0, 2), "i ");
    EXPECT_TRUE(row_text(*tree->find({"C", 0, "i"})).ends_with("prefetch B 1 ahead: nothing new"));
    EXPECT_EQ(prefetch_at(tree, {"C", 0, "i"}).count(), 0);
}

TEST(Prefetch, SaidAgainItHasAnotherDistance) {
    auto applied = scheduled(matmul(), "C.prefetch(B, k, 4)\nC.prefetch(B, k, 8)\n");
    ASSERT_EQ(applied.state.find("C")->definitions[0].prefetches.size(), 1u);
    EXPECT_EQ(applied.state.find("C")->definitions[0].prefetches[0].ahead, 8);
}

TEST(Prefetch, Json) {
    auto tree = tree_of(scheduled(chain(), "b.prefetch(a, y, 2)\n"));
    auto text = to_json(*tree).dump();
    EXPECT_NE(text.find(R"("prefetches":[{"ahead":2,"lines":3,"region":)"), std::string::npos)
        << text;
}

// A row of C at a time, folded as loads are; along j it is there before out reads it.
TEST(Prefetch, OfMemoryThatFolds) {
    auto tree = tree_of(scheduled(matmul(), "out.split(j, jo, ji, 16)\nC.compute_at(out, i)\n"
                                            "C.store_root()\nout.prefetch(C, jo, 1)\n"));
    EXPECT_GT(tree->find({"C", -1, "@storage"})->region.dimensions[0].unfolded, 0);
    const auto& prefetch = prefetch_at(tree, {"out", 0, "jo"});
    EXPECT_EQ(prefetch.region.dimensions[0].extent, Extent(1));
    EXPECT_EQ(prefetch.region.dimensions[1].extent, Extent(16));
}

TEST(Prefetch, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.prefetch(D, k, 1)\n"), "1:12 there is no stage or input D");
    EXPECT_EQ(refusal(matmul(), "out.prefetch(A, i, 1)\n"), "1:14 out does not read A; it reads C");
    EXPECT_EQ(refusal(matmul(), "C.prefetch(C, k, 1)\n"),
              "1:12 C writes C itself: what it reads of it was written shortly before; prefetch "
              "another stage, or an input");
    EXPECT_EQ(refusal(matmul(), "C.prefetch(A, m, 1)\n"),
              "1:15 C has no loop m; its loops are i, j, k, l");
    for (const char* ahead : {"0", "1025"})
        EXPECT_EQ(refusal(matmul(), std::string("C.prefetch(A, k, ") + ahead + ")\n"),
                  std::string("1:18 ") + ahead +
                      " iterations ahead is out of range; from 1 to 1024");
    EXPECT_EQ(refusal(chain(), "a.vectorize(x)\na.prefetch(in, x, 1)\n"),
              "2:16 a.x is vectorised: its iterations run at once; prefetch at a loop around a.x");
    EXPECT_EQ(refusal(chain(), "a.vectorize(y)\na.prefetch(in, x, 1)\n"),
              "2:16 a.x is inside the vectorised loop a.y; prefetch at a loop around a.y");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, i)\nout.prefetch(C, i, 1)\n"),
              "2:17 C is computed and stored inside out.i: what a later iteration needs of it is "
              "not in memory before that one computes it; prefetch what C reads, at a loop of its "
              "own; or compute it outside of out.i: C.compute_root()");
    EXPECT_EQ(
        refusal(
            scheduled(matmul(), "C.compute_at(out, i)\nC.store_root()\nout.prefetch(C, i, 1)\n")),
        "3:17 C is computed inside out.i: what a later iteration needs of it is not in memory "
        "before that one computes it; prefetch what C reads, at a loop of its own; or compute it "
        "outside of out.i: C.compute_root()");
    // Where C is computed outside of the loop it can be.
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, i)\nout.prefetch(C, j, 1)\n"), "applied");
}

// A loop that the reader shares is another definition's: what is computed there is not in memory
// before it.
TEST(Prefetch, OfWhatIsComputedInSharedLoops) {
    const auto made =
        parsed("pipeline p\ninput src[y, x]: f32[12, 40] boundary edge\n"
               "stage p[y, x] = src[y, x] * 3.0\nstage a[y, x] = p[y, x] + p[y, x + 1]\n"
               "stage b[y, x] = p[y, x] * 2.0\noutput a: [12, 40]\noutput b: [12, 40]\n");
    const auto merged = std::string("b.compute_with(a, y)\np.compute_at(a, y)\n");
    const auto reason =
        std::string("p is computed and stored inside b.y: what a later iteration needs "
                    "of it is not in memory before that one computes it");
    EXPECT_EQ(refusal(made, merged + "b.prefetch(p, y, 2)\n"),
              "3:15 " + reason +
                  "; prefetch what p reads, at a loop of its own; or compute it outside of b.y: "
                  "p.compute_root()");
    EXPECT_EQ(refusal(made, "b.prefetch(p, y, 2)\n" + merged),
              "3:1 b.prefetch(p, y, 2) would not hold any longer: " + reason +
                  "; remove that line, or write it after this one as it then applies");
    // Inside of the shared loop it is.
    const auto inside =
        tree_of(scheduled(made, merged + "b.prefetch(p, x, 2)\np.prefetch(src, y, 1)\n"));
    EXPECT_EQ(prefetch_at(inside, {"b", 0, "x"}).source, "p");
    EXPECT_EQ(prefetch_at(inside, {"p", 0, "y"}).source, "src");
}

// What a later line would break it refuses.
TEST(Prefetch, LaterLinesLeaveItWhole) {
    EXPECT_EQ(refusal(matmul(), "C.prefetch(A, k, 1)\nC.split(k, ko, ki, 4)\n"),
              "2:9 C.k cannot be split: A is prefetched at it; write this line before "
              "C.prefetch(A, k, 1)");
    EXPECT_EQ(
        refusal(matmul(), "out.prefetch(C, i, 1)\nC.compute_at(out, i)\n"),
        "2:1 out.prefetch(C, i, 1) would not hold any longer: C is computed and stored inside "
        "out.i: what a later iteration needs of it is not in memory before that one computes "
        "it; remove that line, or write it after this one as it then applies");
    EXPECT_EQ(refusal(matmul(), "C.prefetch(A, k, 1)\nAs = C.cache_read(A, local)\n"),
              "2:6 C.prefetch(A, k, 1) would not hold any longer: C does not read A; remove that "
              "line, or write it after this one as it then applies");
    EXPECT_EQ(refusal(chain(), "a.prefetch(in, y, 1)\na.vectorize(y)\n"),
              "2:1 a.prefetch(in, y, 1) would not hold any longer: a.y is vectorised: its "
              "iterations run at once; remove that line, or write it after this one as it then "
              "applies");
    EXPECT_EQ(refusal(chain(), "b.prefetch(a, y, 1)\na.inline()\n"),
              "2:1 b.prefetch(a, y, 1) would not hold any longer: a is inlined: it is nowhere in "
              "memory; remove that line, or write it after this one as it then applies");
}

TEST(Prefetch, RoundTrip) {
    expect_round_trip("C.prefetch(A, k, 2)");
    expect_round_trip("H.update(0).prefetch(img, r, 16)");
}

} // namespace
} // namespace loopscope::test
