#include "core/polyhedral/integer_sets.h"

#include <gtest/gtest.h>

#include <thread>

namespace loopscope::polyhedral {
namespace {

TEST(IntegerSets, EmptinessAndTheLeastPoint) {
    std::string some = "{ [i, j] : 3 <= i < 9 and j = 2i and i mod 2 = 0 }";
    EXPECT_EQ(is_empty(some), Emptiness::NotEmpty);
    EXPECT_EQ(least_point(some), (std::vector<std::int64_t>{4, 8}));
    EXPECT_EQ(is_empty("{ [i] : 2i = 7 }"), Emptiness::Empty);
    EXPECT_EQ(least_point("{ [i] : 2i = 7 }"), std::nullopt);
    EXPECT_EQ(is_empty("{ [i] : i < 0 }"), Emptiness::NotEmpty);
    EXPECT_EQ(least_point("{ [i] : i < 0 }"), std::nullopt) << "it has none";
    EXPECT_THROW(is_empty("{ [i : }"), std::logic_error);
    EXPECT_EQ(least_point("{ [i] : i = 5 }"), std::vector<std::int64_t>{5}) << "after a failure";
    EXPECT_TRUE(least_point("[p] -> { [i] : i > 3 and p > 7 }").has_value());
}

TEST(IntegerSets, AQuotaEndsTheWork) {
    std::string hard =
        "{ [a, b, c, d, e, f] : exists (p, q, r : 7a + 3b = 11p + c and 5c - 2d = 13q + e and 3e + "
        "8f = 17r + a"
        " and 0 <= a, b, c, d, e, f <= 1000 and a + b + c > d + e + f + 5p - 3q and 2r != a - f) }";
    EXPECT_EQ(is_empty(hard, 50), Emptiness::Unknown);
    EXPECT_EQ(is_empty("{ [i] : i = 5 }", 100'000), Emptiness::NotEmpty)
        << "the next call is not harmed";
}

TEST(IntegerSets, EachThreadHasItsOwnContext) {
    std::vector<std::thread> threads;
    std::vector<std::int64_t> least(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t, &least] {
            for (int n = 0; n < 50; ++n)
                least[static_cast<std::size_t>(t)] =
                    least_point("{ [i] : i >= " + std::to_string(t * 100 + n) + " }")->at(0);
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(least, (std::vector<std::int64_t>{49, 149, 249, 349}));
}

TEST(IntegerSets, IslIsTheRealOne) {
    EXPECT_NE(isl_version_text().find("GMP"), std::string::npos)
        << "another library's isl was linked: " << isl_version_text();
}

} // namespace
} // namespace loopscope::polyhedral
