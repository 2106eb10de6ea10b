#include "core/language/loop_parser.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

// s → m → b → o, of which each reads the one before at its own place.
PipelinePtr line() {
    return parsed("pipeline p\ninput img[y, x]: f32[16, 12]\nstage s[y, x] = img[y, x] + 1.0\n"
                  "stage m[y, x] = s[y, x] * 2.0\nstage b[y, x] = m[y, x] - 3.0\n"
                  "stage o[y, x] = b[y, x]\noutput o: [16, 12]\n");
}

TEST(CacheWrite, TheCopyComputesAndTheStageIsWrittenFromIt) {
    auto applied = scheduled(matmul(), "W = C.cache_write(local)\nW.compute_at(C, i)\n");
    ASSERT_EQ(refusal(applied), "applied");
    EXPECT_EQ(nest(applied, "W"), "i j k! l!");
    EXPECT_EQ(nest(applied, "C"), "i j");
    EXPECT_EQ(placed(applied, "W"), "C.i");
    EXPECT_EQ(applied.state.find("W")->scope.name, "local");
}

TEST(CacheWrite, RemediesCanBeFollowed) {
    EXPECT_EQ(refusal(line(), "b.inline()\nw = b.cache_write(local)\n"),
              "2:5 b is inlined: nothing is written; b.compute_root() stores it again");
    EXPECT_EQ(refusal(line(), "b.inline()\nb.compute_root()\n"
                              "w = b.cache_write(local)\n"),
              "applied");
    EXPECT_EQ(
        refusal(line(), "c = o.cache_read(b, local)\nw = c.cache_write(local)\n"),
        "2:5 c is a copy of b: there is nothing to compute; copy it once more, by cache_read");
    EXPECT_EQ(refusal(line(), "c = o.cache_read(b, local)\nw = o.cache_read(c, local)\n"),
              "applied");
    EXPECT_EQ(refusal(line(), "b.vectorize(x, 4)\nw = b.cache_write(local)\n"),
              "2:5 b has loop directives, and its loops would be those of w; write this line "
              "before them, and them for w");
    EXPECT_EQ(refusal(line(), "w = b.cache_write(local)\nw.vectorize(x, 4)\n"), "applied");
    // What rfactor has made of it keeps its loop directives; not this one.
    const std::string sums = "R = C.rfactor(k)\n", past = "C.non_temporal()\n";
    EXPECT_EQ(refusal(matmul(), sums + past + "w = C.cache_write(local)\n"),
              "3:5 C.non_temporal() stands before: the stores would be those of w; write this "
              "line before it");
    EXPECT_EQ(refusal(matmul(), sums + "w = C.cache_write(local)\n" + past), "applied");
}

// What is inside of the stage's loops is inside of the copy's then, be it computed or only stored
// there.
TEST(CacheWrite, WhatIsAtItsLoopsGoesToTheCopys) {
    EXPECT_EQ(refusal(line(), "m.compute_at(b, y)\nw = b.cache_write(local)\n"),
              "2:5 m is computed at b.y, and would be read by w, outside of it; write this line "
              "before m.compute_at(b, y), and that one as m.compute_at(w, …)");
    EXPECT_EQ(refusal(line(), "w = b.cache_write(local)\nm.compute_at(w, y)\n"), "applied");
    EXPECT_EQ(refusal(line(), "m.compute_at(b, x)\ns.compute_at(m, x)\n"
                              "s.store_at(b, y)\nw = b.cache_write(local)\n"),
              "4:5 s is stored at b.y, and would be read by w, outside of it; write this line "
              "before s.store_at(b, y), and that one as s.store_at(w, …)");
    EXPECT_EQ(refusal(line(), "w = b.cache_write(local)\nm.compute_at(w, x)\n"
                              "s.compute_at(m, x)\ns.store_at(w, y)\n"),
              "applied");
}

// Its updates are the copy's, too.
TEST(CacheWrite, WhatIsAtLoopsOfUpdatesGoesToTheCopys) {
    auto made = parsed("pipeline p\ninput img[y, x]: f32[16, 12]\nstage t[y, x] = img[y, x] + 1.0\n"
                       "stage s[y, x] = 0.0\nupdate s[y, x] += t[y, x]\noutput s: [16, 12]\n");
    EXPECT_EQ(
        refusal(made, "t.compute_at(s.update(0), y)\nw = s.cache_write(local)\n"),
        "2:5 t is computed at s.update(0).y, and would be read by w, outside of it; write this "
        "line before t.compute_at(s.update(0), y), and that one as t.compute_at(w.update(0), …)");
    EXPECT_EQ(refusal(made, "w = s.cache_write(local)\nt.compute_at(w.update(0), y)\n"), "applied");
}

TEST(CacheWrite, RoundTrip) { expect_round_trip("W = C.cache_write(local)"); }

} // namespace
} // namespace loopscope::test
