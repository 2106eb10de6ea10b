#include "core/schedule/region.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

std::string scope_of(const Applied& applied, const std::string& stage) {
    return applied.state.find(stage)->scope.name;
}

TEST(Scope, SaysWhereAStageLies) {
    EXPECT_EQ(scope_of(scheduled(chain(), ""), "a"), "");
    EXPECT_EQ(scope_of(scheduled(chain(), "a.scope(local)\n"), "a"), "local");
    EXPECT_EQ(scope_of(scheduled(chain(), "a.scope(local)\na.scope(shared)\n"), "a"), "shared");
}

TEST(Scope, OfACopy) {
    auto applied = scheduled(chain(), "A = a.cache_read(in, local)\nA.scope(global)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(scope_of(applied, "A"), "global");
}

// On a CPU it is a hint: loops, places and sizes are what they were.
TEST(Scope, ChangesNeitherLoopsNorPlaces) {
    const std::string lines = "C.compute_at(out, i)\nC.split(j, jo, ji, 8)\n";
    auto before = scheduled(matmul(), lines),
         after = scheduled(matmul(), lines + "C.scope(local)\n");
    EXPECT_EQ(nest(before, "C"), nest(after, "C"));
    EXPECT_EQ(placed(after, "C"), "out.i");
    auto extents = [](const Applied& applied) {
        return stored_extents(tree_of(applied)->layout->stages.at("C"));
    };
    EXPECT_EQ(extents(before), extents(after));
}

TEST(Scope, Refusals) {
    EXPECT_EQ(
        refusal(chain(), "a.scope(attic)\n"),
        "1:9 there is no scope attic; scopes are global, shared, local, register and fragment");
    EXPECT_EQ(
        refusal(chain(), "out.scope(local)\n"),
        "1:1 out is an output: it lies in memory as the caller has it; lay out a stage that it "
        "reads, or a copy of one by cache_read");
    EXPECT_EQ(
        refusal(chain(), "in.scope(local)\n"),
        "1:1 in is an input: it lies in memory as the caller has it; a copy may lie otherwise: B = "
        "S.cache_read(in, local)");
    EXPECT_EQ(refusal(chain(), "a.inline()\na.scope(local)\n"),
              "2:1 a is inlined: it has no storage; a.compute_root() gives it storage again");
    EXPECT_EQ(refusal(chain(), "a.scope()\n"),
              "1:9 scope needs a scope here; write S.scope(scope)");
    EXPECT_EQ(refusal(histogram(), "H.update(0).scope(local)\n"),
              "1:1 scope is per stage, not per definition; write H.scope(…)");
}

TEST(Scope, RoundTrip) { expect_round_trip("a.scope(local)"); }

} // namespace
} // namespace loopscope::test
