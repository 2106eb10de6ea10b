// atomic, rfactor and fast_math through every path: the interpreter of loop programs before and
// after the passes, and compiled code on two threads, against the reference.

#include "tests/fuzz/judge.h"

#include <gtest/gtest.h>

using namespace loopscope::fuzz;

namespace test_reassociated {

enum class Judged { InBits, Twice, WithinBound };

void expect(const std::string& pipeline, const std::string& schedule, Judged how) {
    for (std::uint64_t seed : {1, 2, 4}) { // small whole numbers, reals, hostile ones
        Pair pair{"pipeline p\n" + pipeline, "schedule for p\n" + schedule, seed};
        JudgeOptions options;
        options.interpret = true;
        auto verdict = judge(pair, options);
        ASSERT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
        EXPECT_EQ(verdict.in_bits, how != Judged::WithinBound) << report(pair, verdict);
        EXPECT_EQ(verdict.within_bound, how != Judged::InBits) << report(pair, verdict);
    }
}

std::string matmul(const std::string& type) {
    return "input A[i, k]: " + type + "[9, 50]\ninput B[k, j]: " + type +
           "[50, 13]\nstage C[i, j]: " + type +
           " = sum[k in 0..50](A[i, k] * B[k, j])\noutput C: [9, 13]\n";
}

const char* const kHistogram = R"(input img[r, c]: u8[20, 31]
stage H[i]: i32 = i
update H[i32(img[r, c])] += 1 over r in 0..20, c in 0..31
stage out[i] = H[255 - i]
output out: [256]
)";

TEST(Reassociated, AtomicHistogram) {
    for (const char* lines :
         {"H.update(0).parallel(r)\n", "H.update(0).vectorize(c, 8)\n",
          "H.update(0).split(r, ro, ri, 3)\nH.update(0).parallel(ro)\nH.update(0).vectorize(c)\n",
          "H.update(0).fuse(r, c, f)\nH.update(0).parallel(f)\n"})
        expect(kHistogram, std::string("H.update(0).atomic()\n") + lines, Judged::InBits);
}

TEST(Reassociated, FactoredHistogram) {
    expect(kHistogram,
           "R = H.update(0).rfactor(r)\nR.parallel(r)\nR.update(0).parallel(r)\n"
           "H.update(0).vectorize(i, 8)\nH.update(0).reorder(r, i, i_v)\n",
           Judged::InBits);
    expect(kHistogram,
           "H.update(0).split(r, ro, ri, 6)\nR = H.update(0).rfactor(ro)\n"
           "R.update(0).parallel(ro)\nR.vectorize(i)\n",
           Judged::InBits);
}

TEST(Reassociated, AtomicReductions) {
    for (std::string type : {"f32", "f64"}) {
        expect(matmul(type), "C.atomic()\nC.parallel(k)\n", Judged::Twice);
        expect(matmul(type), "C.atomic()\nC.reorder(k, i, j)\nC.parallel(k)\nC.vectorize(j, 4)\n",
               Judged::Twice);
        expect(matmul(type),
               "C.contract()\nC.atomic()\nC.split(k, ko, ki, 8)\nC.reorder(ko, i, j, ki)\n"
               "C.parallel(ko)\nC.vectorize(ki)\n",
               Judged::Twice);
    }
    expect(matmul("i32"), "C.atomic()\nC.reorder(k, i, j)\nC.parallel(k)\n", Judged::InBits);
    for (std::string op : {"min", "max", "prod"})
        for (std::string type : {"f32", "u16", "i64"}) {
            auto text = "input A[i, k]: " + type + "[7, 40]\nstage S[i] = " + op +
                        "[k in 0..40 where k != i](A[i, k])\noutput S: [7]\n";
            expect(text, "S.atomic()\nS.parallel(k)\n",
                   op == "prod" && type == "f32" ? Judged::Twice : Judged::InBits);
        }
    for (std::string op : {"any", "all"})
        expect("input A[i, k]: i32[7, 40]\nstage S[i] = " + op +
                   "[k in 0..40](A[i, k] > 30000)\nstage out[i] = select(S[i], 1, 2)\n"
                   "output out: [7]\n",
               "S.atomic()\nS.reorder(k, i)\nS.parallel(k)\n", Judged::InBits);
}

TEST(Reassociated, AtomicUpdates) {
    for (std::string op : {"+=", "*=", "max=", "min="})
        for (std::string type : {"f32", "i16", "u64"}) {
            auto text = "input a[y, x]: " + type + "[12, 20]\nstage S[y, x]: " + type +
                        " = a[y, x]\nupdate S[y, (r + c) % 20] " + op +
                        " a[y, r] over r in 0..20, c in 0..3 where r != 4\noutput S: [12, 20]\n";
            bool rounds = type == "f32" && (op == "+=" || op == "*=");
            expect(text, "S.update(0).atomic()\nS.update(0).parallel(r)\nS.update(0).parallel(y)\n",
                   rounds ? Judged::Twice : Judged::InBits);
        }
}

TEST(Reassociated, FactoredReductions) {
    for (const char* lines :
         {"R = C.rfactor(k)\nR.parallel(k)\n",
          "C.split(k, ko, ki, 8)\nR = C.rfactor(ki)\nR.reorder(i, j, ko, ki)\nR.vectorize(ki)\n"
          "C.unroll(ki)\n",
          "Bs = C.cache_read(B, local)\nC.split(k, ko, ki, 7)\nR = C.rfactor(ko)\n"
          "R.parallel(ko)\nQ = R.rfactor(ki)\nQ.inline()\nBs.compute_at(R, i)\n"}) {
        expect(matmul("f32"), lines, Judged::Twice);
        expect(matmul("i64"), lines, Judged::InBits);
    }
    expect(matmul("f32"),
           "C.split(k, ko, ki, 10)\nC.contract()\nR = C.rfactor(ko)\nR.compute_at(C, i)\n"
           "R.vectorize(j, 4)\nC.parallel(i)\n",
           Judged::Twice);
}

TEST(Reassociated, FactoredArgmax) {
    for (std::string op : {"argmax", "argmin"}) {
        auto text = "input A[i, k, l]: f32[6, 14, 5]\nstage S[i] = " + op +
                    "[k in 2..13, l in 0..5 where k != i](A[i, k, l])\n"
                    "stage v[i] = S[i].0\nstage r[i] = S[i].1\noutput v: [6]\noutput r: [6]\n";
        expect(text, "S.reorder(l, k)\n", Judged::InBits);
        expect(text, "R = S.rfactor(k)\nR.parallel(k)\n", Judged::InBits);
        expect(text,
               "S.split(k, ko, ki, 4)\nR = S.rfactor(ki)\nR.reorder(i, ko, l, ki)\n"
               "R.vectorize(ki)\n",
               Judged::InBits);
        expect(text, "S.vectorize(k, 4)\n", Judged::InBits);
    }
}

// The bounds of a long 16-bit sum exclude nothing: such a pair counts as judged by whole numbers or
// not at all.
TEST(Reassociated, ABoundThatExcludesNothingIsNoJudgement) {
    auto sum = [](const std::string& type, int terms, const std::string& factor) {
        auto count = std::to_string(terms);
        return Pair{"pipeline p\ninput A[i, k]: " + type + "[6, " + count +
                        "]\nstage S[i]: " + type + " = sum[k in 0.." + count + "](A[i, k] * " +
                        factor + ")\noutput S: [6]\n",
                    "schedule for p\nS.vectorize(k, 4)\n", 2};
    };
    for (auto [type, terms] : {std::pair<std::string, int>{"f16", 6000}, {"bf16", 800}}) {
        auto fractions = judge(sum(type, terms, "0.3"));
        EXPECT_EQ(fractions.outcome, Outcome::Agree);
        EXPECT_FALSE(fractions.in_bits || fractions.within_bound) << type;
        EXPECT_TRUE(fractions.not_held) << type;
    }
    for (std::string type : {"f16", "bf16"}) {
        auto whole = judge(sum(type, 20, "1.0"));
        EXPECT_TRUE(whole.in_bits && whole.within_bound) << type;
    }
    for (std::string type : {"f16", "bf16", "f32", "f64"}) {
        auto held = judge(sum(type, 20, "0.3"));
        EXPECT_TRUE(held.within_bound && !held.not_held && !held.in_bits) << type;
    }
}

TEST(Reassociated, FastMath) {
    auto softmax = "input A[i, k]: f32[6, 40]\n"
                   "stage e[i, k] = exp(A[i, k] * 0.01)\n"
                   "stage s[i] = sum[k in 0..40](e[i, k] * 0.5)\n"
                   "stage out[i, k] = e[i, k] / s[i]\noutput out: [6, 40]\n";
    // Approximations have bits of their own, the same everywhere.
    expect(softmax, "e.fast_math()\ne.vectorize(k, 8)\n", Judged::InBits);
    expect(softmax, "e.inline()\nout.fast_math()\ns.fast_math()\ne.fast_math()\nR = s.rfactor(k)\n",
           Judged::WithinBound);
    // Without calls it is contract.
    expect(matmul("f32"), "C.fast_math()\nC.parallel(i)\n", Judged::Twice);
}

} // namespace test_reassociated
