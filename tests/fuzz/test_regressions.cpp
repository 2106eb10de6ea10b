// Pairs that once failed, shrunk. Each names what was wrong. The file is long because it only
// grows: a pair stays for good, and who looks for one looks here.

#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/fuzz/judge.h"
#include "tests/fuzz/shrink.h"
#include "tests/fuzz/simpler_text.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_regressions {

void expect_agreement(const std::string& pipeline, const std::string& schedule,
                      bool interpret = true) {
    for (std::uint64_t seed : {1, 2, 3}) {
        Pair pair{pipeline, schedule, seed};
        JudgeOptions options;
        options.interpret = interpret;
        auto verdict = judge(pair, options);
        EXPECT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
    }
}

// A power, and a let around a product, are fused by contract() like a*a: in sums, in differences,
// and where they are accumulated, in lanes too.
TEST(Regressions, ContractedPowersAndLets) {
    for (std::string type : {"f32", "f64", "f16"}) {
        auto pipeline = "pipeline p\ninput a: " + type + "[24]\ninput c: " + type + R"([24]
def square(x) = x**2
stage s[i] = square(a[i] - c[i]) + square(a[i] + c[i]) - a[i]**3
stage t[i] = c[i] - (let d = a[i] - s[i] in let e = d*d in e*d)
stage u[i] = sum[k in 0..24 where k != i]((a[k] - t[i])**2)
stage v[i] = u[i]
update v[i] += (let d = a[k] in d*d) over k in 0..9
output v: [24]
)";
        for (const auto* lines :
             {"", "s.inline()\nt.vectorize(i, 8)\n", "u.vectorize(i, native)\nu.unroll(k, 5)\n",
              "v.update(0).reorder(k, i)\nv.update(0).vectorize(i, 5)\n"})
            expect_agreement(pipeline,
                             std::string("schedule for p\n*.contract()\nv.update(0).contract()\n") +
                                 lines);
    }
}

// An `over` axis may bear the name of a variable; its range then belongs to the region, which
// lacked it.
TEST(Regressions, OverAxisNamedLikeAVariable) {
    expect_agreement(R"(pipeline p
input a: i32[10, 10] boundary edge
stage s[y, x]: i32 = a[y, x]
update s[y, x] = s[y, x - 2] + a[y, x] over x in 2..5
stage t[y, x]: i32 = s[2*y + 1, y] + s[y, (y + 1)/3 - 1]
output t: [2, 5]
)",
                     "schedule for p\ns.compute_at(t, y)\n");
}

// A copy that only an empty reduction reads has no storage, and its reader must not be lowered.
TEST(Regressions, CopyForAnEmptyReduction) {
    expect_agreement(R"(pipeline p
input a: i32[13] boundary zero
stage s[y]: i32 = sum[k in -1..-1](a[k + y])
output s: [17]
)",
                     "schedule for p\nc = s.cache_read(a, local)\n");
}

// A stage that only an empty reduction reads is known to the reference all the same.
TEST(Regressions, StageForAnEmptyReduction) {
    expect_agreement(R"(pipeline p
input a: i32[13] boundary zero
stage s[y]: i32 = a[y] + 1
stage t[y]: i32 = sum[k in 0..0](s[k + y])
output t: [5]
)",
                     "schedule for p\n");
}

// Iterations that only compute ahead were added to a loop that has none, and what they read has no
// memory: nothing is needed of it.
TEST(Regressions, WhatAnEmptyReductionWouldComputeAhead) {
    for (const std::string sum :
         {"argmax[k in 0..0](s[y + k])", "argmin[k in 3..3](s[k])",
          "argmax[k in 0..0, l in 0..4](s[k + l])", "argmax[l in 0..4, k in 2..2](s[k + l])"})
        for (const std::string lines :
             {"s.pipeline(2)\n", "s.pipeline(3)\n", "s.store_at(t, y)\n", "s.store_root()\n",
              "t.reorder(k, y)\ns.pipeline(2)\n", "s.unroll(y)\ns.pipeline(2)\n"})
            expect_agreement("pipeline p\ninput a: i32[13] boundary zero\n"
                             "stage s[y]: i32 = a[y] + 1\nstage t[y]: (i32, i32) = " +
                                 sum + "\nstage u[y]: i32 = t[y].1 + i32(t[y].0)\noutput u: [5]\n",
                             "schedule for p\ns.compute_at(t, k)\n" + lines);
}

// LLVM 19 turned a division by `select(unsafe, 1, C)` into one by 1 in all lanes where one lane of
// the constant vector C is zero.
TEST(Regressions, DivisionByAConstantVectorWithAZero) {
    expect_agreement(R"(pipeline p
input a: i8[9] boundary zero
stage s[y]: i32 = (i32(a[y]) - i32(a[y + 2])) % (6 - y)
output s: [6]
)",
                     "schedule for p\ns.vectorize(y, 16)\n");
}

// The divisor is a loop variable's vector, which is 0, 1, 2, 3 in the branch where nothing is
// clamped: LLVM found that out after it had seen the test for zero.
TEST(Regressions, DivisionByAVectorThatABranchMakesConstant) {
    for (const std::string type : {"u64", "i64", "u32", "i32", "u16", "i8"})
        for (const std::string op : {"/", "%"}) {
            const Pair pair{"pipeline p\ninput a: i32[1, 5, 6] boundary edge\n"
                            "stage s[y, x]: (i32, " +
                                type +
                                ") = (0, 0)\n"
                                "update s[y, x] = (0, " +
                                type + "(a[0, x, y + x]) " + op + " " + type +
                                "(x))\noutput s: [2, 9]\n",
                            "schedule for p\nc = s.cache_write(local)\n"
                            "c.update(0).vectorize(x, 4)\n",
                            1};
            const auto verdict = judge(pair);
            EXPECT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
        }
}

// A let of an inlined body gets a new name at each use, which no name of the pipeline may equal.
TEST(Regressions, LetsOfInlinedBodiesKeepApart) {
    expect_agreement(R"(pipeline p
input a: i32[13] boundary zero
stage s[y]: i32 = let t = a[y] in t + t
stage r[y]: i32 = let t_1 = s[y + 1] in s[y] * t_1 - s[y + 2] * (let t_2 = s[y - t_1 % 3] in t_2 + t_1)
output r: [9]
)",
                     "schedule for p\ns.inline()\n");
}

// LLVM 19 widened a scatter of 23 lanes to 32 without switching the new lanes off: they wrote
// anywhere.
TEST(Regressions, ScatterOfOddLanes) {
    expect_agreement(R"(pipeline p
input a: i32[3, 10] boundary edge
stage s[y, x, c]: f32 = 0.1f32
update s[y, x, a[0, x] % 7] max= (-f32(y)) over r in 0..5 where bool(a[y + x, 0])
stage t[y, x]: f32 = s[y - 1, x - 3, y - 1]
output t: [23, 23]
)",
                     "schedule for p\ns.update(0).vectorize(x)\n");
}

// An empty update made region inference skip those after it.
TEST(Regressions, UpdatesAfterAnEmptyOne) {
    expect_agreement(R"(pipeline p
param K = 0
input a[x]: f32[64]
stage s[x]: f32 = a[x]
update s[k] += 1.0 over k in 0..K
update s[r] += 2.0 over r in 0..64
stage out[x]: f32 = s[x]
output out: [64]
)",
                     "schedule for p\ns.compute_at(out, x)\n");
}

// Each update widens the region that the one before it needs: two rounds are not enough.
TEST(Regressions, ChainOfUpdatesAgainstTheirOrder) {
    expect_agreement(R"(pipeline p
input A[a]: f32[64] boundary edge
stage s[a, b, c]: f32 = A[a] + A[b] * A[c]
update s[a, b, b] += 1.0
update s[a, a, c] += 2.0
update s[k, b, c] += 3.0 over k in 0..8
stage out[i]: f32 = s[i + 8, 20, 30]
output out: [8]
)",
                     "schedule for p\ns.compute_at(out, i)\n");
}

// The test whether a vector lies inside its input read data before the guard of the split's tail.
TEST(Regressions, InteriorTestOfADataDependentIndex) {
    expect_agreement(R"(pipeline p
input img[y, x]: f32[100, 64] boundary edge
input pos[y]: i32[100]
stage out[y, x]: f32 = img[pos[y], x + 1]
output out: [100, 64]
)",
                     "schedule for p\nout.split(y, yo, yi, 8)\nout.vectorize(x, 8)\n");
}

// … and it took the name of a let out of its scope.
TEST(Regressions, InteriorTestOfALetIndex) {
    expect_agreement(R"(pipeline p
input img[x]: f32[100] boundary edge
stage out[x]: f32 = let t = x * 2 - 30 in img[t] + f32(t)
output out: [96]
)",
                     "schedule for p\nout.vectorize(x, 8)\n");
}

// A clamp of a u64 index, of which only the upper end is known, was computed in i64: from 2^63 on
// it became negative.
TEST(Regressions, IndicesBeyondI64) {
    const char* boundaries[] = {"edge", "zero", "constant(7)", "wrap", "mirror", "reflect"};
    const char* indices[] = {"~(a[i] >> 60)", "a[i] * 0x9e3779b97f4a7c15u64", "u64(0) - a[i] % 50",
                             "bits(f64(a[i]) * -1.0)"};
    for (const char* schedule : {"", "s.vectorize(i, 8)\n"})
        for (const char* index : indices)
            for (const char* boundary : boundaries)
                expect_agreement("pipeline p\ninput a[i]: u64[20]\ninput b[i]: u8[20] boundary " +
                                     std::string(boundary) + "\nstage s[i] = b[" + index +
                                     "]\noutput s: [20]\n",
                                 std::string("schedule for p\n") + schedule);
}

TEST(Regressions, SignedIndicesAtTheirEnds) {
    for (const char* boundary : {"edge", "zero", "constant(7)", "wrap", "mirror", "reflect"})
        for (const char* schedule : {"", "s.vectorize(i, 8)\n"})
            expect_agreement("pipeline p\ninput a[i]: i64[20]\ninput b[i]: u8[20] boundary " +
                                 std::string(boundary) +
                                 "\nstage s[i] = b[select(a[i] > 0, a[i] % 3 - 9223372036854775807 "
                                 "- 1, a[i] % 3 + "
                                 "9223372036854775805)]\noutput s: [20]\n",
                             std::string("schedule for p\n") + schedule);
}

// LLVM 19 narrowed a maximum of two widened f16 vectors to one of half, and lost the NaN beside a
// zero.
TEST(Regressions, NaNBesideZeroInVectorsOfF16) {
    const char* operations[] = {"max(a[i], b[i])",
                                "min(a[i], b[i])",
                                "max(b[i], a[i])",
                                "clamp(b[i], a[i], a[i])",
                                "max[k in 0..5](select(k == i % 5, b[i], a[i]))",
                                "min[k in 0..5](select(k == i % 5, b[i], a[i]))"};
    for (const char* type : {"f16", "bf16"})
        for (const char* operation : operations)
            expect_agreement(
                "pipeline p\ninput z[i]: " + std::string(type) +
                    "[32]\nstage a[i] = z[i]*0.0\nstage b[i] = a[i]/a[i]\nstage m[i] = " +
                    operation + "\noutput m: [32]\n",
                "schedule for p\nm.vectorize(i, 16)\n");
}

// A second cache of a stage holds what the first one computed: contracting it contracts nothing.
TEST(Regressions, ACacheOfWhatACacheComputed) {
    expect_agreement("pipeline p\ninput a[i]: bf16[32]\n"
                     "stage s[i] = (a[i] - a[31 - i]*bf16(i)) - (3.0bf16 / (a[i] + 2.75bf16))\n"
                     "stage m[i] = s[i]\noutput m: [32]\n",
                     "schedule for p\nfirst = s.cache_write(local)\n"
                     "second = s.cache_write(local)\nsecond.contract()\n");
}

// The second iteration of a loop of two has a constant value, and the first one's was taken to be
// the same.
TEST(Regressions, WindowsOverTwoIterations) {
    expect_agreement("pipeline p\nstage s[y, x]: i32 = y*8 + x\n"
                     "stage t[y, x] = s[y + 2, x] + s[2*y, x]\nstage out[y] = t[y + 2, 0]\n"
                     "output out: [2]\n",
                     "schedule for p\ns.compute_at(t, y)\ns.store_root()\n");
}

// A stage inside one that shares its loops with another, and a host that comes before what it is to
// hold.
TEST(Regressions, NothingIsAroundItself) {
    for (std::uint64_t seed = 940250; seed < 940260; ++seed)
        EXPECT_NO_THROW(random_pair(seed));
}

// Two definitions that share a loop prefetch the same input at it.
TEST(Regressions, PrefetchesOfBothWhoShareALoop) {
    expect_agreement("pipeline p\ninput a[y, x]: i32[1, 2] boundary edge\n"
                     "stage s[y, x, c]: i32 = a[y, x]\nupdate s[y, x, c] = a[y, x]\n"
                     "output s: [1, 2, 2]\n",
                     "schedule for p\ns.compute_with(s.update(0), y)\n"
                     "s.update(0).prefetch(a, y, 1)\ns.prefetch(a, y, 1)\n");
}

// A window read by a stage that warms up and by one that does not: the hull of both must hold in
// the warm-up, too.
TEST(Regressions, WindowsThatTwoReadersShareWhileOneWarmsUp) {
    expect_agreement(
        "pipeline s\ninput src[y, x]: i32[10, 6] boundary mirror\n"
        "stage P[y, x] = src[y, x]*3 + y*7 - x\nstage Q[y, x] = P[y, x]\n"
        "stage F[y, x]: i32 = sum[k in 0..3](Q[y, x] + -2*Q[2*y, min(x/2 + 1, max(3, x - "
        "2))] + P[1, 5 - x])\noutput F: [10, 6]\n",
        "schedule for s\nQ.compute_at(F, k)\nQ.store_root()\nP.compute_at(F, x)\n"
        "P.store_root()\n");
}

// A window kept outside of merged loops that are inside another nest: all of their stages let it
// warm up.
TEST(Regressions, WindowsOfMergedNestsInsideAnother) {
    const std::string pipeline = "pipeline w\ninput src[y, x]: i32[12, 9] boundary edge\n"
                                 "stage P[y, x] = src[y, x]*3 + y\n"
                                 "stage A[y, x] = P[y - 1, x] + P[y + 1, x]\n"
                                 "stage B[y, x] = P[y - 1, x]*2 - P[y + 1, x]\n"
                                 "stage S[y, x] = A[y, x] + B[y, x]*5\n"
                                 "stage F[y, x] = S[y - 1, x] - S[y + 1, x]*3\n"
                                 "output F: [12, 9]\n";
    const std::string placed = "S.compute_at(F, y)\nS.store_root()\nA.compute_at(F, y)\n"
                               "B.compute_at(F, y)\n";
    for (const std::string merged : {"A.compute_with(B, y)\nP.compute_at(B, y)\n",
                                     "B.compute_with(A, x)\nP.compute_at(A, x)\n"})
        for (const std::string store : {"P.store_root()\n", "P.store_at(F, y)\n"})
            expect_agreement(pipeline, "schedule for w\n" + placed + merged + store);
}

// A tuple's component that nobody reads is not stored, whatever else is made of it.
TEST(Regressions, ComponentsThatNobodyReads) {
    const char* stages[] = {
        "stage t[i] = (a[i], i)\n", "stage t[i] = argmax[k in 0..20](a[k] * a[i])\n",
        "stage t[i] = (a[i], i)\nupdate t[i] += (a[r], r) over r in 3..9\n",
        ("stage t[i] = (a[i], i)\n"
         "update t[r] = (t[r - 1].0 + a[r], t[r - 1].1 + i32(t[r].0)) over r in 3..9\n")};
    for (const char* component : {"0", "1"})
        for (const char* stage : stages)
            for (const char* schedule : {"", "t.vectorize(i, 4)\n", "t.compute_at(s, i)\n"})
                expect_agreement("pipeline p\ninput a[i]: f32[20] boundary edge\n" +
                                     std::string(stage) + "stage s[i] = t[19 - i]." + component +
                                     "\noutput s: [20]\n",
                                 std::string("schedule for p\n") + schedule);
}

// Memory of a pipelined copy lies outside of the stage that it is computed in, and its least
// element was left as a variable of that stage, which is bound further inside.
TEST(Regressions, PipelinedCopyInsideAPlacedStage) {
    const char* pipeline = R"(pipeline p
input a: i32[7, 9] boundary edge
stage s0[y, x]: i32 = a[y, x] + a[y + 1, x]
stage s1[y, x]: i32 = s0[y, x] * s0[y, x + 1]
output s1: [6, 5]
)";
    for (const char* factor : {"1", "2", "4"})
        for (const char* copies : {"2", "3"})
            expect_agreement(
                pipeline,
                std::string("schedule for p\ns0.compute_at(s1, y)\ns0.split(y, yo, yi, ") + factor +
                    ")\ncopy = s0.cache_read(a, shared)\ncopy.compute_at(s0, yo)\n"
                    "copy.pipeline(" +
                    copies + ")\n");
}

// Numbers of 64 bits in an index that a remainder or a clamp holds: the linear forms of vectors,
// and the model's counts of bytes, overflowed (undefined behaviour, which only a sanitizer sees).
TEST(Regressions, IndicesThatWrapBeforeTheyAreHeld) {
    for (const char* index :
         {"i32((i64(x)*4611686018427387904) % 5)", "i32((i64(x)*-4 - 3)*4611686018427387904 % 5)",
          "i32(max(i64(x)*4611686018427387904, 7) % 5)",
          "i32((i64(x) - 9223372036854775807) * 2 % 5)",
          "i32((i64(x - 1)*4611686018427387904) % 2)",
          "i32(min(i64(x)*9223372036854775807 + i64(x)*9223372036854775807, 9) % 5)"})
        for (const char* schedule :
             {"", "s.vectorize(x, 4)\n", "s.split(x, xo, xi, 4)\ns.unroll(xi)\n"})
            expect_agreement(std::string("pipeline p\ninput a: i32[5]\nstage s[x]: i32 = a[") +
                                 index + "] + a[clamp(x - 1, 0, 4)]\noutput s: [11]\n",
                             std::string("schedule for p\n") + schedule);
}

// What is stored under a condition before it is read accumulates nothing: the register's first
// value came from memory that nothing had written.
TEST(Regressions, ConditionalStoreBeforeALoad) {
    expect_agreement(R"(pipeline p
input a: i32[8] boundary wrap
stage s[y]: i32 = -1 + a[y]
stage o[y, x]: i32 = s[y]
output o: [2, 1]
)",
                     "schedule for p\no.split(y, e1, e2, 2)\ncopy = o.cache_read(s, shared)\n"
                     "copy.compute_at(o, e2)\ncopy.store_root()\ncopy.vectorize(y, native)\n");
}

// Two merged nests, each of which needs what the other computes: the tree was sought for ever.
TEST(Regressions, MergedNestsThatNeedEachOther) {
    const std::string text = R"(pipeline p
input a: f64[4, 5] boundary zero
stage d0[y, x]: f64 = a[y, x] * 2
stage d1[y, x]: f64 = a[y, x] + a[y, x - 1]
stage p0[y, x]: f64 = d0[y, x] - 1
stage p1[y, x]: f64 = d1[y, x] * 3
stage o[y, x]: f64 = p0[y, x] - p1[y, x]
output o: [12, 8]
)";
    auto loaded = load_pipeline(std::make_shared<SourceFile>("p.loop", text), {});
    ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
    auto schedule = [&](const std::string& lines) {
        auto parsed = parse_schedule(
            std::make_shared<SourceFile>("p.sched", "schedule for p\n" + lines), nullptr);
        return schedule_tree(loaded->pipeline, *parsed, {});
    };
    EXPECT_TRUE(schedule("p1.compute_with(d0, y)\n").ok());
    EXPECT_TRUE(schedule("p0.compute_with(d1, y)\n").ok());
    auto both = schedule("p1.compute_with(d0, y)\np0.compute_with(d1, y)\n");
    ASSERT_FALSE(both.ok());
    EXPECT_NE(format(both.errors()).find("would each have to run before the other"),
              std::string::npos)
        << format(both.errors());
    EXPECT_EQ(both.errors()[0].code, "merge");
}

// A reader shared more loops with the first of three than with the one that it reads, and ran
// before that.
TEST(Regressions, MergedReaderInAnEarlierNest) {
    const std::string text = R"(pipeline p
input a: i32[4, 12] boundary edge
stage p0[y, x]: i32 = a[y, x] * 2
stage p1[y, x]: i32 = a[y, x] + 1
stage o[y, x]: i32 = (p0[y, x] + p1[y, x])
output o: [3, 5]
)";
    auto loaded = load_pipeline(std::make_shared<SourceFile>("p.loop", text), {});
    ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
    auto parsed = parse_schedule(
        std::make_shared<SourceFile>(
            "p.sched", "schedule for p\no.compute_with(p0, x)\np1.compute_with(o, y)\n"),
        nullptr);
    auto tree = schedule_tree(loaded->pipeline, *parsed, {});
    ASSERT_FALSE(tree.ok());
    EXPECT_NE(format(tree.errors()).find("shares inner loops with a definition whose nest runs"),
              std::string::npos)
        << format(tree.errors());
    for (const char* schedule : {"o.compute_with(p0, x)\np1.compute_with(o, x)\n",
                                 "o.compute_with(p0, y)\np1.compute_with(o, y)\n",
                                 "o.compute_with(p1, x)\np0.compute_with(o, x)\n"})
        expect_agreement(text, std::string("schedule for p\n") + schedule);
}

// Columns of a tile are loaded together where all stores find the tile at one place; here a store
// between changes it.
TEST(Regressions, TileWhosePlaceIsWrittenBetweenItsReads) {
    expect_agreement(R"(pipeline p
input a: i32[8, 64]
stage s[i]: i32 = i
update s[8*((r + 1)%2) + x] = a[x, clamp(s[8*(r%2)], 0, 9)] + a[x, clamp(s[8*(r%2)], 0, 9) + 1] over r in 0..4, x in 0..8
output s: [16]
)",
                     "schedule for p\ns.update(0).unroll(r)\ns.update(0).vectorize(x)\n");
}

// A shrunk pair is bad as the whole one was: what makes a schedule inapplicable, or a pipeline no
// pipeline, is no smaller case of a program that computes something else.
TEST(Shrinking, KeepsTheKindOfFailure) {
    const Pair pair{R"(pipeline p
input a: i32[9, 9] boundary edge
input b: i32[9] boundary zero
stage s0[y, x]: i32 = (a[y, x] + (a[y + 1, x] * 2))
stage s1[y, x]: i32 = (s0[y, x - 1] - max(s0[y, x + 1], b[x]))
stage s2[y, x]: i32 = (s1[y + 1, x] * s1[y - 1, x])
output s2: [7, 12]
)",
                    "schedule for p\ns0.unroll(x, 2)\ns1.compute_at(s2, y)\ns1.vectorize(x, 4)\n"
                    "s2.split(x, xo, xi, 5)\ns2.parallel(xo)\n",
                    2};
    // As if something failed wherever a split has a tail; what does not apply is bad in another
    // way.
    auto judge_splits = [](const Pair& candidate) -> Verdict {
        auto verdict = judge(candidate);
        if (verdict.outcome == Outcome::Agree &&
            candidate.schedule.find(".split(") != std::string::npos)
            return {Outcome::Failure, "it splits", "passes"};
        return verdict;
    };
    const auto small = shrink(pair, judge_splits);
    EXPECT_TRUE(judge_splits(small).same_kind({Outcome::Failure, "", "passes"}));
    EXPECT_EQ(lines_of(small.schedule).size(), 2U) << small.schedule;
    const auto lines = lines_of(small.pipeline);
    EXPECT_LE(lines.size(), 4U) << small.pipeline;
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [](const auto& line) { return line.starts_with("stage "); }),
              1)
        << small.pipeline;
    // The verdict on a schedule that does not apply is a kind of its own.
    const Pair broken{pair.pipeline, "schedule for p\ns2.split(q, xo, xi, 5)\n", 2};
    EXPECT_EQ(judge(broken).outcome, Outcome::Failure);
    EXPECT_NE(judge(broken).kind, "passes");
}

// … and files keep it: texts, and the seed of the inputs.
TEST(Shrinking, SavedPairsAreReadBack) {
    const Pair pair{"pipeline p\ninput a: i32[3]\nstage s[i] = a[i]\noutput s: [3]\n",
                    "schedule for p\ns.vectorize(i)\n", 42};
    const auto path = test::scratch_folder() + "/pair";
    save_pair(path, pair, {Outcome::Mismatch, "two\nlines", "compiled program"});
    const auto back = read_pair(path);
    EXPECT_EQ(back.pipeline, pair.pipeline);
    EXPECT_EQ(back.schedule, pair.schedule);
    EXPECT_EQ(back.seed, pair.seed);
    EXPECT_EQ(judge(back).outcome, Outcome::Agree);
}

// Kept at a loop that the host shares with a stage that is laid out later, or that is none of those
// around: it was asked for the layout of that one, which was not there.
TEST(Regressions, StoredAtALoopThatItsHostShares) {
    const std::string e = "stage e[y, x] = img[y, x] * 2.0\n";
    for (const auto& [before, after] : {std::pair(e, std::string()), std::pair(std::string(), e)}) {
        const auto made = "pipeline p\ninput img[y, x]: f32[20, 18] boundary edge\n" + before +
                          "stage w[y, x] = img[y, x] + 3.0\n"
                          "stage l[y, x] = w[y, x] + w[y + 1, x + 1]\n" +
                          after + "stage o[y, x] = l[y, x] + e[y, x]\noutput o: [20, 18]\n";
        for (const auto* lines : {"w.compute_at(l, x)\nl.compute_with(e, y)\nw.store_at(e, y)\n",
                                  "e.split(y, yo, yi, 4)\nl.split(y, yo, yi, 4)\n"
                                  "l.compute_with(e, yi)\nw.compute_at(l, x)\nw.store_at(e, yo)\n"})
            expect_agreement(made, std::string("schedule for p\n") + lines);
    }
}

// What is computed inside of a pipelined stage reads e an iteration ahead: e goes ahead as well.
TEST(Regressions, PipelinedStageReadsByWayOfOneInside) {
    const auto* made = "pipeline p\ninput a[y, x]: i32[3, 9] boundary edge\n"
                       "stage e[y, x] = a[y, x] + 1\nstage s[y, x] = e[y, x] + e[y, x + 2]\n"
                       "stage c[y, x] = s[y, x] * 3\nstage o[y, x] = c[y, x] - 5\n"
                       "output o: [3, 9]\n";
    for (const auto* copies : {"2", "3"})
        expect_agreement(made, std::string("schedule for p\nc.compute_at(o, x)\n"
                                           "s.compute_at(c, x)\ne.compute_at(o, x)\n"
                                           "e.pipeline(") +
                                   copies + ")\nc.pipeline(2)\n");
}

// An iteration of the merged loops writes each fourth row, and was taken to write those between as
// well: what reads the very rows that it writes shares its loops, and is right.
TEST(Regressions, MergedLoopsWithStridesInside) {
    expect_agreement(R"(pipeline p
input img[y, x]: f32[18, 8] boundary edge
stage a[y, x] = img[y, x] + 1.0
stage e[y, x] = a[y, x/2]
output e: [16, 8]
)",
                     "schedule for p\na.split(y, yo, yi, 4)\na.reorder(yi, yo)\n"
                     "e.split(y, yo, yi, 4)\ne.reorder(yi, yo)\ne.compute_with(a, yi)\n");
}

// Nothing is needed of the stage whose loops are shared: it was left out, and with it what shares
// them.
TEST(Regressions, LoopsSharedWithAStageOfWhichNothingIsNeeded) {
    const auto* made = "pipeline p\ninput img[y, x]: i32[20, 18] boundary edge\nstage u[y, x] = 0\n"
                       "update u[y, x] = img[y, x] over y in 1..8, x in 0..8\n"
                       "stage e[y, x] = img[y, x] + 1\nstage l[y, x] = img[y, x] * 2\n"
                       "stage o[y, x] = e[y, x] + l[y, x]\noutput o: [7, 8]\n";
    for (const auto* lines :
         {"o.compute_with(u.update(0), x)\n", "u.update(0).compute_with(o, y)\n",
          "u.update(0).vectorize(x, 4)\no.vectorize(x, 4)\nu.update(0).compute_with(o, y)\n",
          "u.update(0).compute_with(o, y)\ne.compute_at(o, y)\nl.compute_at(o, x)\n",
          "u.update(0).compute_with(e, y)\nu.update(0).compute_with(l, y)\n"})
        expect_agreement(made, std::string("schedule for p\n") + lines);
}

// Rows of s that would leave the box move back inside; the diagonal that its update writes there
// must be held too, in memory and where the stage is stored further out.
TEST(Regressions, UpdatesWriteFromWhereTheRegionHasMoved) {
    const auto* made = "pipeline p\ninput img[y, x]: i32[8, 12] boundary edge\n"
                       "stage s[y, x]: i32 = img[y, x]\nupdate s[y, y] += 5\n"
                       "update s[y, x] += 7 over y in 1..4, r in 0..2\n"
                       "stage e[y]: i32 = 0\nupdate e[r % 4] += s[r, r + 3] over r in 0..7\n"
                       "output e: [4]\n";
    for (const auto* lines :
         {"s.compute_at(e.update(0), r)\n", "s.compute_at(e.update(0), r)\ns.store_root()\n",
          "e.update(0).split(r, ro, ri, 3)\ns.compute_at(e.update(0), ri)\n"
          "s.store_at(e.update(0), ro)\n",
          "e.update(0).split(r, ro, ri, 2)\ns.compute_at(e.update(0), ro)\n"
          "s.update(0).vectorize(y, 4)\n",
          "s.compute_at(e.update(0), r)\ns.pipeline(3)\n"})
        expect_agreement(made, std::string("schedule for p\n") + lines);
}

// A nest of two stages runs after the one that the first of them reads, and so does the second,
// which reads nothing.
TEST(Regressions, MergedStagesRunTogetherBehindAnotherNest) {
    const std::string stages = "stage p0[y, x]: i32 = d0[y, x] + 1\nstage p1[y]: i32 = 3*y\n";
    for (const auto* outputs : {"output p0: [4, 3]\noutput p1: [4]\n", ""})
        expect_agreement("pipeline p\nstage d0[y, x]: i32 = 7*y + x\n" + stages +
                             "stage p2[y, x]: i32 = d0[y, x]\noutput p2: [4, 3]\n" + outputs,
                         "schedule for p\np1.compute_with(p0, y)\nd0.compute_with(p2, y)\n");
    // Through a third nest, whose second stage stands before all that it reads.
    expect_agreement("pipeline p\nstage d0[y]: i32 = 7*y\nstage q0[y]: i32 = y*y\n"
                     "stage p0[y]: i32 = d0[y] + 1\nstage q1[y]: i32 = p0[y] + 2\n"
                     "stage p1[y]: i32 = 3*y\nstage r[y]: i32 = q0[y] + 5\n"
                     "stage p2[y]: i32 = d0[y]*2\noutput p2: [4]\noutput q1: [4]\n"
                     "output p1: [4]\noutput r: [4]\n",
                     "schedule for p\nq1.compute_with(q0, y)\np1.compute_with(p0, y)\n"
                     "p2.compute_with(d0, y)\n");
}

// Updates widen what an iteration computes of a dimension that does not slide beyond what is read
// of it at a time: the circular buffer holds that as well.
TEST(Regressions, FoldedDimensionThatUpdatesWiden) {
    auto made = [](const char* update, const char* reads, const char* size) {
        return std::string("pipeline p\ninput a: i32[20, 20] boundary edge\n"
                           "stage s[y, x]: i32 = a[y, x]\nupdate ") +
               update + "\nstage t[y]: i32 = " + reads + "\noutput t: [" + size + "]\n";
    };
    const std::string script = "schedule for p\n";
    expect_agreement(made("s[x, x] = x", "s[3*y - 1, y]", "3"),
                     script + "s.compute_at(t, y)\ns.store_root()\n");
    expect_agreement(made("s[y, y] += 100", "s[min(y, 6), y] + 3*s[min(y, 6) - 1, y]", "13"),
                     script + "t.split(y, yo, yi, 5)\ns.split(x, xo, xi, 2)\ns.reorder(xi, xo, y)\n"
                              "s.compute_at(t, yo)\ns.store_root()\n");
}

// A guard inside of a tile ends what an iteration of the shared loops computes: six rows, not the
// eight of two vectors.
TEST(Regressions, MergedTilesThatGuardsInsideCut) {
    auto loaded = [](const char* reads) {
        return load_pipeline(
            std::make_shared<SourceFile>(
                "p.loop", std::string("pipeline p\ninput a: i32[20] boundary edge\n"
                                      "stage e[y]: i32 = a[y]*3\nstage t[y]: i32 = ") +
                              reads + "\noutput t: [13]\n"),
            {});
    };
    const std::string splits = "t.split(y, yo, yi, 6)\ne.split(y, yo, y1, 6)\n"
                               "e.split(y1, ym, yi, 4)\n";
    auto schedule = [&](const char* reads, const std::string& lines) {
        auto parsed = parse_schedule(
            std::make_shared<SourceFile>("p.sched", "schedule for p\n" + splits + lines), nullptr);
        return schedule_tree(loaded(reads)->pipeline, *parsed, {});
    };
    auto refused = schedule("e[y] + e[y + 2]", "e.compute_with(t, yo)\n");
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(format(refused.errors()).find("reads up to 2 elements beyond"), std::string::npos)
        << format(refused.errors());
    auto racing = schedule("e[y] + e[min(y + 1, 12)]",
                           "t.parallel(yo)\ne.parallel(yo)\ne.compute_with(t, yo)\n");
    ASSERT_FALSE(racing.ok());
    EXPECT_EQ(racing.errors()[0].code, "merge");
    // What is computed by then may be read, also where both nests have such tiles.
    for (const auto* lines :
         {"e.compute_with(t, yo)\n", "t.split(yi, ym, y2, 4)\ne.compute_with(t, yo)\n",
          "t.split(yi, ym, y2, 4)\ne.compute_with(t, ym)\n"})
        expect_agreement(("pipeline p\ninput a: i32[20] boundary edge\nstage e[y]: i32 = a[y]*3\n"
                          "stage t[y]: i32 = e[y] + e[max(y - 2, 0)]\noutput t: [13]\n"),
                         "schedule for p\n" + splits + lines);
}

// A guard that leaves one value of a shared loop: in its other iterations nothing is computed, so
// that what is read there comes from another one, which parallel loops may not do.
TEST(Regressions, MergedIterationsThatAGuardLeavesEmpty) {
    for (const auto& [stages, lines] : std::initializer_list<std::pair<std::string, std::string>>{
             {"stage e[y]: i32 = 7*y\nupdate e[y] *= 3\noutput e: [4]\n",
              "e.split(y, a, b, 4)\ne.split(a, c, d, 4)\ne.update(0).split(y, c, d, 4)\n"
              "e.parallel(d)\ne.update(0).parallel(d)\ne.compute_with(e.update(0), d)\n"},
             {"stage e[y]: i32 = 7*y\nstage t[y]: i32 = e[y] + e[max(y - 1, 0)]\noutput t: [4]\n",
              "e.split(y, a, b, 4)\ne.split(a, c, d, 4)\nt.split(y, c, d, 4)\n"
              "e.parallel(d)\nt.parallel(d)\ne.compute_with(t, d)\n"}}) {
        auto pipeline =
            load_pipeline(std::make_shared<SourceFile>("p.loop", "pipeline p\n" + stages), {})
                ->pipeline;
        auto parsed = parse_schedule(
            std::make_shared<SourceFile>("p.sched", "schedule for p\n" + lines), nullptr);
        auto tree = schedule_tree(pipeline, *parsed, {});
        ASSERT_FALSE(tree.ok()) << lines;
        EXPECT_EQ(tree.errors()[0].code, "merge") << format(tree.errors());
    }
}

// A reorder that moves the loop of a storage inside of the one where the stage is computed, while
// others are merged: why it is refused was looked for in layouts that there are none of.
TEST(Regressions, StorageInsideOfItsPlaceBesideMergedLoops) {
    auto pipeline =
        load_pipeline(std::make_shared<SourceFile>(
                          "p.loop", "pipeline p\ninput a: i32[9, 9] boundary edge\n"
                                    "stage q[y, x]: i32 = a[y, x]*3\n"
                                    "stage s[y, x]: i32 = q[y, x] + q[y, x + 1]\n"
                                    "stage t[y, x]: i32 = a[y, x] + 1\n"
                                    "stage u[y, x]: i32 = a[y, x] + 2\n"
                                    "output s: [8, 8]\noutput t: [8, 8]\noutput u: [8, 8]\n"),
                      {})
            ->pipeline;
    auto parsed = parse_schedule(
        std::make_shared<SourceFile>("p.sched", "schedule for p\nt.compute_with(u, y)\n"
                                                "q.compute_at(s, x)\nq.store_at(s, y)\n"
                                                "s.reorder(x, y)\n"),
        nullptr);
    auto tree = schedule_tree(pipeline, *parsed, {});
    ASSERT_FALSE(tree.ok());
    EXPECT_NE(format(tree.errors()).find("that loop is not around s.x"), std::string::npos)
        << format(tree.errors());
}

// A let in an index, in whose body something is read: flattening knew of the name what the copy of
// the loop before had said of it, and dropped the clamp of a boundary.
TEST(Regressions, LetsInIndicesOfPartsOfALoop) {
    expect_agreement("pipeline p\ninput a[i]: i32[24] boundary edge\ninput b[i]: i32[6]\n"
                     "input nn[i]: u8[16]\n"
                     "stage o[x] = b[clamp(let t = min(i32(nn[x]), 20) + x/2*20 in a[t] + "
                     "a[x - 2], 0, 5)]\noutput o: [16]\n",
                     "schedule for p\n");
    expect_agreement("pipeline p\ninput a[i]: i32[24] boundary edge\ninput nn[i]: u8[16]\n"
                     "stage o[v]: i32 = 0\n"
                     "update o[clamp(let t = min(i32(nn[x]), 20) + x/2*20 in a[t] + a[x - 2], 0, "
                     "5)] += 1 over x in 0..16\noutput o: [6]\n",
                     "schedule for p\n");
    expect_agreement("pipeline p\ninput a[i]: i32[24] boundary edge\ninput b[i]: i32[6]\n"
                     "stage o[x] = b[clamp(let t = x*3 in a[t] + a[x - 2], 0, 5)]\n"
                     "output o: [16]\n",
                     "schedule for p\no.split(x, xo, xi, 4)\no.vectorize(xi)\n");
}

} // namespace test_regressions
