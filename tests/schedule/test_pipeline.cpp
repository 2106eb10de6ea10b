#include "core/device/device.h"
#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {
namespace test_pipeline {

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

// A loop without iterations gets none in which something is only computed ahead.
TEST(Pipeline, NothingIsAheadOfNoIterations) {
    const auto rows_of = [](const std::string& sum) {
        return rows(scheduled(parsed("pipeline p\nstage s[y]: i32 = y\nstage t[y]: i32 = " + sum +
                                     "\noutput t: [5]\n"),
                              "s.compute_at(t, k)\ns.pipeline(3)\n"));
    };
    EXPECT_NE(rows_of("sum[k in 2..3](s[k])").find("k 3 from -2 reduction"), std::string::npos);
    EXPECT_NE(rows_of("sum[k in 2..2](s[k])").find("k 0 reduction"), std::string::npos);
}

TEST(Pipeline, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.pipeline(2)\n"),
              "1:1 C is computed at root, before all that reads it: there is no iteration that it "
              "could be ahead of; say first at which loop it is computed: C.compute_at(out, j)");
    EXPECT_EQ(refusal(matmul(), "out.parallel(j)\nC.pipeline(2)\n"),
              "2:1 C is computed at root, before all that reads it: there is no iteration that it "
              "could be ahead of; say first at which loop it is computed: C.compute_at(out, i)");
    EXPECT_EQ(
        refusal(matmul(), "out.pipeline(2)\n"),
        "1:1 out is computed at root, before all that reads it: there is no iteration that it "
        "could be ahead of; choose another stage: an output is computed at root");
    EXPECT_EQ(refusal(matmul(), "out.parallel(i)\nout.parallel(j)\nC.pipeline(2)\n"),
              "3:1 C is computed at root, before all that reads it: there is no iteration that it "
              "could be ahead of; choose another stage: no loop that runs one iteration after "
              "another is around all that reads C");
    auto copy = std::string("As = C.cache_read(A, local)\nAs.compute_at(C, j)\n");
    EXPECT_EQ(refusal(matmul(), copy + "As.pipeline(65)\n"),
              "3:13 a pipeline of 65 is out of range; from 1, which is none, to 64");
    EXPECT_EQ(refusal(matmul(), copy + "As.pipeline(0)\n"),
              "3:13 a pipeline of 0 is out of range; from 1, which is none, to 64");
    EXPECT_EQ(refusal(matmul(), copy + "C.parallel(j)\nAs.pipeline(2)\n"),
              "4:1 As cannot be computed ahead at C.j, which is parallel: its iterations run at "
              "once, and none is ahead; pipeline it at a serial loop");
    EXPECT_EQ(refusal(matmul(), copy + "As.pipeline(2)\nC.parallel(j)\n"),
              "4:12 As cannot be computed ahead at C.j, which is parallel: its iterations run at "
              "once, and none is ahead; pipeline it at a serial loop");
    EXPECT_EQ(refusal(matmul(), copy + "As.store_root()\nAs.pipeline(2)\n"),
              "4:1 As is stored outside of the loop at which it is computed, where it keeps what "
              "earlier iterations computed; slots that rotate keep nothing; leave out its "
              "store_at or store_root, or its pipeline");
}

// A producer at the same loop must be at least as far ahead: ALCOP's Fig. 5, in our words.
TEST(Pipeline, ProducersAtTheSameLoopComeFirst) {
    auto lines = std::string("As = C.cache_read(A, shared)\nAr = C.cache_read(As, register)\n"
                             "Ar.compute_at(C, k)\nAs.compute_at(C, k)\n");
    EXPECT_EQ(refusal(matmul(), lines + "Ar.pipeline(3)\n"),
              "5:1 Ar would be computed 2 iterations ahead at C.k, and As, which it reads, is "
              "computed there when needed; As.pipeline(3) before Ar.pipeline(3), or compute As "
              "further out, or inside Ar");
    EXPECT_EQ(
        refusal(matmul(), lines + "As.pipeline(2)\nAr.pipeline(3)\n"),
        "6:1 Ar would be computed 2 iterations ahead at C.k, and As, which it reads, is "
        "computed there 1 iteration ahead; As.pipeline(3) before Ar.pipeline(3), or compute As "
        "further out, or inside Ar");
    EXPECT_EQ(refusal(matmul(), lines + "As.pipeline(4)\nAr.pipeline(3)\n"), "applied");
}

// What the stage reads by way of another that is computed inside of it is needed ahead as well.
TEST(Pipeline, ProducersOfWhatIsInsideComeFirst) {
    auto made = load_pipeline(std::make_shared<SourceFile>(
        "p.loop", "pipeline p\ninput x[i]: i32[8] boundary edge\nstage e[i] = x[i] + 1\n"
                  "stage s[i] = e[i] * 2\nstage c[i] = s[i] + 3\nstage o[i] = c[i]\n"
                  "output o: [8]\n"));
    ASSERT_TRUE(made.ok());
    const std::string inside = "c.compute_at(o, i)\ns.compute_at(c, i)\n";
    EXPECT_EQ(
        refusal(made->pipeline, inside + "c.pipeline(2)\ne.compute_at(o, i)\n"),
        "4:1 c would be computed 1 iteration ahead at o.i, and e, which s inside of it "
        "reads, is computed there when needed; e.pipeline(2) before c.pipeline(2), or compute e "
        "further out, or inside c");
    for (const auto* place :
         {"e.compute_at(o, i)\ne.pipeline(2)\n", "e.compute_at(c, i)\n", "e.compute_at(s, i)\n"})
        EXPECT_EQ(refusal(made->pipeline, inside + place + "c.pipeline(2)\n"), "applied") << place;
}

TEST(Pipeline, RemediesCanBeFollowed) {
    auto made = parsed("pipeline p\ninput x[i]: i32[8] boundary edge\nstage s[i] = x[i] * 2\n"
                       "stage c[i] = s[i] + 3\nstage o[i] = c[i]\noutput o: [8]\n");
    const std::string inside = "c.compute_at(o, i)\ns.compute_at(c, i)\n";
    const std::string ahead = "c.pipeline(2)\n";
    EXPECT_EQ(refusal(made, inside + "s.store_root()\n" + ahead),
              "4:1 s, which is computed inside c, keeps what it computes from one iteration of o.i "
              "to the next; c is computed ahead there; store s inside c, or leave out one of the "
              "two lines");
    EXPECT_EQ(refusal(made, inside + "s.store_root()\ns.store_at(c, i)\n" + ahead), "applied");
    EXPECT_EQ(refusal(made, inside + ahead), "applied");
    EXPECT_EQ(
        refusal(made, "c.inline()\nc.pipeline(2)\n"),
        "2:1 c is inlined: nothing computes it ahead; c.compute_at(…) gives it a place again");
    EXPECT_EQ(refusal(made, "c.inline()\nc.compute_at(o, i)\nc.pipeline(2)\n"), "applied");
}

// Its copies rotate where it is computed, and what is computed inside of it keeps nothing from one
// iteration to the next.
TEST(Pipeline, OnlyPlacesOfStorageThatItLeavesAreOffered) {
    const auto copy = std::string("As = C.cache_read(A, local)\nAs.compute_at(C, j)\n");
    const auto refused = std::string(
        "As cannot be stored at out.i: that loop is not around C.j, at which it is computed; "
        "legal for As: ");
    EXPECT_EQ(refusal(matmul(), copy + "As.store_at(out, i)\n"),
              "3:18 " + refused + "store_root(), store_at(C, i), store_at(C, j)");
    EXPECT_EQ(refusal(matmul(), copy + "As.pipeline(2)\nAs.store_at(out, i)\n"),
              "4:18 " + refused + "store_at(C, j)");
    EXPECT_EQ(refusal(matmul(), copy + "As.pipeline(2)\nAs.store_at(C, j)\n"), "applied");
    auto made = parsed("pipeline p\ninput x[i]: i32[8] boundary edge\nstage s[i] = x[i] * 2\n"
                       "stage c[i] = s[i] + 3\nstage o[i] = c[i]\noutput o: [8]\n");
    EXPECT_EQ(refusal(made, "c.compute_at(o, i)\ns.compute_at(c, i)\nc.pipeline(2)\n"
                            "s.store_at(s, i)\n"),
              "4:15 s cannot be stored at s.i: that loop is not around c.i, at which it is "
              "computed; legal for s: store_at(c, i)");
}

TEST(Pipeline, StaysAtItsLoop) {
    auto made = parsed("pipeline p\ninput x[i]: i32[8] boundary edge\nstage c[i] = x[i] + 3\n"
                       "stage o[i] = c[i]\noutput o: [8]\n");
    const std::string ahead = "c.compute_at(o, i)\nc.pipeline(4)\n";
    EXPECT_EQ(
        refusal(made, ahead + "c.compute_root()\n"),
        "3:1 c cannot be computed at root: there is no iteration there that it could be ahead "
        "of, and it is pipelined, by c.pipeline(4); leave out c.pipeline(4)");
    EXPECT_EQ(refusal(made, ahead + "c.inline()\n"),
              "3:1 c is inlined: nothing computes it ahead, and it is pipelined, by c.pipeline(4); "
              "leave out c.pipeline(4)");
    for (const auto* line : {"c.compute_root()\n", "c.inline()\n"})
        EXPECT_EQ(refusal(made, ahead + "c.pipeline(1)\n" + line), "applied");
}

TEST(Pipeline, RoundTrip) { expect_round_trip("C.pipeline(3)"); }

TEST(Specialize, IsForPipelinedStages) {
    auto lines = std::string("As = C.cache_read(A, shared)\nAs.compute_at(C, k)\n");
    EXPECT_EQ(refusal(matmul(), lines + "As.specialize(2)\n"),
              "3:1 As is not pipelined: its producers would have to wait for its consumers in each "
              "iteration; first As.pipeline(2), or more");
    EXPECT_EQ(refusal(matmul(), lines + "As.pipeline(2)\nAs.specialize(0)\n"),
              "4:15 0 warpgroups are out of range; from 1 to 32");
    EXPECT_EQ(refusal(matmul(), lines + "As.pipeline(2)\nAs.specialize(2)\n"), "applied");
    // Neither can it be: the remedy says what comes before.
    EXPECT_EQ(
        refusal(matmul(), "C.specialize(2)\n"),
        "1:1 C is not pipelined: its producers would have to wait for its consumers in each "
        "iteration; it would have to be pipelined first, and C is computed at root, before all "
        "that reads it: there is no iteration that it could be ahead of; say first at which "
        "loop it is computed: C.compute_at(out, j)");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, j)\nC.pipeline(2)\nC.specialize(2)\n"),
              "applied");
    // A stage that shares its loops does not go ahead of those.
    const auto both = lines + "Bs = C.cache_read(B, shared)\nBs.compute_at(C, k)\n";
    EXPECT_EQ(refusal(matmul(), both + "Bs.compute_with(As, k)\nBs.specialize(2)\n"),
              "6:1 Bs is not pipelined: its producers would have to wait for its consumers in each "
              "iteration; it would have to be pipelined first, and Bs shares loops with As, in "
              "whose iterations it runs, and none ahead; leave out the compute_with that merges "
              "them");
    EXPECT_EQ(refusal(matmul(), both + "Bs.pipeline(2)\nBs.specialize(2)\n"), "applied");
    expect_round_trip("C.specialize(4)");
}

TEST(Specialize, GoesWithThePipeline) {
    auto lines = std::string("As = C.cache_read(A, shared)\nAs.compute_at(C, k)\nAs.pipeline(2)\n"
                             "As.specialize(2)\n");
    EXPECT_EQ(scheduled(matmul(), lines).state.find("As")->producer_warpgroups, 2);
    EXPECT_EQ(scheduled(matmul(), lines + "As.pipeline(3)\n").state.find("As")->producer_warpgroups,
              2);
    EXPECT_EQ(scheduled(matmul(), lines + "As.pipeline(1)\n").state.find("As")->producer_warpgroups,
              0);
}

// --- what is inlined into a copy that is pipelined: ALCOP, Fig. 5, case 2 ---

// C[i, j] = sum of R[i, k]*B[k, j]; R takes one element of A, or more.
PipelinePtr product(const std::string& r, const std::string& inputs = "") {
    return parsed("pipeline p\ninput A[i, k]: f32[32, 32]\ninput B[k, j]: f16[32, 16]\n" + inputs +
                  "stage R[i, k]: f16 = " + r +
                  "\nstage C[i, j]: f32 = sum[k in 0..32](f32(R[i, k])*f32(B[k, j]))\n"
                  "output C: [16, 16]\n");
}

const std::string kCopy = "C.split(i, io, ii, 8)\nC.bind(io, block.x)\nC.split(k, ko, ki, 8)\n"
                          "C.reorder(io, ko, ii, j, ki)\nRs = C.cache_read(R, shared)\n";
const std::string kBlock = kCopy + "Rs.compute_at(C, ko)\n";

std::string value_of(const ScheduleTree& tree, const std::string& stage) {
    return to_text(tree.derived->find(stage)->definitions[0].values[0]);
}

std::string not_run(const Applied& applied) {
    const auto reasons = not_runnable(*tree_of(applied), *device::generic_gpu().gpu);
    return reasons.empty() ? "runs" : reasons[0].message + "; " + reasons[0].remedy;
}

TEST(PipelinedCopies, LeaveAFunctionToTheirReaders) {
    // The function of the element and of where it is; another place of the input, in the input's
    // type.
    const auto pipeline = product("f16(max(A[k, i + 1], 0)*0.5 + f32(k))");
    const std::string both[] = {"Rs.pipeline(3)\nR.inline()\n", "R.inline()\nRs.pipeline(3)\n"};
    for (const auto& lines : both) {
        const auto applied = scheduled(pipeline, kBlock + lines);
        const auto tree = tree_of(applied);
        EXPECT_EQ(value_of(*tree, "Rs"), "A[k, i + 1]");
        EXPECT_EQ(tree->derived->find("Rs")->types, std::vector{ScalarType::F32});
        EXPECT_EQ(value_of(*tree, "C"), "f32(f16(max(Rs[i, k], 0.0)*0.5 + f32(k)))*f32(B[k, j])");
        EXPECT_NE(rows(applied).find("Rs copy of A"), std::string::npos) << rows(applied);
        EXPECT_EQ(not_run(applied), "runs");
    }
    // Not pipelined, or a thread's own: no copy is under way, and R is computed once for all who
    // read it.
    for (const auto* lines : {"R.inline()\n", "R.inline()\nRs.pipeline(3)\nRs.pipeline(1)\n",
                              "R.inline()\nRs.scope(local)\nRs.pipeline(3)\n"}) {
        const auto tree = tree_of(scheduled(pipeline, kBlock + lines));
        EXPECT_EQ(value_of(*tree, "Rs"), "f16(max(A[k, i + 1], 0.0)*0.5 + f32(k))") << lines;
        EXPECT_EQ(tree->derived->find("Rs")->types, std::vector{ScalarType::F16});
    }
}

// A copy of the copy, on the way into registers, applies it there; the definition is as it was.
TEST(PipelinedCopies, LeaveAFunctionToACopyThatReadsThem) {
    const auto applied = scheduled(product("f16(max(A[i, k], 0))"),
                                   kCopy + "Rp = C.cache_read(Rs, register)\nRp.compute_at(C, ii)\n"
                                           "Rs.compute_at(C, ko)\nRs.pipeline(2)\nR.inline()\n");
    const auto tree = tree_of(applied);
    EXPECT_EQ(value_of(*tree, "Rs"), "A[i, k]");
    EXPECT_EQ(value_of(*tree, "Rp"), "f16(max(Rs[i, k], 0.0))");
    EXPECT_EQ(tree->derived->find("Rp")->types, std::vector{ScalarType::F16});
    EXPECT_EQ(value_of(*tree, "C"), "f32(Rp[i, k])*f32(B[k, j])");
    EXPECT_EQ(not_run(applied), "runs");
}

// Through several stages that are inlined, and their lets.
TEST(PipelinedCopies, LeaveAChainOfFunctions) {
    const auto pipeline = parsed(R"(pipeline p
input A[i, k]: f32[16, 32]
stage S[i, k]: f32 = let t = A[i, k] in t*t
stage R[i, k]: f32 = S[i, k] + S[i, k]*2
stage C[i]: f32 = sum[k in 0..32](R[i, k])
output C: [16]
)");
    const auto tree = tree_of(scheduled(
        pipeline, "C.split(k, ko, ki, 8)\nC.reorder(ko, i, ki)\nRs = C.cache_read(R, shared)\n"
                  "Rs.compute_at(C, ko)\nRs.pipeline(2)\nS.inline()\nR.inline()\n"));
    EXPECT_EQ(value_of(*tree, "Rs"), "A[i, k]");
    EXPECT_EQ(value_of(*tree, "C").find("A["), std::string::npos) << value_of(*tree, "C");
}

TEST(PipelinedCopies, AreRefusedWhereTheyComputeFromSeveralElements) {
    const std::string lines = kBlock + "Rs.pipeline(3)\nR.inline()\n";
    EXPECT_EQ(not_run(scheduled(product("f16(A[i, k]*s[k])", "input s[k]: f32[32]\n"), lines)),
              "Rs is pipelined, and R, which is inlined into it, is no function of one element of "
              "memory: only copies are asynchronous (ALCOP's rule 1); leave out R.inline(), or "
              "write it first and pipeline copies of A and s");
    EXPECT_NE(not_run(scheduled(product("f16(A[i, k] + A[i + 1, k])"), lines)), "runs");
    EXPECT_NE(not_run(scheduled(product("f16(A[i, i32(A[k, i]) % 4])"), lines)), "runs");
    EXPECT_NE(not_run(scheduled(product("f16(let t = i + 1 in A[t, k]*0.5)"), lines)), "runs")
        << "a place that a let numbers is nobody's outside of it";
    EXPECT_NE(not_run(scheduled(product("f16(i)"), lines)), "runs") << "nothing to copy";
    // What the refusal proposes.
    const auto proposed = scheduled(
        product("f16(A[i, k]*s[k])", "input s[k]: f32[32]\n"),
        "R.inline()\nC.split(i, io, ii, 8)\nC.bind(io, block.x)\nC.split(k, ko, ki, 8)\n"
        "C.reorder(io, ko, ii, j, ki)\nAs = C.cache_read(A, shared)\nss = C.cache_read(s, shared)\n"
        "As.compute_at(C, ko)\nss.compute_at(C, ko)\nAs.pipeline(3)\nss.pipeline(3)\n");
    EXPECT_EQ(not_run(proposed), "runs");
}

// An instruction multiplies elements as they are: a function is left to a copy in fragments, and to
// no instruction.
TEST(PipelinedCopies, LeaveNothingToAnInstruction) {
    const auto pipeline = parsed(R"(pipeline p
input A[i, k]: f16[16, 32]
input B[k, j]: f16[32, 8]
stage R[i, k]: f16 = max(A[i, k], 0)
stage C[i, j]: f32 = sum[k in 0..32](f32(R[i, k])*f32(B[k, j]))
output C: [16, 8]
)");
    const std::string lines = "C.split(k, ko, k, 16)\nC.reorder(ko, i, j, k)\n"
                              "C.tensorize(i, mma_m16n8k16_f16)\nRs = C.cache_read(R, shared)\n";
    const std::string place = "Rs.compute_at(C, ko)\nRs.pipeline(2)\n";
    EXPECT_EQ(refusal(pipeline, lines + place + "R.inline()\n"),
              "7:1 C.tensorize(i, mma_m16n8k16_f16) would not hold any longer: operand A of "
              "mma_m16n8k16_f16 is one element, and C takes f32(max(Rs[i, k], 0.0f16)); remove "
              "that line, or write it after this one as it then applies");
    const auto applied =
        scheduled(pipeline, lines + "Rp = C.cache_read(Rs, fragment)\nRp.compute_at(C, ko)\n" +
                                place + "R.inline()\n");
    EXPECT_EQ(value_of(*tree_of(applied), "Rp"), "max(Rs[i, k], 0.0f16)");
}

} // namespace test_pipeline
} // namespace loopscope::test
