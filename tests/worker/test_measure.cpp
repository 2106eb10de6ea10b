// measure: what is asked for with the time.
#include "compiler/worker/context.h"

#include "tests/support/support.h"
#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::worker {
namespace test_measure {

using nlohmann::json;

const std::atomic<bool> never = false;
const Context quiet([](const measure::Progress&) {}, never);

// A sum in another order, of which no difference is tolerated, is wrong.
TEST(Measure, AWrongResultHasNoTime) {
    auto arguments = test::arguments("pipeline total\ninput a[i, k]: f32[8, 64]\n"
                                     "stage s[i] = sum[k in 0..64](a[i, k] * 0.3)\noutput s: [8]\n",
                                     "schedule for total\ns.vectorize(k, 8)\n");
    arguments["budget_s"] = 0.01;
    arguments["check"] = true;
    auto right = serve_measure(arguments, quiet);
    ASSERT_TRUE(right) << format(right.errors());
    EXPECT_EQ(right->at("check").at("status"), "right");
    EXPECT_GT(right->at("median_s").get<double>(), 0);
    arguments["tolerance"] = 0;
    auto wrong = serve_measure(arguments, quiet);
    ASSERT_TRUE(wrong) << format(wrong.errors());
    EXPECT_EQ(wrong->at("check").at("status"), "wrong");
    EXPECT_TRUE(wrong->at("median_s").is_null());
    arguments["check"] = false; // and nobody knows
    auto unknown = serve_measure(arguments, quiet);
    ASSERT_TRUE(unknown) << format(unknown.errors());
    EXPECT_FALSE(unknown->contains("check"));
    EXPECT_GT(unknown->at("median_s").get<double>(), 0);
}

} // namespace test_measure
} // namespace loopscope::worker
