// What a schedule did, in the pipeline's own terms.
#include "compiler/worker/marks.h"

#include "tests/worker/programs.h"

#include <gtest/gtest.h>

namespace loopscope::worker {
namespace {

Marks marks(const std::string& pipeline, const std::string& directives) {
    return marks_of(*test::load(pipeline, "schedule for p\n" + directives).tree);
}

const std::string kSum =
    "pipeline p\ninput a[i, k]: f32[8, 64]\nstage s[i] = sum[k in 0..64](a[i, k] * a[i, k])\n"
    "output s: [8]\n";
const std::string kUpdate =
    "pipeline p\ninput a[r]: f32[64]\nstage s[x]: f32 = 0.0\n"
    "update s[x] += a[r] over r in 0..64\nupdate s[x] max= 1.0\noutput s: [8]\n";
const std::string kSoftmax =
    "pipeline p\ninput a[i, k]: f32[8, 64]\nstage e[i, k] = exp(a[i, k])\n"
    "stage t[i] = sum[k in 0..64](e[i, k])\nstage s[i, k] = e[i, k] / t[i]\noutput s: [8, 64]\n";

const DefinitionSet kNone;

TEST(Marks, NothingByDefault) {
    auto m = marks(kSum, "");
    EXPECT_EQ(m.contracted, kNone);
    EXPECT_EQ(m.reassociated, kNone);
    EXPECT_EQ(m.approximated, kNone);
}

TEST(Marks, AFactorCountsAsWhatItWasMadeOf) {
    auto m = marks(kSum, "s.split(k, ko, ki, 8)\nR = s.rfactor(ki)\nR.contract()\n");
    EXPECT_EQ(m.reassociated, (DefinitionSet{{"s", 0}}));
    EXPECT_EQ(m.contracted, (DefinitionSet{{"s", 0}})) << "the factor has the terms";
    m = marks(kUpdate, "s.update(0).split(r, ro, ri, 8)\nR = s.update(0).rfactor(ri)\n");
    EXPECT_EQ(m.reassociated, (DefinitionSet{{"s", 1}}));
}

TEST(Marks, FactorsOfFactors) {
    auto m = marks(kSum, "s.split(k, ko, ki, 8)\nR = s.rfactor(ki)\nQ = R.rfactor(ko)\n");
    EXPECT_EQ(m.reassociated, (DefinitionSet{{"s", 0}}));
}

TEST(Marks, OnlyFloatSumsAndProductsReassociate) {
    auto whole = "pipeline p\ninput a[k]: i32[64]\nstage s[x] = sum[k in 0..64](a[k])\n"
                 "stage m[x] = max[k in 0..64](a[k])\noutput s: [1]\noutput m: [1]\n";
    EXPECT_EQ(marks(whole, "R = s.rfactor(k)\nQ = m.rfactor(k)\n").reassociated, kNone);
}

TEST(Marks, FastMathOfCallsOnly) {
    auto m = marks(kSoftmax, "e.fast_math()\ns.fast_math()\n");
    EXPECT_EQ(m.approximated, (DefinitionSet{{"e", 0}}));
    EXPECT_EQ(m.contracted, (DefinitionSet{{"e", 0}, {"s", 0}}));
    EXPECT_EQ(m.reassociated, kNone);
}

TEST(Marks, WhatIsInlinedIsApproximatedToo) {
    auto m = marks(kSoftmax, "e.inline()\nt.fast_math()\n");
    EXPECT_EQ(m.approximated, (DefinitionSet{{"e", 0}}));
}

} // namespace
} // namespace loopscope::worker
