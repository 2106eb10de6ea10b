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
    EXPECT_EQ(refusal(chain(), "b.inline()\na.compute_at(out, y)\n"),
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
    EXPECT_EQ(refusal(chain(), "out.inline()\n"),
              "1:1 out is an output: it is stored, hence not inlined; leave it at root");
    EXPECT_EQ(refusal(matmul(), "C.inline()\n"),
              "1:1 C cannot be inlined: it has a reduction; inline needs one definition without "
              "reduction or updates; "
              "C.compute_at(…) brings it near its readers");
    EXPECT_EQ(refusal(histogram(), "H.inline()\n"),
              "1:1 H cannot be inlined: it has updates; inline needs one definition without "
              "reduction or updates; "
              "H.compute_at(…) brings it near its readers");
    EXPECT_EQ(
        refusal(chain(), "a.unroll(x)\na.inline()\n"),
        "2:1 a cannot be inlined: loop directives were given to it; remove its loop directives");
    EXPECT_EQ(refusal(chain(), "c = b.cache_read(a, local)\nc.compute_at(b, y)\nb.inline()\n"),
              "3:1 b cannot be inlined: c is computed at its loop y; place c elsewhere first");
    const auto inside = std::string("c = b.cache_read(a, local)\nd = c.cache_read(a, local)\n"
                                    "c.compute_at(b, x)\nd.compute_at(c, x)\n"
                                    "d.store_at(b, y)\n");
    EXPECT_EQ(refusal(chain(), inside + "b.inline()\n"),
              "6:1 b cannot be inlined: d is stored at its loop y; place d elsewhere first");
    EXPECT_EQ(refusal(chain(), inside + "d.store_root()\nc.compute_root()\n"
                                        "b.inline()\n"),
              "applied");
    EXPECT_EQ(refusal(histogram(), "H.update(0).inline()\n"),
              "1:1 inline is per stage, not per definition; write H.inline(…)");
    EXPECT_EQ(refusal(chain(), "a.inline(x)\n"), "1:10 too many arguments; write S.inline()");
}

// The nodes of a stage's text, all that is inlined written out, if its variables are that long.
std::int64_t written_out(const ScheduleState& state, const std::string& stage,
                         std::map<std::string, std::int64_t> variables = {}) {
    const std::function<std::int64_t(const ExprPtr&)> nodes = [&](const ExprPtr& e) {
        if (const auto known = variables.find(e->name);
            e->kind == ExprKind::Variable && known != variables.end())
            return known->second;
        const auto* read = e->kind == ExprKind::Load ? state.find(e->name) : nullptr;
        if (!read || read->compute.kind != Placement::Kind::Inline) {
            std::int64_t sum = 1;
            for (const auto& argument : e->args)
                sum += nodes(argument);
            return sum;
        }
        std::map<std::string, std::int64_t> indices;
        for (std::size_t d = 0; d < e->args.size(); ++d)
            indices[state.declared(e->name).variables[d]] = nodes(e->args[d]);
        return written_out(state, e->name, indices);
    };
    return nodes(state.definition(stage, 0)->values[0]);
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

// The last stage is long as soon as its text, written out, is: with all its indices.
TEST(Inline, LongIsWhatIsLongWrittenOut) {
    int crossed = 0;
    for (const char* body : {"s{}[x] * s{}[x + 1]", "s{}[2*x] + s{}[x] * s{}[x]",
                             "let t = s{}[x] + s{}[2*x] in t * t", "s{}[clamp(x*x, 0, 63)]"})
        for (int stages : {3, 8, 9, 10, 11, 12}) {
            std::string pipeline = "pipeline p\ninput a[x]: f32[64] boundary edge\n"
                                   "stage s0[x] = a[x] * a[x]\n";
            for (int i = 1; i < stages; ++i) {
                std::string one = body;
                for (std::size_t at; (at = one.find("{}")) != std::string::npos;)
                    one.replace(at, 2, std::to_string(i - 1));
                pipeline += "stage s" + std::to_string(i) + "[x] = " + one + "\n";
            }
            const auto last = "s" + std::to_string(stages - 1);
            auto state = ScheduleState::initial(parsed(pipeline + "output " + last + ": [8]\n"));
            for (int i = 0; i + 1 < stages; ++i)
                state.edit("s" + std::to_string(i)).compute.kind = Placement::Kind::Inline;
            const bool is_long = written_out(state, last) > kMaxNodes;
            EXPECT_EQ(stages_made_long(state).count(last) > 0, is_long) << body << " " << stages;
            crossed += is_long;
        }
    EXPECT_GT(crossed, 4);
    EXPECT_LT(crossed, 20);
}

// What is at one place is computed once, however often it is read: 2^n reads of n places are n.
TEST(Inline, EqualPartsAreOne) {
    for (const auto& [first, second, growth] :
         {std::tuple{"x", "x", 4}, std::tuple{"1 + x", "x + 1", 4},
          std::tuple{"x - 1", "x + 1", 40}, std::tuple{"x", "x + 2", 40},
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
    EXPECT_NE(refusal(applied).find("longer than 8000 operations, where equal values count once"),
              std::string::npos)
        << refusal(applied);
    EXPECT_LT(applied.applied, 20);
    auto all = applied.state;
    for (int i = 0; i < 89; ++i)
        all.edit("s" + std::to_string(i)).compute.kind = Placement::Kind::Inline;
    EXPECT_EQ(stages_made_long(all).count("s89"), 1u); // 2^89 nodes
}

// Indices are written out, whatever they share: their length is that of their text.
TEST(Inline, LongIndicesAreRefused) {
    for (const char* second : {"x", "clamp(x*x + x, 0, 63)"}) {
        const auto made = doubling(24, "clamp(x*x + x, 0, 63)", second);
        const auto applied = scheduled(parsed(made.pipeline), made.lines);
        EXPECT_NE(refusal(applied).find("longer than"), std::string::npos) << refusal(applied);
        const auto tree = *build_tree(applied.state);
        for (const auto& stage : tree->state.stages)
            if (stage->compute.kind == Placement::Kind::Root) {
                const auto& value = tree->find_stage(stage->name)->stage.definitions[0].values[0];
                EXPECT_LT(written_nodes(value), kMaxNodes);
            }
    }
}

// One line may make a definition thousands of times as long: that is seen before it is made.
TEST(Inline, AStepThatIsFarTooLongIsRefused) {
    std::string pipeline = "pipeline p\ninput a[x]: f32[64] boundary edge\nstage s0[x] = a[x]\n";
    std::string lines;
    for (int i = 1; i <= 4; ++i) {
        pipeline += "stage s" + std::to_string(i) + "[x] = 0.0";
        for (int k = 0; k < 60; ++k)
            pipeline += " + s" + std::to_string(i - 1) + "[" + std::to_string(2 * k + 3) + "*x % " +
                        std::to_string(1009 + k) + "]";
        pipeline += "\n";
        lines += "s" + std::to_string(4 - i) + ".inline()\n";
    }
    const auto applied = scheduled(parsed(pipeline + "output s4: [8]\n"), lines);
    EXPECT_NE(refusal(applied).find("longer than 8000"), std::string::npos) << refusal(applied);
}

// What bounds an index as it is written bounds it where it was shared: a clamped value minus its
// least, times a stride, plus such values, at the far end of i32.
TEST(Inline, IndicesStayBounded) {
    for (const char* index :
         {"(clamp(n[x], 1000000, 1000010) - 1000000)*3000",
          "(clamp(n[x], 2000000000, 2000000010) - 2000000000) + clamp(n[x + 1], 1000000000, "
          "1000000010) - 1000000000",
          "2000000000 - (clamp(n[x], 1999999990, 2000000000) + 5) + 5",
          "-(clamp(n[x], -2147483647, -2147483640) + 2147483640)",
          "((clamp(n[x], -2000000000, -1999999990) + 1500000000) + 500000000)"}) {
        std::string pipeline = "pipeline p\ninput n[x]: i32[64] boundary edge\n"
                               "input lut[x]: i32[30001] boundary edge\n"
                               "stage s0[x]: i32 = n[x]\n";
        std::string lines;
        for (int i = 1; i < 15; ++i) {
            const auto before = "s" + std::to_string(i - 1);
            pipeline += "stage t" + std::to_string(i) + "[x]: i32 = lut[x] * 2\nstage s" +
                        std::to_string(i) + "[x]: i32 = " + before + "[x] + 3*" + before +
                        "[x + 1] + t" + std::to_string(i) + "[" + index + "]\n";
            lines += before + ".inline()\n";
        }
        const auto made = parsed(pipeline + "output s14: [8]\n");
        const auto applied = scheduled(made, lines);
        ASSERT_EQ(refusal(applied), "applied");
        EXPECT_TRUE(stages_made_long(applied.state).count("s14")) << index;
        const auto tree = build_tree(applied.state);
        EXPECT_TRUE(tree) << index << ": " << (tree ? "" : tree.errors().front().message);
    }
}

TEST(Inline, RoundTrip) { expect_round_trip("a.inline()"); }

} // namespace
} // namespace loopscope::test
