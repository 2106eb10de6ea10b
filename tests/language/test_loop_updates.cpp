// Updates: free variables, `over` axes, reads of the stage itself.
#include "tests/language/loop_support.h"

namespace loopscope::test {
namespace {

TEST(LoopUpdates, AHistogram) {
    auto p = loaded(around("stage h[v]: i32 = 0\n"
                           "update h[u[r]] += 1 over r in 0..8 where b[r] > 0\n"
                           "stage s[i] = h[i]"));
    const auto& d = p->find("h")->definitions[1];
    EXPECT_EQ(d.kind, DefinitionKind::Update);
    EXPECT_EQ(d.update, UpdateOp::Add);
    EXPECT_TRUE(d.free.empty());
    ASSERT_EQ(d.axes.size(), 1u);
    EXPECT_EQ(to_text(d.left[0]), "u[r]");
    EXPECT_EQ(to_text(d.values[0]), "1");
    EXPECT_EQ(to_text(d.condition), "b[r] > 0");
}

TEST(LoopUpdates, FreeVariablesStandInTheirOwnPosition) {
    auto p = loaded(around("stage f[y, x]: f32 = g[y, x]\n"
                           "update f[r, x] = 0.5*f[r-1, x] + 0.5*g[r, x] over r in 1..8\n"
                           "update f[y, x] *= 2\n"
                           "update f[y, 3] max= 0.0\n"
                           "update f[0, 0] min= 5.0",
                           "f: [8, 8]"));
    const auto& f = *p->find("f");
    EXPECT_EQ(f.definitions[1].free, std::vector<std::string>{"x"});
    EXPECT_EQ(f.definitions[2].free, (std::vector<std::string>{"y", "x"}));
    EXPECT_EQ(f.definitions[2].update, UpdateOp::Multiply);
    EXPECT_EQ(f.definitions[3].free, std::vector<std::string>{"y"});
    EXPECT_EQ(f.definitions[3].update, UpdateOp::Max);
    EXPECT_TRUE(f.definitions[4].free.empty());
    EXPECT_EQ(f.definitions[4].update, UpdateOp::Min);
}

TEST(LoopUpdates, AnOverAxisMayTakeTheNameOfAVariable) {
    auto p = loaded(around("stage s[i]: f32 = a[i]\nupdate s[i] += s[i-1] over i in 1..8"));
    const auto& d = p->find("s")->definitions[1];
    EXPECT_TRUE(d.free.empty());
    EXPECT_EQ(d.axes[0].name, "i");
}

TEST(LoopUpdates, SelfReadsKeepFreeVariablesInPlace) {
    EXPECT_EQ(errors(around("stage s[i]: f32 = a[i]\nupdate s[i] += s[i-1]")),
              "t.loop:7:18: error: 's' reads itself, and its free variable 'i' does not stand "
              "unchanged in its own "
              "position; put it in 'over': over i in 0..N\n"
              "update s[i] += s[i-1]\n"
              "                 ^\n");
    EXPECT_NE(
        errors(
            around("stage t[y, x]: f32 = g[y, x]\nupdate t[y, x] = t[x, y]\nstage s[i] = t[i, i]"))
            .find("put it in 'over': over y in 0..N"),
        std::string::npos);
}

TEST(LoopUpdates, AVariableOutOfPlaceMustBeInOver) {
    auto text =
        errors(around("stage t[y, x]: f32 = g[y, x]\nupdate t[x, y] = 1.0\nstage s[i] = t[i, i]"));
    EXPECT_NE(text.find("unknown name 'x'; it is free only where it stands alone in its own "
                        "position on the left; else put "
                        "it in 'over': over x in 0..N"),
              std::string::npos)
        << text;
}

TEST(LoopUpdates, UpdatesComeBeforeReaders) {
    EXPECT_EQ(errors(around("stage t[i]: f32 = a[i]\nstage s[i] = t[i]\nupdate t[i] += 1")),
              "t.loop:8:8: error: 't' was read by 's' before this update; write the updates of a "
              "stage before its readers\n"
              "update t[i] += 1\n"
              "       ^\n");
}

TEST(LoopUpdates, AFirstDefinitionCannotReadItself) {
    EXPECT_EQ(message("s[i-1] + 1"),
              "the stage 's' cannot read itself in its first definition; write that as an update: "
              "update s[…] = … over …");
}

TEST(LoopUpdates, TypesMustBeTheStages) {
    EXPECT_NE(errors(around("stage s[i]: i32 = 0\nupdate s[i] += a[i]"))
                  .find("the stage 's' is i32, but the update's expression is f32; write i32(…)"),
              std::string::npos);
    EXPECT_NE(errors(around("stage s[i]: bool = false\nupdate s[i] += true"))
                  .find("arithmetic on bool: '+='"),
              std::string::npos);
}

} // namespace
} // namespace loopscope::test
