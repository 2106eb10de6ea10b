// check finds what is wrong: the compiled program of one pipeline against the definitions of another.
#include "compiler/worker/check.h"

#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::worker {
namespace {

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
    EXPECT_THAT(answer.at("method").get<std::string>(), HasSubstr("out not compared"));
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

TEST(Check, CancelStopsIt) {
    auto text = pointwise("a[x, y]");
    std::atomic<bool> now = true;
    Context context([](const measure::Progress&) {}, now);
    auto code = compile_program(test::load(text)).value();
    auto answer = check_program(test::load(text), code, {}, context);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.errors().front().code, measure::kCodeCancelled);
}

} // namespace
} // namespace loopscope::worker
