// check finds what is wrong: the compiled program of one pipeline against the definitions of
// another. Longer than files are here: whatever is compared, it is one check with one fixture.
#include "compiler/worker/check.h"

#include "tests/support/support.h"
#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::worker {
namespace test_check {

using nlohmann::json;
using testing::HasSubstr;

const std::atomic<bool> never = false;
const Context quiet([](const measure::Progress&) {}, never);

json check(const std::string& definitions, const std::string& compiled,
           const std::string& schedule = {}) {
    auto loaded = test::load(definitions, schedule);
    auto code = compile_program(test::load(compiled, schedule)).value();
    CheckRequest request;
    request.seed = 3;
    request.threads = 2;
    return check_program(loaded, code, request, quiet).value();
}

std::string pointwise(const std::string& expression) {
    return "pipeline p\ninput a[x, y]: f32[6, 10]\nstage out[x, y]: f32 = " + expression +
           "\noutput out: [6, 10]\n";
}

const std::string kVectors = "schedule for p\ns.vectorize(k, 8)\n";

TEST(Check, EqualProgramsAreRight) {
    auto answer = check(pointwise("a[x, y] * 3.0"), pointwise("a[x, y] * 3.0"));
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("max_ulp"), 0);
    EXPECT_FALSE(answer.contains("first_difference"));
}

TEST(Check, OneWrongElementIsFound) {
    auto answer = check(pointwise("a[x, y] * 3.0"),
                        pointwise("select(x == 4 and y == 7, 1000000.0, a[x, y] * 3.0)"));
    EXPECT_EQ(answer.at("status"), "wrong");
    EXPECT_EQ(answer.at("outputs").at(0).at("different"), 1);
    EXPECT_THAT(answer.at("first_difference").get<std::string>(),
                HasSubstr("out[4, 7] is 1000000, the reference has "));
    const auto& difference = answer.at("difference");
    EXPECT_EQ(difference.at("array"), "out");
    EXPECT_EQ(difference.at("at"), (nlohmann::json{4, 7}));
    EXPECT_EQ(difference.at("is"), "1000000");
    EXPECT_EQ(answer.at("windows"), false);
    EXPECT_GT(answer.at("max_abs_error"), 0);
}

TEST(Check, OneUlpIsWrong) {
    auto answer = check(pointwise("a[x, y] / 10.0"), pointwise("a[x, y] * 0.1"));
    EXPECT_EQ(answer.at("status"), "wrong") << "a tenth is no f32";
    EXPECT_GE(answer.at("max_ulp"), 1);
}

TEST(Check, TheSignOfZeroCountsAndNaNsAreOne) {
    EXPECT_EQ(check(pointwise("a[x, y] * 0.0 * a[x, y] * 0.0"),
                    pointwise("-(a[x, y] * 0.0 * a[x, y] * 0.0)"))
                  .at("status"),
              "wrong");
    EXPECT_EQ(
        check(pointwise("0.0 / (a[x, y] - a[x, y])"), pointwise("-(0.0 / (a[x, y] - a[x, y]))"))
            .at("status"),
        "right");
}

TEST(Check, ContractionIsToldToTheReference) {
    auto text = pointwise("a[x, y] * 3.3 + a[y % 6, x]");
    EXPECT_EQ(check(text, text, "schedule for p\nout.contract()\n").at("status"), "right");
    auto loaded = test::load(text); // the reference does not hear of it
    auto code = compile_program(test::load(text, "schedule for p\nout.contract()\n")).value();
    EXPECT_EQ(check_program(loaded, code, {}, quiet).value().at("status"), "wrong");
}

TEST(Check, WindowsOfLargerStagesAreCutOut) {
    // out is needed on [-2, 12) by the second output; the caller gets [0, 10).
    std::string text =
        "pipeline p\ninput a[x]: i32[10] boundary edge\nstage out[x] = a[x] * 2\n"
        "stage far[x] = out[x - 2] + out[x + 2]\noutput out: [10]\noutput far: [10]\n";
    auto answer = check(text, text);
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("outputs").size(), 2u);
}

TEST(Check, ReassociationIsHeldToTheRule) {
    auto sum = [](const std::string& term) {
        return "pipeline p\ninput a[i, k]: f32[8, 64]\nstage out[i] = sum[k in 0..64](" + term +
               ")\noutput out: [8]\n";
    };
    const std::string reordered =
        "schedule for p\nout.split(k, ko, ki, 8)\nout.reorder(i, ki, ko)\n";
    auto right = check(sum("a[i, k]"), sum("a[i, k]"), reordered);
    EXPECT_EQ(right.at("status"), "right");
    EXPECT_THAT(right.at("method").get<std::string>(), HasSubstr("bits equal"));
    // One per cent off: within no bound of reals.
    auto wrong = check(sum("a[i, k]"), sum("a[i, k] * 1.01"), reordered);
    EXPECT_EQ(wrong.at("status"), "wrong");
    EXPECT_THAT(wrong.at("method").get<std::string>(), HasSubstr("bits differ"));
    EXPECT_THAT(wrong.at("method").get<std::string>(), HasSubstr("exceeded"));
}

TEST(Check, LongProductsAreComparedOnTinyNumbers) {
    auto product = [](const std::string& term) {
        return "pipeline p\ninput a[i, k]: f32[8, 64]\nstage out[i] = prod[k in 0..64](" + term +
               ")\noutput out: [8]\n";
    };
    const std::string reordered =
        "schedule for p\nout.split(k, ko, ki, 8)\nout.reorder(i, ki, ko)\n";
    auto right = check(product("a[i, k]"), product("a[i, k]"), reordered);
    EXPECT_THAT(right.at("method").get<std::string>(), HasSubstr("bits equal"));
    EXPECT_EQ(right.at("whole_numbers"), "equal");
}

TEST(Check, WhatDependsOnNoSumIsHeldToItsBits) {
    auto text = [](const std::string& factor) {
        return "pipeline p\ninput a[i, k]: f32[8, 64]\nstage out[i] = sum[k in 0..64](a[i, k])\n"
               "stage side[i] = a[i, 0] * " +
               factor + "\noutput out: [8]\noutput side: [8]\n";
    };
    const std::string reordered =
        "schedule for p\nout.split(k, ko, ki, 8)\nout.reorder(i, ki, ko)\n";
    EXPECT_EQ(check(text("0.1"), text("0.1"), reordered).at("status"), "right");
    EXPECT_EQ(check(text("0.1"), text("0.10000001"), reordered).at("status"), "wrong");
}

TEST(Check, WhatAComparisonDecidesIsNotComparedOnReals) {
    const std::string text =
        "pipeline p\ninput a[i, k]: f32[64, 64]\nstage s[i] = sum[k in 0..64](a[i, k])\n"
        "stage out[i] = s[i] * 4096.0 - floor(s[i] * 4096.0) < 0.5\noutput out: [64]\n";
    auto answer =
        check(text, text, "schedule for p\ns.split(k, ko, ki, 8)\ns.reorder(i, ki, ko)\n");
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("whole_numbers"), "equal");
    EXPECT_THAT(answer.at("method").get<std::string>(),
                HasSubstr("not compared there, as rounding may decide it: out"));
    EXPECT_EQ(answer.at("outputs")[0].at("unbounded"), 64);
}

TEST(Check, FactorsAndAtomicsOfUpdatesAreComparedInBits) {
    auto text = [](const std::string& term) {
        return "pipeline p\ninput a[r]: f32[512]\nstage H[b]: f32 = 2.0\n"
               "update H[clamp(i32(a[r]) + 8, 0, 15)] += " +
               term + " over r in 0..512\noutput H: [16]\n";
    };
    for (std::string directives : {"H.update(0).atomic()\nH.update(0).parallel(r)\n",
                                   "H.update(0).split(r, ro, ri, 64)\nR = "
                                   "H.update(0).rfactor(ri)\nR.update(0).parallel(ri)\n"}) {
        auto right = check(text("a[r]"), text("a[r]"), "schedule for p\n" + directives);
        EXPECT_EQ(right.at("status"), "right") << right.dump(2);
        EXPECT_EQ(right.at("whole_numbers"), "equal");
        EXPECT_THAT(right.at("method").get<std::string>(),
                    HasSubstr("(n = 513, u = 2^-24 of f32)"));
        auto wrong = check(text("a[r]"), text("abs(a[r])"), "schedule for p\n" + directives);
        EXPECT_EQ(wrong.at("status"), "wrong");
        EXPECT_EQ(wrong.at("whole_numbers"), "differ");
    }
}

// The products are whole once rounded, and the contracted sum adds them before that: its bits
// depend on the order.
TEST(Check, ContractedSumsOfRoundedProductsAreNotComparedInBits) {
    const std::string head = "pipeline p\ninput A: bool[64]\ninput B: bool[64]\n";
    const std::string term = "((f32(A[k]) - f32(B[k])) * 0.3) * 10.0";
    const std::string sum =
        head + "stage s[y]: f32 = sum[k in 0..64](" + term + ")\noutput s: [3]\n";
    const std::string update = head + "stage s[y]: f32 = 0.0\nupdate s[y] += " + term +
                               " over k in 0..64\noutput s: [3]\n";
    for (auto [text, directives] :
         {std::pair(sum, std::string("s.contract()\ns.vectorize(k, 8)\n")),
          std::pair(sum, std::string("s.fast_math()\nR = s.rfactor(k)\n")),
          std::pair(update, std::string("s.update(0).contract()\ns.update(0).split(k, ko, ki, 8)\n"
                                        "R = s.update(0).rfactor(ki)\n"))}) {
        auto answer = check(text, text, "schedule for p\n" + directives);
        EXPECT_EQ(answer.at("status"), "right") << answer.dump(2);
        EXPECT_EQ(answer.at("whole_numbers"), "not compared") << answer.dump(2);
    }
}

// The greatest of 2000 values that are all but 1 is another one by approximation: only its value is
// held to a bound.
TEST(Check, WhatAnApproximationDecidesIsNotCompared) {
    const std::string text =
        "pipeline p\ninput A[k]: f32[2000]\n"
        "stage h[x] = argmax[k in 0..2000](tanh(A[k] * f32(x + 2)))\noutput h: [8]\n";
    auto answer = check(text, text, "schedule for p\nh.fast_math()\n");
    EXPECT_EQ(answer.at("status"), "right") << answer.dump(2);
    EXPECT_THAT(answer.at("method").get<std::string>(),
                HasSubstr("not compared there, as rounding may decide it: h.1"));
    EXPECT_THAT(answer.at("method").get<std::string>(), testing::Not(HasSubstr("h.0")));
}

TEST(Check, ABoundThatExcludesNothingIsSaidToBeOne) {
    auto text = [](const std::string& type, int count) {
        return "pipeline p\ninput a[i, k]: " + type + "[8, 512]\nstage out[i] = sum[k in 0.." +
               std::to_string(count) + "](a[i, k] * 0.3" + (type == "f32" ? "" : type) +
               ")\noutput out: [8]\n";
    };
    const std::string reordered =
        "schedule for p\nout.split(k, ko, ki, 8)\nout.reorder(i, ki, ko)\n";
    auto loose = check(text("bf16", 512), text("bf16", 512), reordered);
    EXPECT_EQ(loose.at("status"), "right") << loose.dump(2);
    EXPECT_EQ(loose.at("whole_numbers"), "not compared");
    EXPECT_EQ(loose.at("conclusive"), false) << "512 * 2^-8 is 2: zeros would pass";
    EXPECT_THAT(
        loose.at("method").get<std::string>(),
        HasSubstr("that bound excludes nothing for out, where one value for all would pass too"));
    EXPECT_GE(loose.at("outputs")[0].at("allowed"), 1);
    for (auto [type, count] : {std::pair<std::string, int>{"bf16", 64}, {"f32", 512}}) {
        auto tight = check(text(type, count), text(type, count), reordered);
        EXPECT_EQ(tight.at("status"), "right") << tight.dump(2);
        EXPECT_EQ(tight.at("conclusive"), true) << type;
        EXPECT_THAT(tight.at("method").get<std::string>(),
                    testing::Not(HasSubstr("excludes nothing")));
    }
}

// What says nothing is told to say nothing, whatever its ends are.
TEST(Check, BoundsWithoutAHoldAreNotConclusive) {
    auto text = [](const std::string& value) {
        return "pipeline p\ninput a[i, k]: f32[64, 96]\n"
               "stage s[i] = sum[k in 0..96](a[i, k] * 0.3)\nstage z[i] = " +
               value + "\noutput z: [64]\n";
    };
    const std::string overflows = "exp(clamp(sin(s[i] * 1000000.0) * 200.0, 1.0, 100.0))";
    const std::pair<std::string, std::string> wrong[] = {
        {"sin(s[i] * 100000.0) + 2.0", "2.0"}, // 1 to 3
        {overflows, overflows + " * 1.5"},
        {"select(s[i] * 10000000.0 - floor(s[i] * 10000000.0) > 1.5, 1.0, 0.0)",
         "s[i] * 0.0 + 1.0"}};
    for (const auto& [value, other] : wrong) {
        // The wrong result cannot be told from a right one, and so neither is called conclusive.
        auto answer = check(text(value), text(other), kVectors);
        EXPECT_EQ(answer.at("status"), "right") << answer.dump(2);
        EXPECT_EQ(answer.at("whole_numbers"), "not compared");
        EXPECT_EQ(answer.at("conclusive"), false) << value << answer.dump(2);
        EXPECT_EQ(answer.at("outputs")[0].at("unbounded") > 0, value == overflows);
    }
    // And what holds is.
    for (std::string value : {"max(s[i], 0.0)", "exp(max(s[i] * 0.01, 0.0))",
                              "s[i] / (1.0 + exp(-s[i]))", "1.0 / (1.0 + exp(-max(s[i], 0.0)))"}) {
        auto answer = check(text(value), text(value), kVectors);
        EXPECT_EQ(answer.at("status"), "right") << answer.dump(2);
        EXPECT_EQ(answer.at("conclusive"), true) << value << answer.dump(2);
        EXPECT_EQ(answer.at("outputs")[0].at("unbounded"), 0) << value;
    }
}

// A NaN beside a sum is no lack of bounds.
TEST(Check, ExactComponentsAreComparedInBits) {
    auto text = [](const std::string& beside) {
        return "pipeline p\ninput a[i, k]: f32[8, 96]\n"
               "stage s[i] = sum[k in 0..96](a[i, k] * 0.3)\nstage z[i] = (s[i], " +
               beside + ")\noutput z: [8]\n";
    };
    const std::string nan = "sqrt(-1.0 - abs(a[i, 0]))";
    auto right = check(text(nan), text(nan), kVectors);
    EXPECT_EQ(right.at("status"), "right");
    EXPECT_EQ(right.at("conclusive"), true) << right.dump(2);
    EXPECT_TRUE(right.at("outputs")[1].at("allowed").is_null());
    auto wrong = check(text(nan), text("select(i == 5, 1.0, " + nan + ")"), kVectors);
    EXPECT_EQ(wrong.at("status"), "wrong");
    EXPECT_THAT(wrong.at("first_difference").get<std::string>(), testing::StartsWith("z.1[5]"));
}

TEST(Check, BitsAreConclusive) {
    EXPECT_EQ(check(pointwise("a[x, y]"), pointwise("a[x, y]")).at("conclusive"), true);
    // The bits of whole numbers tell of 16-bit sums what no bound can.
    const std::string text = "pipeline p\ninput a[i, k]: bf16[8, 64]\n"
                             "stage out[i] = sum[k in 0..64](a[i, k])\noutput out: [8]\n";
    auto answer =
        check(text, text, "schedule for p\nout.split(k, ko, ki, 8)\nout.reorder(i, ki, ko)\n");
    EXPECT_EQ(answer.at("whole_numbers"), "equal");
    EXPECT_EQ(answer.at("conclusive"), true);
}

TEST(Check, ApproximationsAreHeldToWhatTheyDeclare) {
    auto text = [](const std::string& e) {
        return "pipeline p\ninput a[i, k]: f32[8, 64]\nstage e[i, k] = " + e +
               "\nstage t[i] = sum[k in 0..64](e[i, k])\nstage s[i, k] = e[i, k] / t[i]\n"
               "output s: [8, 64]\n";
    };
    const std::string fast = "schedule for p\ne.fast_math()\n";
    auto right = check(text("exp(a[i, k] * 0.01)"), text("exp(a[i, k] * 0.01)"), fast);
    EXPECT_EQ(right.at("status"), "right") << right.dump(2);
    EXPECT_EQ(right.at("approximates"), true);
    EXPECT_EQ(right.at("reassociates"), false);
    EXPECT_EQ(right.at("whole_numbers"), "not compared");
    EXPECT_THAT(
        right.at("method").get<std::string>(),
        testing::AllOf(HasSubstr("the schedule approximates"), HasSubstr("declared errors")));
    auto wrong = check(text("exp(a[i, k] * 0.01)"), text("exp(a[i, k] * 0.0101)"), fast);
    EXPECT_EQ(wrong.at("status"), "wrong") << "a hundredth off in what is approximated";
}

TEST(Check, FastMathWithoutCallsIsContraction) {
    auto text = pointwise("a[x, y] * 3.3 + a[y % 6, x]");
    auto answer = check(text, text, "schedule for p\nout.fast_math()\n");
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_THAT(answer.at("method").get<std::string>(), HasSubstr("every bit compared"));
}

TEST(Check, PartsOfTuplesAreNamed) {
    auto text = [](const std::string& rank) {
        return "pipeline p\ninput a[i, k]: f32[8, 16]\nstage C[i] = (a[i, 0] * 3.0, " + rank +
               ")\noutput C: [8]\n";
    };
    auto right = check(text("i + 1"), text("i + 1"));
    EXPECT_EQ(right.at("status"), "right");
    ASSERT_EQ(right.at("outputs").size(), 2u);
    EXPECT_EQ(right.at("outputs")[0].at("name"), "C.0");
    EXPECT_EQ(right.at("outputs")[1].at("name"), "C.1");
    EXPECT_EQ(right.at("outputs")[1].at("type"), "i32");
    auto wrong = check(text("i + 1"), text("select(i == 5, 9, i + 1)"));
    EXPECT_EQ(wrong.at("status"), "wrong");
    EXPECT_EQ(wrong.at("outputs")[0].at("status"), "equal");
    EXPECT_EQ(wrong.at("first_difference"), "C.1[5] is 9, the reference has 6");
}

TEST(Check, SixteenBitFloatsAreHeldToTheirOwnUnit) {
    auto text = [](const std::string& type, const std::string& term) {
        return "pipeline p\ninput a[i, k]: " + type + "[8, 64]\nstage out[i] = sum[k in 0..64](" +
               term + ")\noutput out: [8]\n";
    };
    const std::string reordered =
        "schedule for p\nout.split(k, ko, ki, 8)\nout.reorder(i, ki, ko)\n";
    for (auto [type, unit] :
         {std::pair<std::string, std::string>{"f16", "2^-11"}, {"bf16", "2^-8"}}) {
        EXPECT_EQ(check(text(type, "a[i, k]"), text(type, "a[i, k]")).at("max_ulp"), 0) << type;
        auto answer = check(text(type, "a[i, k]"), text(type, "a[i, k]"), reordered);
        EXPECT_EQ(answer.at("status"), "right") << answer.dump(2);
        EXPECT_EQ(answer.at("whole_numbers"), "equal") << "bf16: of tiny numbers";
        EXPECT_THAT(answer.at("method").get<std::string>(),
                    HasSubstr("u = " + unit + " of " + type));
    }
}

// s of 500 products, and what follows it.
std::string sum_and(const std::string& follows, const std::string& outputs,
                    const std::string& term = "a[i, k] * b[i, k]") {
    return "pipeline p\ninput a[i, k]: f32[16, 500]\ninput b[i, k]: f32[16, 500]\n"
           "stage s[i] = sum[k in 0..500](" +
           term + ")\n" + follows + "\n" + outputs;
}
const std::string kOutZ = "output z: [16]\n";

json check_seed(const std::string& text, const std::string& schedule, std::uint64_t seed) {
    auto loaded = test::load(text, schedule);
    auto code = compile_program(loaded).value();
    CheckRequest request;
    request.seed = seed;
    return check_program(loaded, code, request, quiet).value();
}

// Many of these sums are 10^5 and off by a hundredth, which is nothing beside them and much beside
// a sine.
TEST(Check, WhatFollowsASumMayAmplifyItsRounding) {
    for (std::string follows :
         {"stage z[i] = sin(s[i])", "stage z[i] = exp(s[i] * 0.0001)",
          "stage z[i] = s[i] * 64.0 - floor(s[i] * 64.0)",
          "stage z[i] = s[i] - s[(i + 1) % 16] - s[(i + 2) % 16]",
          "stage t[i] = sum[k in 0..500](b[i, k] * a[i, 499 - k])\n"
          "stage z[i] = sin((s[i] - t[i]) * 0.1)",
          "stage z[i]: f32 = 0.0\nupdate z[i] += sin(s[j] * 0.1) over j in 0..16"})
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            auto answer = check_seed(sum_and(follows, kOutZ), kVectors, seed);
            EXPECT_EQ(answer.at("status"), "right") << follows << answer.dump(2);
            EXPECT_EQ(answer.at("conclusive"), true) << "whole numbers tell";
            EXPECT_THAT(answer.at("method").get<std::string>(),
                        HasSubstr("(n = 500, u = 2^-24 of f32), at most "));
        }
}

// The error is put between the definitions of one stage; those that are contracted stay so.
TEST(Check, WhatLaterUpdatesMakeOfASumIsMeasuredToo) {
    const std::string text = sum_and(
        "update s[i] = s[i] * 0.3 + 0.7\nupdate s[i] = sin(s[i]) + 2.0", "output s: [16]\n");
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
        for (std::string more : {"", "s.contract()\n", "s.update(0).contract()\n"}) {
            auto answer = check_seed(text, kVectors + more, seed);
            EXPECT_EQ(answer.at("status"), "right") << more << answer.dump(2);
        }
}

// What another output amplifies is nothing to the sum itself.
TEST(Check, EachOutputHasBoundsOfItsOwn) {
    auto alone = check_seed(sum_and("", "output s: [16]\n"), kVectors, 3);
    auto both =
        check_seed(sum_and("stage z[i] = sin(s[i])", "output s: [16]\n" + kOutZ), kVectors, 3);
    EXPECT_EQ(both.at("outputs")[0].at("name"), "s");
    EXPECT_EQ(both.at("outputs")[0].at("allowed"), alone.at("outputs")[0].at("allowed"));
    EXPECT_GT(both.at("outputs")[1].at("allowed"), 0.5);
}

TEST(Check, ADroppedTermBeforeWhatAmplifiesIsFound) {
    const std::string dropped = "select(k == 77, 0.0, a[i, k] * b[i, k])";
    const std::string sine = "stage z[i] = sin(s[i])";
    auto wrong = check(sum_and(sine, kOutZ), sum_and(sine, kOutZ, dropped), kVectors);
    EXPECT_EQ(wrong.at("status"), "wrong");
    EXPECT_EQ(wrong.at("whole_numbers"), "differ");
    // Terms with fractions: only reals tell.
    const std::string tame = "stage z[i] = exp(s[i] * 0.00001)";
    auto fractions = [](const std::string& term) { return term + " * 0.3"; };
    auto right = check(sum_and(tame, kOutZ, fractions("a[i, k] * b[i, k]")),
                       sum_and(tame, kOutZ, fractions("a[i, k] * b[i, k]")), kVectors);
    EXPECT_EQ(right.at("status"), "right");
    EXPECT_EQ(right.at("whole_numbers"), "not compared");
    EXPECT_EQ(right.at("conclusive"), true);
    auto found = check(sum_and(tame, kOutZ, fractions("a[i, k] * b[i, k]")),
                       sum_and(tame, kOutZ, fractions(dropped)), kVectors);
    EXPECT_EQ(found.at("status"), "wrong") << found.dump(2);
    // A sine of such sums could be anything, which is said.
    auto told = check(sum_and(sine, kOutZ, fractions("a[i, k] * b[i, k]")),
                      sum_and(sine, kOutZ, fractions("a[i, k] * b[i, k]")), kVectors);
    EXPECT_EQ(told.at("status"), "right");
    EXPECT_EQ(told.at("conclusive"), false);
}

// Faults of the size of one term, where fractions leave only the reals to tell: found in sums, and
// through what follows.
TEST(Check, FaultsOfOneTermAreFoundOnReals) {
    struct Program {
        const char *name, *before, *after, *schedule;
    };
    const std::string head = "pipeline p\ninput a[i, k]: f32[16, 96]\ninput b[k, j]: f32[96, 8]\n";
    const Program programs[] = {
        {"matmul", "stage s[i, j] = sum[k in 0..96](", ")\noutput s: [16, 8]\n",
         "s.vectorize(k, 8)\n"},
        {"contracted", "stage s[i, j] = sum[k in 0..96](", ")\noutput s: [16, 8]\n",
         "s.contract()\ns.split(k, ko, ki, 8)\nR = s.rfactor(ki)\n"},
        {"softmax", "stage e[i, k, j] = exp(0.01 * ",
         ")\nstage t[i, j] = sum[k in 0..96](e[i, k, j])\n"
         "stage z[i, k, j] = e[i, k, j] / t[i, j]\noutput z: [16, 96, 8]\n",
         "t.vectorize(k, 8)\n"},
        {"normalised",
         "stage u[i, j] = sum[k in 0..96](b[k, j])\nstage m[i, j] = u[i, j] / 96.0\n"
         "stage q[i, j] = sum[k in 0..96]((b[k, j] - m[i, j]) * (b[k, j] - m[i, j]))\n"
         "stage s[i, j] = sum[k in 0..96](",
         ")\nstage z[i, j] = (s[i, j] - m[i, j]) * rsqrt(q[i, j] / 96.0 + 0.00001)\n"
         "output z: [16, 8]\n",
         "s.vectorize(k, 8)\nq.vectorize(k, 8)\n"},
        {"scattered",
         "stage s[i, j]: f32 = 0.3\nupdate s[i, j] += ", " over k in 0..96\noutput s: [16, 8]\n",
         "s.update(0).atomic()\ns.update(0).parallel(k)\n"},
    };
    const std::string term = "a[i, k] * b[k, j] * 0.3";
    const std::pair<const char*, std::string> faults[] = {
        {"dropped", "select(k == 77, 0.0, " + term + ")"},
        {"twice", "select(k == 77, 2.0 * " + term + ", " + term + ")"},
        {"another lane's", "a[i, select(k == 77, 76, k)] * b[k, j] * 0.3"},
    };
    for (const auto& program : programs) {
        auto text = [&](const std::string& of) {
            return head + program.before + of + program.after;
        };
        const auto schedule = std::string("schedule for p\n") + program.schedule;
        auto right = check(text(term), text(term), schedule);
        EXPECT_EQ(right.at("status"), "right") << program.name << right.dump(2);
        EXPECT_EQ(right.at("whole_numbers"), "not compared") << program.name;
        EXPECT_EQ(right.at("conclusive"), true) << program.name;
        for (const auto& [fault, wrong_term] : faults) {
            auto wrong = check(text(term), text(wrong_term), schedule);
            EXPECT_EQ(wrong.at("status"), "wrong") << program.name << ", " << fault;
            EXPECT_THAT(wrong.at("method").get<std::string>(), HasSubstr("exceeded"))
                << program.name << ", " << fault;
        }
    }
}

// How much of the greatest value the bounds admit, of the pipelines that come with the program.
TEST(Check, TheBoundsOfKnownPipelinesAreNarrow) {
    struct Known {
        const char *name, *directives; // null: the schedule that comes with it
        json params;
        double widest;
    };
    const Known all[] = {
        {"layer_norm", nullptr, {{"N", 64}}, 5e-5},
        {"softmax", nullptr, {{"N", 4}, {"D", 1024}}, 1e-4},
        {"gemm", "product.vectorize(k, 8)\n", {{"M", 32}, {"N", 32}, {"K", 256}}, 5e-5},
        {"matmul", "C.vectorize(k, 8)\n", {{"M", 32}, {"N", 32}, {"K", 256}}, 5e-5},
    };
    for (const auto& known : all) {
        auto file = [&](const char* ending) {
            return test::read_file(
                test::source_path("resources/pipelines/" + std::string(known.name) + ending));
        };
        const auto schedule =
            known.directives ? "schedule for " + std::string(known.name) + "\n" + known.directives
                             : file(".cpu.sched");
        auto arguments = test::arguments(file(".loop"), schedule);
        arguments["params"] = known.params;
        auto loaded = load_program(arguments).value();
        auto code = compile_program(loaded).value();
        auto answer = check_program(loaded, code, {}, quiet).value();
        EXPECT_EQ(answer.at("status"), "right") << answer.dump(2);
        EXPECT_EQ(answer.at("conclusive"), true) << known.name;
        const auto method = answer.at("method").get<std::string>();
        const auto at = method.find("at most ");
        ASSERT_NE(at, std::string::npos) << method;
        const double widest = std::stod(method.substr(at + 8));
        EXPECT_GT(widest, 0) << known.name;
        EXPECT_LT(widest, known.widest) << known.name;
        EXPECT_EQ(answer.at("outputs")[0].at("unbounded"), 0) << known.name;
    }
}

// A fault in one element only: its own bounds find it, though it is little beside the greatest
// element.
TEST(Check, ABoundIsThatOfTheElement) {
    auto text = [](const std::string& fault) {
        return "pipeline p\ninput a[i, k]: f32[16, 64]\nstage s[i] = sum[k in 0..64](a[i, k] * " +
               fault + ")\noutput s: [16]\n";
    };
    const std::string scaled = "select(i == 0, 100000.3, 0.3)";
    const std::string off = "select(i == 0, 100000.3, select(i == 9 and k == 5, 0.0, 0.3))";
    const std::string reordered = "schedule for p\ns.vectorize(k, 8)\n";
    EXPECT_EQ(check(text(scaled), text(scaled), reordered).at("status"), "right");
    auto wrong = check(text(scaled), text(off), reordered);
    EXPECT_EQ(wrong.at("status"), "wrong");
    EXPECT_THAT(wrong.at("first_difference").get<std::string>(), testing::StartsWith("s[9]"));
}

// Whole numbers are exact in any order, beside floats that are not, too.
TEST(Check, WholeNumbersAreHeldToTheirBits) {
    auto text = [](const std::string& whole) {
        return "pipeline p\ninput a[i]: f32[9]\nstage l[i] = (0.0, 0)\nupdate l[i] += (a[k] * "
               "0.3, " +
               whole + ") over k in 0..9\noutput l: [4]\n";
    };
    const std::string factored = "schedule for p\nR = l.update(0).rfactor(k)\n"
                                 "R.update(0).parallel(k)\nl.update(0).vectorize(i)\n";
    auto right = check(text("k"), text("k"), factored);
    EXPECT_EQ(right.at("status"), "right") << right.dump(2);
    EXPECT_TRUE(right.at("outputs")[1].at("allowed").is_null()) << "every bit";
    auto wrong = check(text("k"), text("select(k == 8, 7, k)"), factored);
    EXPECT_EQ(wrong.at("status"), "wrong") << "one less";
    EXPECT_EQ(wrong.at("outputs")[1].at("status"), "WRONG");
    const std::string sum = "pipeline p\ninput a[i, k]: i32[4, 64]\n"
                            "stage s[i] = sum[k in 0..64](a[i, k] * 77777)\noutput s: [4]\n";
    auto bits = check(sum, sum, "schedule for p\ns.split(k, ko, ki, 8)\nR = s.rfactor(ki)\n");
    EXPECT_EQ(bits.at("status"), "right");
    EXPECT_EQ(bits.at("method"), "random inputs, every bit compared with the reference");
}

TEST(Check, CancelStopsIt) {
    auto text = pointwise("a[x, y]");
    std::atomic<bool> now = true;
    Context context([](const measure::Progress&) {}, now);
    auto code = compile_program(test::load(text)).value();
    auto answer = check_program(test::load(text), code, {}, context);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.errors().front().code, measure::kCodeCancelled);
}

} // namespace test_check
} // namespace loopscope::worker
