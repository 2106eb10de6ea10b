#include "core/schedule/placement.h"
#include "core/schedule/region.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(ScheduleState, TheDefaultHasEveryStageAtRootAndLoopsInOrder) {
    auto state = ScheduleState::initial(histogram());
    ASSERT_EQ(state.stages.size(), 2u) << "inputs are not computed";
    Applied applied{state, {}, 0};
    EXPECT_EQ(nest(applied, "H"), "i");
    EXPECT_EQ(nest(applied, "H", 1), "r! c!");
    EXPECT_EQ(placed(applied, "H"), "root");
    EXPECT_EQ(state.find("H")->definitions[1].roots.size(), 2u);
    EXPECT_EQ(state.find("img"), nullptr);
    EXPECT_EQ(state.index_of("out"), 1);
}

TEST(ScheduleState, FreeVariablesOfAnUpdateComeFirst) {
    auto pipeline =
        update({{constant_index(3), v("x")}, UpdateOp::Add, input_at({v("r"), v("c")}), nullptr});
    EXPECT_EQ(nest({ScheduleState::initial(pipeline), {}, 0}, "S", 1), "x r! c!");
}

TEST(ScheduleState, EditingACopyLeavesTheOriginalAlone) {
    auto before = ScheduleState::initial(chain());
    auto after = before;
    after.edit("a").definitions[0].loops[0].name = "z";
    EXPECT_EQ(before.find("a")->definitions[0].loops[0].name, "y");
    EXPECT_EQ(after.find("a")->definitions[0].loops[0].name, "z");
    EXPECT_EQ(before.find("b"), after.find("b")) << "untouched stages are shared";
    EXPECT_THROW(after.edit("nothing"), std::logic_error);
}

TEST(ScheduleState, KnowsWhatIsComputedAtALoop) {
    auto applied = scheduled(matmul(), "C.compute_at(out, i)\n");
    int i = applied.state.find("out")->definitions[0].find("i")->id,
        j = applied.state.find("out")->definitions[0].find("j")->id;
    EXPECT_EQ(applied.state.placed_at({"out", 0, i}), std::vector<std::string>{"C"});
    EXPECT_TRUE(applied.state.placed_at({"out", 0, j}).empty());
}

TEST(Placement, LegalPlacesAreTheLoopsAroundAllReaders) {
    auto texts = [](const Applied& applied, const std::string& stage) {
        std::string text;
        for (const auto& ref : legal_placements(applied.state, stage))
            text += loop_text(applied.state, ref) + " ";
        return text;
    };
    EXPECT_EQ(texts(scheduled(matmul(), ""), "C"), "out.i out.j ");
    EXPECT_EQ(texts(scheduled(matmul(), "out.vectorize(j, 8)\n"), "C"), "out.i out.j ");
    EXPECT_EQ(texts(scheduled(chain(), ""), "b"), "") << "two readers at root";
    EXPECT_EQ(texts(scheduled(chain(), ""), "out"), "");
    EXPECT_EQ(
        texts(scheduled(matmul(), "c = out.cache_read(C, local)\nc.compute_at(out, i)\n"), "C"),
        "out.i c.i c.j ");
    EXPECT_EQ(texts(scheduled(histogram(), ""), "H"), "out.i ");
}

TEST(Placement, EveryPlaceThatIsCalledLegalIsAccepted) {
    for (const auto& pipeline : {chain(), matmul(), histogram()})
        for (const auto& stage : ScheduleState::initial(pipeline).stages)
            for (const auto& ref :
                 legal_placements(ScheduleState::initial(pipeline), stage->name)) {
                auto loop = loop_text(ScheduleState::initial(pipeline), ref);
                auto dot = loop.rfind('.');
                auto line = stage->name + ".compute_at(" + loop.substr(0, dot) + ", " +
                            loop.substr(dot + 1) + ")\n";
                EXPECT_EQ(refusal(pipeline, line), "applied") << line;
            }
}

// Not what another line would have to give up: s, inside of t, would be left behind; u, which is
// ahead, would not find t.
TEST(Placement, WhatOtherLinesHoldInPlaceIsNotOffered) {
    auto made = parsed("pipeline p\ninput x[i, j]: f32[32, 32]\nstage s[i, j] = x[i, j] * 2.0\n"
                       "stage t[i, j] = s[i, j] + 1.0\nstage u[i, j] = t[i, j] * 3.0\n"
                       "stage o[i, j] = s[i, j] + u[i, j]\noutput o: [32, 32]\n");
    auto texts = [&](const std::string& lines, const std::string& stage) {
        auto applied = scheduled(made, lines);
        std::string text = refusal(applied) == "applied" ? "" : refusal(applied);
        for (const auto& ref : legal_placements(applied.state, stage))
            text += loop_text(applied.state, ref) + " ";
        return text;
    };
    const std::string inside = "u.compute_at(o, j)\nt.compute_at(o, j)\n";
    EXPECT_EQ(texts(inside, "t"), "o.i o.j u.i u.j ");
    EXPECT_EQ(texts(inside + "s.compute_at(o, j)\n", "t"), "o.j u.i u.j ");
    EXPECT_EQ(texts(inside + "t.compute_root()\nu.pipeline(2)\n", "t"), "o.i u.i u.j ");
    EXPECT_EQ(refusal(made, inside + "s.compute_at(o, j)\nt.compute_at(s, i)\n"),
              "4:17 s does not read t: it comes before it; legal for t: compute_at(o, j), "
              "compute_at(u, i), compute_at(u, j)");
    // A line, not the lack of a loop, is what keeps it at root.
    EXPECT_EQ(refusal(made, "u.prefetch(t, i, 1)\nt.pipeline(2)\n"),
              "2:1 t is computed at root, before all that reads it: there is no iteration that it "
              "could be ahead of; choose another stage: other lines stand in the way at each loop "
              "that is around all that reads t");
}

TEST(Reads, ThroughInlinedStagesAndCopies) {
    auto applied = scheduled(chain(), "c = b.cache_read(a, local)\na.inline()\n");
    ASSERT_EQ(refusal(applied), "applied");
    ReadGraph graph(applied.state);
    EXPECT_EQ(graph.reads("b", 0), std::set<std::string>{"c"});
    EXPECT_EQ(graph.reads("c", 0), std::set<std::string>{"in"}) << "a, inlined into its copy";
    EXPECT_EQ(graph.reads("out", 0), (std::set<std::string>{"b", "in"}));
    EXPECT_EQ(graph.readers("c"), (std::vector<DefinitionKey>{{"b", 0}}));
}

TEST(Reads, CopiesOfCopiesAndInlinedCopies) {
    auto lines = std::string("A1 = C.cache_read(A, shared)\nA2 = C.cache_read(A1, local)\n");
    ReadGraph both(scheduled(matmul(), lines).state);
    EXPECT_EQ(both.reads("C", 0), (std::set<std::string>{"A2", "B"}));
    EXPECT_EQ(both.reads("A2", 0), std::set<std::string>{"A1"});
    ReadGraph outer(scheduled(matmul(), lines + "A1.inline()\n").state);
    EXPECT_EQ(outer.reads("C", 0), (std::set<std::string>{"A2", "B"}));
    EXPECT_EQ(outer.reads("A2", 0), std::set<std::string>{"A"});
    ReadGraph none(scheduled(matmul(), lines + "A1.inline()\nA2.inline()\n").state);
    EXPECT_EQ(none.reads("C", 0), (std::set<std::string>{"A", "B"}));
}

// What placements are judged by is what the tree is made of.
TEST(Reads, AgreeWithTheDerivedProgram) {
    auto expect_same = [](const PipelinePtr& pipeline, const std::string& lines) {
        auto applied = scheduled(pipeline, lines);
        ASSERT_EQ(refusal(applied), "applied") << lines;
        ReadGraph graph(applied.state);
        for (const auto& stage : derive(applied.state).stages)
            for (std::size_t d = 0; d < stage.stage.definitions.size(); ++d) {
                std::set<std::string> loads;
                const auto& definition = stage.stage.definitions[d];
                auto add = [&](const ExprPtr& e) {
                    if (e)
                        visit(e, [&](const Expr& node) {
                            if (node.kind == ExprKind::Load)
                                loads.insert(node.name);
                            return true;
                        });
                };
                for (const auto& value : definition.values)
                    add(value);
                for (const auto& index : definition.left)
                    add(index);
                add(definition.condition);
                EXPECT_EQ(loads, graph.reads(stage.stage.name, static_cast<int>(d)))
                    << lines << stage.stage.name;
            }
    };
    std::string copies = "A1 = C.cache_read(A, shared)\nA2 = C.cache_read(A1, local)\n";
    for (std::string lines : {"", "A1.inline()\n", "A2.inline()\n", "A1.inline()\nA2.inline()\n"})
        expect_same(matmul(), copies + lines);
    expect_same(chain(), "a.inline()\nb.inline()\n");
    expect_same(chain(), "a.inline()\nc = b.cache_read(in, local)\n");
    expect_same(
        chain(),
        "c = b.cache_read(a, local, out)\na.inline()\nd = out.cache_read(b, local)\nb.inline()\n");
    expect_same(histogram(), "m = H.cache_read(img, local)\nh = out.cache_read(H, local)\n");
}

} // namespace
} // namespace loopscope::test
