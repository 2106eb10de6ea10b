#include "core/schedule/inlined_size.h"
#include "tests/schedule/scheduling.h"

#include <functional>
#include <set>
#include <tuple>

namespace loopscope::test {
namespace {

TEST(Inline, SubstitutesAStage) {
    auto applied = scheduled(chain(), "a.inline()\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(placed(applied, "a"), "inline");
    EXPECT_EQ(placed(scheduled(chain(), "a.inline()\na.compute_root()\n"), "a"), "root");
}

TEST(Inline, ReadersThroughItCount) {
    // b inlined: out and side read a through it, so that a fits into neither.
    EXPECT_EQ(refusal(scheduled(chain(), "b.inline()\na.compute_at(out, y)\n")),
              "2:19 a cannot be computed at out.y: side, which reads it, is outside that loop; "
              "legal for a: "
              "compute_root()");
}

TEST(Inline, IntoItsCopy) {
    auto applied = scheduled(matmul(), "B2 = out.cache_read(C, local)\n");
    EXPECT_EQ(refusal(applied), "applied");
    auto copied = scheduled(chain(), "bc = out.cache_read(b, local, side)\nb.inline()\n");
    EXPECT_EQ(refusal(copied), "applied");
    EXPECT_EQ(placed(copied, "b"), "inline");
}

TEST(Inline, Refusals) {
    EXPECT_EQ(refusal(scheduled(chain(), "out.inline()\n")),
              "1:1 out is an output: it is stored, hence not inlined; leave it at root");
    EXPECT_EQ(refusal(scheduled(matmul(), "C.inline()\n")),
              "1:1 C cannot be inlined: it has a reduction; inline needs one definition without "
              "reduction or updates; "
              "C.compute_at(…) brings it near its readers");
    EXPECT_EQ(refusal(scheduled(histogram(), "H.inline()\n")),
              "1:1 H cannot be inlined: it has updates; inline needs one definition without "
              "reduction or updates; "
              "H.compute_at(…) brings it near its readers");
    EXPECT_EQ(
        refusal(scheduled(chain(), "a.unroll(x)\na.inline()\n")),
        "2:1 a cannot be inlined: loop directives were given to it; remove its loop directives");
    EXPECT_EQ(
        refusal(scheduled(chain(), "c = b.cache_read(a, local)\nc.compute_at(b, y)\nb.inline()\n")),
        "3:1 b cannot be inlined: c is computed at its loop y; place c elsewhere first");
    const auto inside = std::string("c = b.cache_read(a, local)\nd = c.cache_read(a, local)\n"
                                    "c.compute_at(b, x)\nd.compute_at(c, x)\n"
                                    "d.store_at(b, y)\n");
    EXPECT_EQ(refusal(scheduled(chain(), inside + "b.inline()\n")),
              "6:1 b cannot be inlined: d is stored at its loop y; place d elsewhere first");
    EXPECT_EQ(refusal(scheduled(chain(), inside + "d.store_root()\nc.compute_root()\n"
                                                  "b.inline()\n")),
              "applied");
    EXPECT_EQ(refusal(scheduled(histogram(), "H.update(0).inline()\n")),
              "1:1 inline is per stage, not per definition; write H.inline(…)");
    EXPECT_EQ(refusal(scheduled(chain(), "a.inline(x)\n")),
              "1:10 too many arguments; write S.inline()");
}

// The expressions of a stage as trees, written out one in the other.
std::int64_t written_out(const ScheduleState& state, const std::string& stage) {
    std::function<std::int64_t(const ExprPtr&)> nodes = [&](const ExprPtr& e) {
        std::int64_t sum = 1;
        for (const auto& argument : e->args)
            sum += nodes(argument);
        const auto* read = e->kind == ExprKind::Load ? state.find(e->name) : nullptr;
        return read && read->compute.kind == Placement::Kind::Inline
                   ? sum + written_out(state, e->name)
                   : sum;
    };
    const auto& s = *state.find(stage);
    return 1 + (s.copy_of.empty() ? nodes(state.definition(stage, 0)->values[0])
                : state.find(s.copy_of)->compute.kind == Placement::Kind::Inline
                    ? written_out(state, s.copy_of)
                    : 0);
}

TEST(Inline, SizesAreThoseOfTheTextWrittenOut) {
    const auto made =
        parsed("pipeline p\ninput a[x]: f32[64] boundary edge\nstage s0[x] = a[x] * a[x]\n"
               "stage s1[x] = s0[x] + s0[x + 1] * s0[x]\n"
               "stage s2[x] = let t = s1[x] + s1[2*x] in t * t\n"
               "stage s3[x] = s2[x] - s0[x]\noutput s3: [8]\n");
    for (const char* lines :
         {"", "s0.inline()\n", "s0.inline()\ns2.inline()\n",
          "s0.inline()\ns1.inline()\ns2.inline()\n",
          "c = s2.cache_read(s1, local)\ns0.inline()\ns1.inline()\ns2.inline()\n"}) {
        const auto applied = scheduled(made, lines);
        ASSERT_EQ(refusal(applied), "applied");
        for (const auto& [stage, nodes] : nodes_after_inlining(applied.state))
            EXPECT_EQ(nodes, written_out(applied.state, stage)) << stage << "\n" << lines;
    }
}

// Stages that each read the one before twice, all of them but the last to be inlined.
struct Doubling {
    std::string pipeline, lines;
};
Doubling doubling(int stages, const std::string& first, const std::string& second,
                  const std::string& between = " + ") {
    Doubling out{"pipeline p\ninput a[x]: f32[64] boundary edge\nstage s0[x] = a[x]\n", ""};
    for (int i = 1; i < stages; ++i) {
        const auto before = "s" + std::to_string(i - 1);
        out.pipeline += "stage s" + std::to_string(i) + "[x] = " + before + "[" + first + "]" +
                        between + before + "[" + second + "]*0.5\n";
        out.lines += before + ".inline()\n";
    }
    out.pipeline += "output s" + std::to_string(stages - 1) + ": [8]\n";
    return out;
}

// What is at one place is computed once, however often it is read: 2^n reads of n places are n.
TEST(Inline, EqualPartsAreOne) {
    for (const auto& [first, second, growth] :
         {std::tuple{"x", "x", 4}, std::tuple{"x - 1", "x + 1", 40}, std::tuple{"x", "x + 2", 40},
          std::tuple{"clamp(x, 0, 7)", "x", 20}}) {
        const auto made = doubling(40, first, second);
        const auto applied = scheduled(parsed(made.pipeline), made.lines);
        ASSERT_EQ(refusal(applied), "applied");
        const auto tree = tree_of(applied);
        const auto& value = tree->find_stage("s39")->stage.definitions[0].values[0];
        EXPECT_LT(count_distinct({value}), 40 * 4 * growth) << first;
        EXPECT_LT(to_text(value).size(), 40u * 100u * static_cast<unsigned>(growth)) << first;
    }
}

// Where a definition would not be too long it stays as it was, equal parts and all.
TEST(Inline, WhatIsShortIsWrittenOut) {
    const auto made = doubling(8, "x", "x");
    const auto tree = tree_of(scheduled(parsed(made.pipeline), made.lines));
    const auto& value = tree->find_stage("s7")->stage.definitions[0].values[0];
    visit(value, [](const Expr& e) {
        EXPECT_NE(e.kind, ExprKind::Let);
        return true;
    });
}

// Copies serve what is inlined, as they do where nothing is shared.
TEST(Inline, EqualPartsThatCopiesServe) {
    const auto made = doubling(30, "x", "x + 1");
    // What is copied is read by s29 once those between are inlined.
    const auto before = made.lines.find("s4.inline()");
    const auto applied = scheduled(parsed(made.pipeline),
                                   made.lines.substr(before) + "c = s29.cache_read(s3, local)\n" +
                                       made.lines.substr(0, before) + "s29.contract()\n");
    ASSERT_EQ(refusal(applied), "applied");
    std::set<std::string> read;
    visit(tree_of(applied)->find_stage("s29")->stage.definitions[0].values[0], [&](const Expr& e) {
        if (e.kind == ExprKind::Load)
            read.insert(e.name);
        return true;
    });
    EXPECT_EQ(read, std::set<std::string>{"c"});
}

// Each doubles the one before, and reads other places within the same bounds: counted, and refused,
// long before it is written out.
TEST(Inline, GrowthIsBounded) {
    const auto made = doubling(90, "3*x % 1009", "5*x % 1013");
    const auto applied = scheduled(parsed(made.pipeline), made.lines);
    EXPECT_NE(refusal(applied).find("different operations long, more than 20000"),
              std::string::npos)
        << refusal(applied);
    EXPECT_LT(applied.applied, 20);
    auto all = applied.state;
    for (int i = 0; i < 89; ++i)
        all.edit("s" + std::to_string(i)).compute.kind = Placement::Kind::Inline;
    EXPECT_EQ(nodes_after_inlining(all).at("s89"), std::int64_t{1} << 62);
}

TEST(Inline, RoundTrip) { expect_round_trip("a.inline()"); }

} // namespace
} // namespace loopscope::test
