#include "core/schedule/companions.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {

namespace test_companions {

using Names = std::vector<std::string>;

Names beside(const std::string& lines, const std::string& stage) {
    const auto applied = scheduled(matmul(), lines);
    EXPECT_EQ(refusal(applied), "applied");
    return companions(applied.state, stage);
}

const std::string kOperands = "first = C.cache_read(A, shared)\nother = C.cache_read(B, shared)\n";

TEST(Companions, AreCopiesOfOneReaderInOneScopeAtOnePlace) {
    EXPECT_EQ(beside(kOperands, "first"), Names{"other"});
    EXPECT_EQ(beside(kOperands, "other"), Names{"first"});
    EXPECT_EQ(beside(kOperands, "C"), Names{}) << "no copy";
    EXPECT_EQ(beside(kOperands + "first.compute_at(C, i)\n", "first"), Names{});
    EXPECT_EQ(beside(kOperands + "first.compute_at(C, i)\nother.compute_at(C, i)\n", "first"),
              Names{"other"});
    EXPECT_EQ(beside("first = C.cache_read(A, shared)\nother = C.cache_read(B, local)\n", "first"),
              Names{});
}

TEST(Companions, ACopyOfACopyBelongsToItsLikeAlone) {
    const auto parts = kOperands + "part = C.cache_read(first, local)\n";
    EXPECT_EQ(beside(parts, "part"), Names{});
    EXPECT_EQ(beside(parts, "first"), Names{"other"});
    EXPECT_EQ(beside(parts + "another = C.cache_read(other, local)\n", "part"), Names{"another"});
}

TEST(Companions, ACounterpartStandsAtTheSamePlace) {
    const auto applied = scheduled(matmul(), kOperands);
    ASSERT_EQ(refusal(applied), "applied");
    const auto& state = applied.state;
    EXPECT_EQ(counterpart(state, {"first", 0, "k"}, "other"), (NodeId{"other", 0, "j"}));
    EXPECT_EQ(counterpart(state, {"first", -1, "@stage"}, "other"),
              (NodeId{"other", -1, "@stage"}));
    EXPECT_EQ(counterpart(state, {"first", 0, "@compute"}, "other"),
              (NodeId{"other", 0, "@compute"}));
    const auto split = scheduled(matmul(), kOperands + "first.split(k, ko, ki, 4)\n");
    EXPECT_EQ(counterpart(split.state, {"first", 0, "ki"}, "other"), NodeId{})
        << "nests of other depths";
}

} // namespace test_companions
} // namespace loopscope::test
