// Index arithmetic of 64 bits, and such as wraps: what is inferred of it must be computed without
// wrapping, and what is proven of it must hold for what wraps. Each pair was once wrong.

#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/fuzz/judge.h"

#include <gtest/gtest.h>

#include <string>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_wide_indices {

void expect_agreement(const std::string& pipeline, const std::string& schedule) {
    for (std::uint64_t seed : {1, 2}) {
        Pair pair{"pipeline p\n" + pipeline, "schedule for p\n" + schedule, seed};
        JudgeOptions options;
        options.interpret = true;
        auto verdict = judge(pair, options);
        EXPECT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
    }
}

Result<ScheduleTreePtr> tree_of(const std::string& pipeline, const std::string& schedule) {
    auto loaded =
        load_pipeline(std::make_shared<SourceFile>("p.loop", "pipeline p\n" + pipeline), {});
    if (!loaded)
        throw std::runtime_error(format(loaded.errors()));
    auto parsed = parse_schedule(
        std::make_shared<SourceFile>("p.sched", "schedule for p\n" + schedule), nullptr);
    if (!parsed)
        throw std::runtime_error(format(parsed.errors()));
    return schedule_tree(loaded->pipeline, *parsed, {});
}

void expect_refused(const std::string& pipeline, const std::string& schedule,
                    const std::string& code) {
    auto tree = tree_of(pipeline, schedule);
    ASSERT_FALSE(tree.ok()) << pipeline << schedule;
    // "dependence-vectorise"
    EXPECT_TRUE(tree.errors()[0].code.starts_with(code)) << format(tree.errors());
    EXPECT_TRUE(tree_of(pipeline, "").ok()) << pipeline;
}

// A stage read at an index by another, computed where that runs.
void expect_region(const std::string& index, const std::string& schedule, int points = 9) {
    expect_agreement("stage p[x]: i32 = x*3\nstage s[y]: i32 = p[" + index + "]\noutput s: [" +
                         std::to_string(points) + "]\n",
                     schedule);
}

// Resampling in 32.32 fixed point: the region's constants are beyond i32, and so are its sums.
TEST(WideIndices, FixedPointIn64Bits) {
    expect_region("i32(i64(y)*6442450944 / 4294967296)", "p.compute_at(s, y)\n");
    expect_region("i32(i64(y)*6442450944 / 4294967296)",
                  "s.split(y, yo, yi, 4)\np.compute_at(s, yo)\n", 20);
    expect_region("i32(clamp(i64(y)*6442450944, 0, 30000000000) / 4294967296)",
                  "p.compute_at(s, y)\n");
    expect_agreement("input a: i32[60]\nstage s[y]: i32 = a[i32(i64(y)*6442450944 / 4294967296)]\n"
                     "output s: [20]\n",
                     "c = s.cache_read(a, local)\nc.compute_at(s, y)\n");
    expect_agreement("input a: i32[60] boundary edge\nstage p[x]: i32 = a[x]*3\n"
                     "stage s[y]: i32 = p[i32(i64(y)*3221225472 / 4294967296)] + "
                     "p[i32(i64(y)*3221225472 / 4294967296) + 1]\noutput s: [20]\n",
                     "p.compute_at(s, y)\np.store_root()\n");
    expect_agreement("input a: i32[40, 60]\nstage p[y, x]: i32 = a[y, x] + 1\n"
                     "stage s[y, x]: i32 = p[i32(i64(y)*6442450944 / 4294967296), "
                     "i32((i64(x)*8589934591 + 2147483648) / 4294967296)]\noutput s: [20, 20]\n",
                     "s.tile(y, x, yo, xo, yi, xi, 4, 8)\np.compute_at(s, xo)\ns.vectorize(xi)\n");
}

TEST(WideIndices, UnsignedOnesBeyondI32) {
    expect_agreement("input a: i32[60]\nstage p[y]: i32 = a[y] + 1\n"
                     "stage s[y]: i32 = p[i32(min(u32(y)*200000000, 3000000000) / 200000001)]\n"
                     "output s: [20]\n",
                     "p.compute_at(s, y)\n");
}

// The remainder by a great modulus of a falling index: its factor is not replaced by one that is
// beyond i32.
TEST(WideIndices, RemainderOfAFallingIndex) {
    for (const auto* index :
         {"(8 - y) % 1000000000", "(8 - 3*y + 30) % 100", "i32((8 - i64(y)) % 1099511627776)"})
        expect_region(index, "p.compute_at(s, y)\n");
}

// Where 64 bits do not do either, and beyond all that forms hold, ranges are all that is known.
TEST(WideIndices, BeyondForms) {
    for (const auto* index :
         {"i32((i64(y)*4611686018427387904) % 3)", "i32(clamp(i64(y)*4611686018427387904, 0, 5))",
          "i32(min(u64(y)*4611686018427387904, 9))",
          "i32(max(i64(y)*35184372088832, 7) / 35184372088832)",
          "i32(max(min(i64(y)*35184372088832 - 70368744177664, 5), "
          "-100000000000000) / 35184372088832)"}) {
        expect_region(index, "p.compute_at(s, y)\n", 6);
        expect_region(index, "s.split(y, yo, yi, 2)\np.compute_at(s, yo)\np.store_root()\n", 6);
    }
    expect_refused("input a: i32[60]\nstage p[y]: i32 = a[y] + 1\n"
                   "stage s[y]: i32 = p[i32(clamp(i64(y)*4611686018427387904, 0, 5))]\n"
                   "output s: [20]\noutput p: [20]\n",
                   "s.compute_with(p, y)\n", "merge");
}

// Iterations that fill a window run below the loop's own: what fits i32 there does not in them.
TEST(WideIndices, WindowsThatWarmUp) {
    for (const auto& [index, width] : std::initializer_list<std::pair<std::string, int>>{
             {"(y*3000000)/4000000", 900},
             {"(y*49152)/65536", 40000},
             {"(1600000000 - y*400000000)/399999999", 30}})
        for (const auto* split : {"", "s.split(y, yo, yi, 2)\n"})
            expect_agreement(
                "input a: i32[40] boundary wrap\n"
                "stage p[x]: i32 = a[x % 40]*3 + x\nstage s[y]: i32 = p[" +
                    index + "] + p[" + index + " + " + std::to_string(width) + "]\noutput s: [5]\n",
                std::string(split) + (*split ? "p.compute_at(s, yi)\n" : "p.compute_at(s, y)\n") +
                    "p.store_root()\n");
    // By way of a chain: the region's variable takes such values too.
    expect_agreement("input a: i32[40] boundary wrap\nstage p[x]: i32 = a[x % 40]*3 + x\n"
                     "stage s[y]: i32 = p[y*3] + p[y*3 + 2]\n"
                     "stage t[y]: i32 = s[(y*400000000)/399999999] + "
                     "s[(y*400000000)/399999999 + 30]\noutput t: [5]\n",
                     "s.compute_at(t, y)\ns.store_root()\np.compute_at(t, y)\np.store_root()\n");
}

// Below a `%` and in a cast i32 arithmetic may wrap, and then iterations meet that would not.
TEST(WideIndices, WhatWrapsIsNoAffineIndex) {
    for (const auto& [index, axes] : std::initializer_list<std::pair<std::string, std::string>>{
             {"(r*1073741824) % 7", "r in 0..7"},
             {"(r*715827883)/715827883 % 4", "r in 0..4"},
             {"i32(i64(r)*4294967296) % 7", "r in 0..7"},
             {"i32((i64(r)*1099511627776) % 7)", "r in 8388604..8388611"}}) {
        const auto update = "stage h[x]: i32 = x\nupdate h[" + index + "] = h[" + index +
                            "]*3 + r over " + axes + "\noutput h: [7]\n";
        expect_refused(update, "h.update(0).parallel(r)\n", "dependence");
        expect_refused(update, "h.update(0).vectorize(r)\n", "dependence");
    }
    expect_refused("stage h[x]: i32 = x\nupdate h[(r*1073741824 + q) % 49] = "
                   "h[(r*1073741824 + q) % 49]*3 + r + q over r in 0..7, q in 0..7\n"
                   "output h: [49]\n",
                   "h.update(0).reorder(q, r)\n", "dependence");
    // What does not wrap is proven as before.
    expect_agreement("stage h[x]: i32 = x\nupdate h[(r*3) % 7] = h[(r*3) % 7]*3 + r over "
                     "r in 0..7\noutput h: [7]\n",
                     "h.update(0).parallel(r)\n");
    expect_agreement("stage h[y, x]: i32 = x\nupdate h[y, (r + y) % 7] = h[y, (r + y) % 7]*3 + r "
                     "over r in 0..7\noutput h: [5, 7]\n",
                     "h.update(0).parallel(r)\n");
    // The user says that iterations may meet: their additions must be atomic.
    expect_agreement("stage h[x]: i32 = x\nupdate h[(r*1073741824) % 7] += r over r in 0..7\n"
                     "output h: [7]\n",
                     "h.update(0).atomic()\nh.update(0).parallel(r)\n");
}

TEST(WideIndices, WhatWrapsInAConditionSaysNothing) {
    for (const auto* condition : {"i32(i64(r)*4294967296) == 0", "(r*1073741824) % 4 == 0"})
        expect_refused(
            "stage h[x]: i32 = x\nupdate h[r % 2] = h[r % 2]*3 + r over r in 0..8 where " +
                std::string(condition) + " and r < 8\noutput h: [3]\n",
            "h.update(0).parallel(r)\n", "dependence");
}

// A condition reads the stage in every iteration, whatever else it says.
TEST(WideIndices, ConditionsThatReadTheStage) {
    for (const auto* condition : {"r < 4 and s[r % 4] > 3", "s[8 - r] > 3 and r < 4"})
        for (const auto* line : {"s.update(0).parallel(r)\n", "s.update(0).vectorize(r)\n"})
            expect_refused("stage s[y]: i32 = y*5 % 7\nupdate s[r] = s[r]*3 + 1 over r in 0..9 "
                           "where " +
                               std::string(condition) + "\noutput s: [9]\n",
                           line, "dependence");
    expect_agreement("stage s[y]: i32 = y*5 % 7\nupdate s[r] = s[r]*3 + 1 over r in 0..9 "
                     "where s[r] > 3 and r < 4\noutput s: [9]\n",
                     "s.update(0).parallel(r)\n");
}

// What a guard cuts off is counted to nevertheless.
TEST(WideIndices, LoopsThatCountBeyondI32) {
    const std::string sum = "input a: i64[1]\nstage s[y]: i64 = sum[k in 0..2147483647](a[0] + "
                            "i64(k / 2147483647))\noutput s: [1]\n";
    for (const auto& [pipeline, schedule] :
         {std::pair<std::string, std::string>{sum, "s.split(k, ko, ki, 1000)\n"},
          {"stage s[y]: i32 = y\noutput s: [5]\n",
           "s.split(y, yo, yi, 2000000000)\ns.split(yi, b, c, 1500000000)\n"}}) {
        auto tree = tree_of(pipeline, schedule);
        ASSERT_FALSE(tree.ok()) << schedule;
        EXPECT_NE(tree.errors()[0].message.find("beyond 2147483647"), std::string::npos)
            << format(tree.errors());
    }
    EXPECT_TRUE(tree_of(sum, "s.split(k, ko, ki, 2147483647)\n").ok());
}

} // namespace test_wide_indices
