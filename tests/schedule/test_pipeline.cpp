#include "core/device/device.h"
#include "core/language/loop_parser.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {
namespace {

std::string rows(const Applied& applied) { return to_text(*tree_of(applied)); }

TEST(Pipeline, RunsAheadIntoCopiesThatRotate) {
    auto applied = scheduled(matmul(), "C.split(k, ko, ki, 4)\nAs = C.cache_read(A, local)\n"
                                       "As.compute_at(C, ko)\nAs.pipeline(3)\n");
    auto text = rows(applied);
    // Its memory lies around the loop that it is ahead in, and the loop has two more iterations.
    EXPECT_LT(text.find("As storage"), text.find("ko "));
    EXPECT_NE(text.find("× 3 local"), std::string::npos) << text;
    EXPECT_NE(text.find("from -2"), std::string::npos) << text;
    EXPECT_NE(text.find("2 ahead"), std::string::npos) << text;
    auto tree = *build_tree(applied.state);
    auto json = to_json(*tree).dump();
    EXPECT_NE(json.find("\"rotation\":3"), std::string::npos);
    EXPECT_NE(json.find("\"ahead\":2"), std::string::npos);
}

TEST(Pipeline, OneIsNone) {
    auto lines = std::string("As = C.cache_read(A, local)\nAs.compute_at(C, k)\n");
    EXPECT_EQ(rows(scheduled(matmul(), lines)),
              rows(scheduled(matmul(), lines + "As.pipeline(1)\n")));
    EXPECT_EQ(rows(scheduled(matmul(), lines)),
              rows(scheduled(matmul(), lines + "As.pipeline(4)\nAs.pipeline(1)\n")));
}

TEST(Pipeline, Refusals) {
    EXPECT_EQ(refusal(scheduled(matmul(), "C.pipeline(2)\n")),
              "1:1 C is computed at root, before all that reads it: there is no iteration that it "
              "could be ahead of; say first at which loop it is computed: C.compute_at(out, j)");
    EXPECT_EQ(refusal(scheduled(matmul(), "out.parallel(j)\nC.pipeline(2)\n")),
              "2:1 C is computed at root, before all that reads it: there is no iteration that it "
              "could be ahead of; say first at which loop it is computed: C.compute_at(out, i)");
    EXPECT_EQ(
        refusal(scheduled(matmul(), "out.pipeline(2)\n")),
        "1:1 out is computed at root, before all that reads it: there is no iteration that it "
        "could be ahead of; choose another stage: an output is computed at root");
    EXPECT_EQ(refusal(scheduled(matmul(), "out.parallel(i)\nout.parallel(j)\nC.pipeline(2)\n")),
              "3:1 C is computed at root, before all that reads it: there is no iteration that it "
              "could be ahead of; choose another stage: no loop that runs one iteration after "
              "another is around all that reads C");
    auto copy = std::string("As = C.cache_read(A, local)\nAs.compute_at(C, j)\n");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "As.pipeline(65)\n")),
              "3:13 a pipeline of 65 is out of range; from 1, which is none, to 64");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "As.pipeline(0)\n")),
              "3:13 a pipeline of 0 is out of range; from 1, which is none, to 64");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "C.parallel(j)\nAs.pipeline(2)\n")),
              "4:1 As cannot be computed ahead at C.j, which is parallel: its iterations run at "
              "once, and none is ahead; pipeline it at a serial loop");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "As.pipeline(2)\nC.parallel(j)\n")),
              "4:12 As cannot be computed ahead at C.j, which is parallel: its iterations run at "
              "once, and none is ahead; pipeline it at a serial loop");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "As.store_root()\nAs.pipeline(2)\n")),
              "4:1 As is stored outside of the loop at which it is computed, where it keeps what "
              "earlier iterations computed; copies that rotate keep nothing; leave out its "
              "store_at or store_root, or its pipeline");
}

// A producer at the same loop must be at least as far ahead: ALCOP's Fig. 5, in our words.
TEST(Pipeline, ProducersAtTheSameLoopComeFirst) {
    auto lines = std::string("As = C.cache_read(A, shared)\nAr = C.cache_read(As, register)\n"
                             "Ar.compute_at(C, k)\nAs.compute_at(C, k)\n");
    EXPECT_EQ(refusal(scheduled(matmul(), lines + "Ar.pipeline(3)\n")),
              "5:1 Ar would be computed 2 iterations ahead at C.k, and As, which it reads, is "
              "computed there when needed; first As.pipeline(3), or compute As further out, or "
              "inside Ar");
    EXPECT_EQ(refusal(scheduled(matmul(), lines + "As.pipeline(2)\nAr.pipeline(3)\n")),
              "6:1 Ar would be computed 2 iterations ahead at C.k, and As, which it reads, is "
              "computed there 1 iteration ahead; first As.pipeline(3), or compute As further out, "
              "or inside Ar");
    EXPECT_EQ(refusal(scheduled(matmul(), lines + "As.pipeline(4)\nAr.pipeline(3)\n")), "applied");
}

// What the stage reads by way of another that is computed inside of it is needed ahead as well.
TEST(Pipeline, ProducersOfWhatIsInsideComeFirst) {
    auto made = load_pipeline(std::make_shared<SourceFile>(
        "p.loop", "pipeline p\ninput x[i]: i32[8] boundary edge\nstage e[i] = x[i] + 1\n"
                  "stage s[i] = e[i] * 2\nstage c[i] = s[i] + 3\nstage o[i] = c[i]\n"
                  "output o: [8]\n"));
    ASSERT_TRUE(made.ok());
    const std::string inside = "c.compute_at(o, i)\ns.compute_at(c, i)\n";
    EXPECT_EQ(refusal(scheduled(made->pipeline, inside + "c.pipeline(2)\ne.compute_at(o, i)\n")),
              "4:1 c would be computed 1 iteration ahead at o.i, and e, which s inside of it "
              "reads, is computed there when needed; first e.pipeline(2), or compute e further "
              "out, or inside c");
    for (const auto* place :
         {"e.compute_at(o, i)\ne.pipeline(2)\n", "e.compute_at(c, i)\n", "e.compute_at(s, i)\n"})
        EXPECT_EQ(refusal(scheduled(made->pipeline, inside + place + "c.pipeline(2)\n")), "applied")
            << place;
}

TEST(Pipeline, RemediesCanBeFollowed) {
    auto made = parsed("pipeline p\ninput x[i]: i32[8] boundary edge\nstage s[i] = x[i] * 2\n"
                       "stage c[i] = s[i] + 3\nstage o[i] = c[i]\noutput o: [8]\n");
    const std::string inside = "c.compute_at(o, i)\ns.compute_at(c, i)\n";
    const std::string ahead = "c.pipeline(2)\n";
    EXPECT_EQ(refusal(scheduled(made, inside + "s.store_root()\n" + ahead)),
              "4:1 s, which is computed inside c, keeps what it computes from one iteration of o.i "
              "to the next; c is computed ahead there; store s inside c, or leave out one of the "
              "two lines");
    EXPECT_EQ(refusal(scheduled(made, inside + "s.store_root()\ns.store_at(c, i)\n" + ahead)),
              "applied");
    EXPECT_EQ(refusal(scheduled(made, inside + ahead)), "applied");
    EXPECT_EQ(
        refusal(scheduled(made, "c.inline()\nc.pipeline(2)\n")),
        "2:1 c is inlined: nothing computes it ahead; c.compute_at(…) gives it a place again");
    EXPECT_EQ(refusal(scheduled(made, "c.inline()\nc.compute_at(o, i)\nc.pipeline(2)\n")),
              "applied");
}

// Its copies rotate where it is computed, and what is computed inside of it keeps nothing from one iteration to the next.
TEST(Pipeline, OnlyPlacesOfStorageThatItLeavesAreOffered) {
    const auto copy = std::string("As = C.cache_read(A, local)\nAs.compute_at(C, j)\n");
    const auto refused = std::string(
        "As cannot be stored at out.i: that loop is not around C.j, at which it is computed; "
        "legal for As: ");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "As.store_at(out, i)\n")),
              "3:18 " + refused + "store_root(), store_at(C, i), store_at(C, j)");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "As.pipeline(2)\nAs.store_at(out, i)\n")),
              "4:18 " + refused + "store_at(C, j)");
    EXPECT_EQ(refusal(scheduled(matmul(), copy + "As.pipeline(2)\nAs.store_at(C, j)\n")),
              "applied");
    auto made = parsed("pipeline p\ninput x[i]: i32[8] boundary edge\nstage s[i] = x[i] * 2\n"
                       "stage c[i] = s[i] + 3\nstage o[i] = c[i]\noutput o: [8]\n");
    EXPECT_EQ(refusal(scheduled(made, "c.compute_at(o, i)\ns.compute_at(c, i)\nc.pipeline(2)\n"
                                      "s.store_at(s, i)\n")),
              "4:15 s cannot be stored at s.i: that loop is not around c.i, at which it is "
              "computed; legal for s: store_at(c, i)");
}

TEST(Pipeline, StaysAtItsLoop) {
    auto made = parsed("pipeline p\ninput x[i]: i32[8] boundary edge\nstage c[i] = x[i] + 3\n"
                       "stage o[i] = c[i]\noutput o: [8]\n");
    const std::string ahead = "c.compute_at(o, i)\nc.pipeline(4)\n";
    EXPECT_EQ(
        refusal(scheduled(made, ahead + "c.compute_root()\n")),
        "3:1 c cannot be computed at root: there is no iteration there that it could be ahead "
        "of, and it is pipelined, by c.pipeline(4); leave out c.pipeline(4)");
    EXPECT_EQ(refusal(scheduled(made, ahead + "c.inline()\n")),
              "3:1 c is inlined: nothing computes it ahead, and it is pipelined, by c.pipeline(4); "
              "leave out c.pipeline(4)");
    for (const auto* line : {"c.compute_root()\n", "c.inline()\n"})
        EXPECT_EQ(refusal(scheduled(made, ahead + "c.pipeline(1)\n" + line)), "applied");
}

TEST(Pipeline, RoundTrip) { expect_round_trip("C.pipeline(3)"); }

TEST(Specialize, IsForPipelinedStages) {
    auto lines = std::string("As = C.cache_read(A, shared)\nAs.compute_at(C, k)\n");
    EXPECT_EQ(refusal(scheduled(matmul(), lines + "As.specialize(2)\n")),
              "3:1 As is not pipelined: its producers would have to wait for its consumers in each "
              "iteration; first As.pipeline(2), or more");
    EXPECT_EQ(refusal(scheduled(matmul(), lines + "As.pipeline(2)\nAs.specialize(0)\n")),
              "4:15 0 warpgroups are out of range; from 1 to 32");
    EXPECT_EQ(refusal(scheduled(matmul(), lines + "As.pipeline(2)\nAs.specialize(2)\n")),
              "applied");
    // Neither can it be: the remedy says what comes before.
    EXPECT_EQ(
        refusal(scheduled(matmul(), "C.specialize(2)\n")),
        "1:1 C is not pipelined: its producers would have to wait for its consumers in each "
        "iteration; it would have to be pipelined first, and C is computed at root, before all "
        "that reads it: there is no iteration that it could be ahead of; say first at which "
        "loop it is computed: C.compute_at(out, j)");
    EXPECT_EQ(
        refusal(scheduled(matmul(), "C.compute_at(out, j)\nC.pipeline(2)\nC.specialize(2)\n")),
        "applied");
    // A stage that shares its loops does not go ahead of those.
    const auto both = lines + "Bs = C.cache_read(B, shared)\nBs.compute_at(C, k)\n";
    EXPECT_EQ(refusal(scheduled(matmul(), both + "Bs.compute_with(As, k)\nBs.specialize(2)\n")),
              "6:1 Bs is not pipelined: its producers would have to wait for its consumers in each "
              "iteration; it would have to be pipelined first, and Bs shares loops with As, in "
              "whose iterations it runs, and none ahead; leave out the compute_with that merges "
              "them");
    EXPECT_EQ(refusal(scheduled(matmul(), both + "Bs.pipeline(2)\nBs.specialize(2)\n")), "applied");
    expect_round_trip("C.specialize(4)");
}

TEST(Specialize, GoesWithThePipeline) {
    auto lines = std::string("As = C.cache_read(A, shared)\nAs.compute_at(C, k)\nAs.pipeline(2)\n"
                             "As.specialize(2)\n");
    EXPECT_EQ(scheduled(matmul(), lines).state.find("As")->specialised, 2);
    EXPECT_EQ(scheduled(matmul(), lines + "As.pipeline(3)\n").state.find("As")->specialised, 2);
    EXPECT_EQ(scheduled(matmul(), lines + "As.pipeline(1)\n").state.find("As")->specialised, 0);
}

} // namespace
} // namespace loopscope::test
