// What rfactor makes of a pipeline computes the same: the reference evaluates both. Where order
// matters, on whole numbers.
#include "compiler/run/compare.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/run/reference/reference.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loopscope::test {
namespace test_factored {

struct Case {
    const char* text;
    std::vector<const char*> scripts;
    RandomMode mode;
};

void expect_same(const Case& test, const std::string& lines, std::uint64_t seed) {
    auto loaded = load_pipeline(
        std::make_shared<SourceFile>("p.loop", std::string("pipeline p\n") + test.text), {});
    ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
    const auto& pipeline = loaded->pipeline;
    auto schedule =
        parse_schedule(std::make_shared<SourceFile>("p.sched", "schedule for p\n" + lines));
    ASSERT_TRUE(schedule.ok()) << format(schedule.errors());
    auto tree = schedule_tree(pipeline, *schedule, {});
    ASSERT_TRUE(tree.ok()) << format(tree.errors()) << "\n" << lines;
    const auto inputs = random_inputs(*pipeline, [&](const Stage& stage) {
                            return RandomInput{combine(seed, hash_of(stage.name)), test.mode};
                        }).value();
    auto expected = evaluate(*pipeline, inputs), actual = evaluate(*(*tree)->derived, inputs);
    ASSERT_TRUE(expected.ok()) << format(expected.errors());
    ASSERT_TRUE(actual.ok()) << format(actual.errors()) << "\n" << lines;
    ASSERT_EQ(actual->size(), expected->size());
    for (const auto& [name, buffer] : *expected)
        EXPECT_TRUE(compare(actual->at(name), buffer).equal) << name << "\n"
                                                             << lines << to_text(*(*tree)->derived);
}

void expect_same(const Case& test) {
    for (const auto* lines : test.scripts)
        for (std::uint64_t seed : {1, 2, 3})
            expect_same(test, lines, seed);
}

const std::vector<const char*> kTwoAxes = {
    "R = S.rfactor(k)\n",
    "R = S.rfactor(l)\n",
    "S.split(k, ko, ki, 4)\nR = S.rfactor(ko)\n",
    "S.split(k, ko, ki, 3)\nR = S.rfactor(ki)\n",
    "S.fuse(k, l, f)\nS.split(f, fo, fi, 8)\nR = S.rfactor(fi)\n",
    "S.split(k, ko, ki, 3)\nS.split(ko, a, b, 3)\nR = S.rfactor(b)\nQ = R.rfactor(a)\n",
    "S.fuse(k, l, f)\nS.split(f, fo, fi, 7)\nS.split(fo, a, b, 2)\nS.fuse(b, fi, g)\n"
    "R = S.rfactor(g)\nS.split(g, go, gi, 5)\nQ = S.rfactor(go)\n",
    "S.split(l, k2, l2, 2)\nS.reorder(l2, k, k2, i)\nR = S.rfactor(k)\nR.contract()\n",
};

TEST(Factored, Reductions) {
    for (std::string op : {"sum", "prod", "min", "max"})
        for (std::string type : {"i32", "u8", "f32"}) {
            bool any_order = op == "min" || op == "max" || type != "f32";
            auto text = "input A[i, k, l]: " + type + "[6, 14, 5]\nstage S[i] = " + op +
                        "[k in 2..13, l in 0..5 where (k + l) % 3 != i % 2](A[i, k, l])\n"
                        "output S: [6]\n";
            auto mode = any_order      ? RandomMode::Hostile
                        : op == "prod" ? RandomMode::TinyWhole
                                       : RandomMode::SmallWhole;
            auto scripts = kTwoAxes;
            // there is nothing to contract
            if (type != "f32")
                scripts.pop_back();
            expect_same({text.c_str(), scripts, mode});
        }
    for (std::string op : {"any", "all"}) {
        auto text = "input A[i, k, l]: i32[6, 14, 5]\nstage S[i] = " + op +
                    "[k in 2..13, l in 0..5](A[i, k, l] > 7000)\noutput S: [6]\n";
        auto scripts = kTwoAxes;
        scripts.pop_back();
        expect_same({text.c_str(), scripts, RandomMode::Reals});
    }
}

// The term reads a stage at computed indices, the condition reads data, and what is read is inlined
// or copied.
TEST(Factored, TermsThatReadStages) {
    expect_same(
        {"input A[i, k]: i32[6, 40] boundary mirror\ninput B[k]: u8[40]\n"
         "stage t[i, k] = A[i, 2*k - 3] * (k + i)\n"
         "stage S[i] = sum[k in 1..38 where B[k] > 3u8](t[i, k + i] + t[i, i32(B[k]) % 9])\n"
         "stage out[i] = S[i] - S[i + 1]\noutput out: [5]\n",
         {"R = S.rfactor(k)\n", "S.split(k, ko, ki, 5)\nR = S.rfactor(ki)\nt.inline()\n",
          "t.inline()\nAs = S.cache_read(A, local)\nBs = S.cache_read(B, local)\n"
          "S.split(k, ko, ki, 8)\nR = S.rfactor(ko)\nBt = R.cache_read(Bs, local)\n",
          "S.split(k, ko, ki, 8)\nR = S.rfactor(ki)\nQ = R.rfactor(ko)\nQ.inline()\n"},
         RandomMode::Reals});
}

// The index that argmin finds is used as an index; the components of a tuple combine each by
// itself.
TEST(Factored, ArgumentsAsIndices) {
    expect_same({"input s[n, c]: f32[9, 14]\nstage best[n] = argmin[c in 1..14](s[n, c])\n"
                 "stage again[n] = s[n, best[n].1]\noutput again: [9]\n",
                 {"R = best.rfactor(c)\n", "best.split(c, co, ci, 4)\nR = best.rfactor(co)\n",
                  "best.split(c, co, ci, 16)\nR = best.rfactor(ci)\n",
                  "best.split(c, co, ci, 5)\nR = best.rfactor(ci)\nQ = R.rfactor(co)\n"},
                 RandomMode::Hostile});
}

TEST(Factored, UpdatesOfTuples) {
    for (std::string op : {"+=", "*=", "max=", "min="}) {
        auto text = "input a[i, k]: f32[5, 9]\ninput b[k]: u8[9]\n"
                    "stage l[i] = (a[i, 0], 3, 2.5f64)\nupdate l[i] " +
                    op +
                    " (a[i, k], i32(b[k]) + i, f64(b[k])) over k in 0..9 where b[k] != 1\n"
                    "output l: [4]\n";
        expect_same({text.c_str(),
                     {"R = l.update(0).rfactor(k)\n",
                      "l.update(0).split(k, ko, ki, 4)\nR = l.update(0).rfactor(ki)\n"
                      "Q = R.update(0).rfactor(ko)\n"},
                     op == "+=" ? RandomMode::SmallWhole : RandomMode::TinyWhole});
    }
}

TEST(Factored, Updates) {
    expect_same(
        {"input img[r, c]: u8[7, 9]\nstage H[i]: i32 = i * 3\n"
         "update H[i32(img[r, c])] += r + 2*c over r in 0..7, c in 1..9 where img[r, c] != 7u8\n"
         "update H[2*r] max= r over r in 0..20\noutput H: [300]\n",
         {"R = H.update(0).rfactor(r)\n", "R = H.update(0).rfactor(c)\n",
          "H.update(0).split(c, co, ci, 3)\nR = H.update(0).rfactor(co)\n"
          "Q = R.update(0).rfactor(r)\n",
          "H.update(1).split(r, ro, ri, 7)\nR = H.update(1).rfactor(ro)\n"
          "Q = H.update(0).rfactor(r)\n",
          "H.update(0).fuse(r, c, f)\nH.update(0).split(f, fo, fi, 10)\n"
          "R = H.update(0).rfactor(fo)\n"},
         RandomMode::FullRange});
    for (std::string op : {"max=", "min=", "*="}) {
        auto text =
            "input a[y, x]: f32[8, 9]\nstage S[y, x]: f32 = -0.0 * a[y, x]\nupdate S[y, r] " + op +
            " a[r, y] * 2.0 over r in 0..7, z in 0..2 where r != y\noutput S: [8, 9]\n";
        expect_same({text.c_str(),
                     {"R = S.update(0).rfactor(z)\n", "R = S.update(0).rfactor(r)\n"},
                     op == "*=" ? RandomMode::TinyWhole : RandomMode::Hostile});
    }
    // What an update by += leaves alone keeps its sign, also that of -0.
    expect_same({"input a[x]: f32[9]\nstage S[x]: f32 = -0.0 * abs(a[x])\n"
                 "update S[2*r] += a[r] over r in 0..4\noutput S: [9]\n",
                 {"R = S.update(0).rfactor(r)\n"},
                 RandomMode::SmallWhole});
}

TEST(Factored, EmptyReductions) {
    expect_same({"input A[i, k]: i32[6, 4]\nstage S[i] = max[k in 0..4, l in 2..2](A[i, k] + l)\n"
                 "output S: [6]\n",
                 {"R = S.rfactor(k)\n", "R = S.rfactor(l)\n"},
                 RandomMode::Reals});
}

TEST(Factored, Argmax) {
    for (std::string op : {"argmax", "argmin"})
        for (std::string type : {"f32", "u8"}) {
            auto text = "input A[i, k, l]: " + type + "[6, 14, 5]\nstage S[i] = " + op +
                        "[k in 2..13, l in 0..5 where (k + l) % 3 != i % 2](A[i, k, l])\n"
                        "stage v[i] = S[i].0\nstage r[i] = S[i].1\noutput v: [6]\noutput r: [6]\n";
            auto scripts = kTwoAxes;
            scripts.pop_back();
            for (auto mode : {RandomMode::Hostile, RandomMode::TinyWhole}) // with many equals
                expect_same({text.c_str(), scripts, mode});
        }
}

} // namespace test_factored
} // namespace loopscope::test
