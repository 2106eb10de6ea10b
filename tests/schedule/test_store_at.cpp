#include "core/language/loop_parser.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

std::string stored(const Applied& applied, const std::string& stage) {
    auto tree = build_tree(applied.state);
    return tree ? row_text(*(*tree)->find({stage, -1, "@storage"})) : tree.errors().front().message;
}

// Three rows of a, of those that a strip of b needs, are there at a time.
TEST(StoreAt, FoldsToTheWindow) {
    auto made = parsed("pipeline p\ninput img[y, x]: f32[64, 48] boundary edge\n"
                       "stage a[y, x] = img[y, x] * 2.0\n"
                       "stage b[y, x] = a[y - 1, x] + a[y, x] + a[y + 1, x]\noutput b: [64, 48]\n");
    const std::string lines = "b.split(y, yo, yi, 8)\na.compute_at(b, yi)\n";
    EXPECT_EQ(stored(scheduled(made, lines), "a"), "a storage f32 [3, 48] host");
    EXPECT_EQ(stored(scheduled(made, lines + "a.store_at(b, yo)\n"), "a"),
              "a storage f32 [3 of 10, 48] host");
}

// Nothing of C moves with j: it is computed in the first iteration, and is there in the others.
TEST(StoreAt, WhatStandsStillIsComputedOnce) {
    auto made = parsed("pipeline p\ninput x[i]: f32[64]\nstage t[i] = x[i] * 2.0\n"
                       "stage s[i, j] = t[i] + f32(j)\noutput s: [64, 32]\n");
    auto tree = tree_of(scheduled(made, "t.compute_at(s, j)\nt.store_at(s, i)\n"));
    const auto* stage = tree->find({"t", -1, "@stage"});
    ASSERT_EQ(stage->runs.size(), 1u);
    EXPECT_EQ(stage->runs[0].count, 1);
}

// The shared loop is of a stage that is laid out after w, or of one that w has nothing to do with.
TEST(StoreAt, AtALoopThatItsHostShares) {
    const std::string e = "stage e[y, x] = img[y, x] * 2.0\n";
    for (const auto& [before, after] : {std::pair(e, std::string()), std::pair(std::string(), e)}) {
        auto made = parsed("pipeline p\ninput img[y, x]: f32[40, 36] boundary edge\n" + before +
                           "stage w[y, x] = img[y, x] + 3.0\n"
                           "stage l[y, x] = w[y, x] + w[y, x + 1]\n" +
                           after + "stage o[y, x] = l[y, x] + e[y, x]\noutput o: [40, 36]\n");
        auto applied =
            scheduled(made, "w.compute_at(l, x)\nl.compute_with(e, y)\nw.store_at(e, y)\n");
        ASSERT_EQ(refusal(applied), "applied");
        EXPECT_EQ(stored(applied, "w"), "w storage f32 [1, 2 of 37] host");
    }
}

TEST(StoreAt, PaddingDoesNotOverwriteWhatUpdatesKeep) {
    auto reading = [](const std::string& value) {
        return parsed("pipeline p\ninput x[i]: f32[64]\nstage t[i] = x[i]\nupdate t[i] += 1.0\n"
                      "stage s[i] = " +
                      value + "\noutput s: [60]\n");
    };
    auto made = reading("t[61 - i] + t[60 - i]");
    auto placed = std::string("t.compute_at(s, i)\nt.store_root()\n");
    EXPECT_EQ(
        refusal(made, placed + "t.split(i, io, ii, 3, pad)\n"),
        "3:23 t has updates and a padded tail, and is stored outside of where it is computed: the "
        "padding would overwrite what its updates keep there; give its tails guard, or leave out "
        "its store_at or store_root");
    EXPECT_EQ(refusal(made, placed + "t.split(i, io, ii, 3)\n"), "applied");
    // What lies beyond a window that moves upwards is still to be computed, and nothing but that is
    // overwritten.
    auto upwards = reading("t[i] + t[i + 1]");
    EXPECT_EQ(refusal(upwards, placed + "t.split(i, io, ii, 3, pad)\n"), "applied");
    // Nor where each iteration computes all that it needs, as with an element at two places of one.
    auto anew = reading("t[i] + t[60 - i]");
    EXPECT_EQ(refusal(anew, placed + "t.split(i, io, ii, 3, pad)\n"), "applied");
}

TEST(StoreAt, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.store_at(out, i)\n"),
              "1:1 C is computed at root: it is stored there as long as the program runs; say "
              "first at which loop it is computed: C.compute_at(out, j)");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, i)\nC.store_at(out, j)\n"),
              "2:17 C cannot be stored at out.j: that loop is not around out.i, at which it is "
              "computed; legal for C: store_root(), store_at(out, i)");
    EXPECT_EQ(refusal(matmul(), "out.parallel(j)\nC.compute_at(out, j)\nC.store_at(out, i)\n"),
              "3:17 C cannot be stored at out.i and computed at out.j: between them, out.j is "
              "parallel, and its iterations, which run at once, would share the memory; legal for "
              "C: store_at(out, j)");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, j)\nC.store_root()\nout.parallel(i)\n"),
              "3:14 C cannot be stored at root and computed at out.j: between them, out.i is "
              "parallel, and its iterations, which run at once, would share the memory; legal for "
              "C: store_at(out, i), store_at(out, j)");
}

TEST(StoreAt, RoundTrip) {
    expect_round_trip("C.store_at(out, j)");
    expect_round_trip("C.store_root()");
}

} // namespace
} // namespace loopscope::test
