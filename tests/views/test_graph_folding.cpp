// Folding of the pipeline graph: groups from the loops of the pipeline's text, what a folded node
// stands for, and the gestures of the view.

#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/large_pipeline.h"
#include "tests/views/fixtures.h"
#include "views/models/graph_folding.h"
#include "views/style/fonts.h"
#include "views/widgets/pipeline_graph_view.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

namespace loopscope::views::test {

namespace test_graph_folding {

ScheduleTreePtr network() { return tree_of_text(loopscope::test::network_text(3)); }

const PipelineNode& node_of(const PipelineGraph& g, const std::string& stage) {
    return g.nodes.at(static_cast<std::size_t>(g.index_of(stage)));
}

const PipelineEdge* edge(const PipelineGraph& g, const std::string& from, const std::string& to) {
    const int a = g.index_of(from), b = g.index_of(to);
    for (const PipelineEdge& e : g.edges)
        if (e.from == a && e.to == b)
            return &e;
    return nullptr;
}

using Strings = std::vector<std::string>;

TEST(GraphFolding, EachLoopGivesAllItsIterationsAndOne) {
    EXPECT_EQ(fold_paths(""), Strings{});
    EXPECT_EQ(fold_paths("l=3"), (Strings{"l", "l=3"}));
    EXPECT_EQ(fold_paths("l=3/m=0"), (Strings{"l", "l=3", "l=3/m", "l=3/m=0"}));
    EXPECT_EQ(fold_paths("block"), Strings{"block"}) << "a group that no loop made";
    EXPECT_EQ(fold_name("l=3/m"), "l = 3, all m");
}

TEST(GraphFolding, TheLoopsOfThePipelinesTextAreTheGroups) {
    const PipelineGraph g = pipeline_graph(*network());
    ASSERT_EQ(g.nodes.size(), 17u);
    EXPECT_EQ(node_of(g, "act2").folds, (Strings{"l", "l=2"}));
    EXPECT_TRUE(node_of(g, "out0").folds.empty()) << "written outside the loop";
    const auto groups = groups_of(g);
    EXPECT_EQ(groups.size(), 4u);
    EXPECT_EQ(groups.front(), (std::pair<std::string, int>("l", 15)));
    // One stage an iteration: only the loop as a whole is worth a fold.
    const PipelineGraph chain = pipeline_graph(*default_tree("stencil_chain"));
    for (const PipelineNode& node : chain.nodes)
        EXPECT_LE(node.folds.size(), 1u) << node.stage;
}

TEST(GraphFolding, AFoldedGroupIsOneNodeWithSumsOfItsStages) {
    const PipelineGraph whole = pipeline_graph(*network());
    const PipelineGraph g = fold(whole, {"l=2"});
    ASSERT_EQ(g.nodes.size(), 13u);
    const PipelineNode& group = node_of(g, "act2");
    EXPECT_EQ(g.index_of("act2"), g.index_of("out2"));
    EXPECT_EQ(group.name, "l = 2");
    EXPECT_EQ(group.members, (Strings{"norm2", "act2", "gate2", "mix2", "out2"}));
    EXPECT_DOUBLE_EQ(group.bytes, 5 * 256 * 4);
    EXPECT_TRUE(group.detail.contains("5 stages")) << group.detail.toStdString();
    EXPECT_EQ(group.folds, Strings{"l"}) << "it can be folded further";
    // out1 is read by two stages of the group: its bytes count once.
    ASSERT_TRUE(edge(g, "out1", "act2"));
    EXPECT_DOUBLE_EQ(edge(g, "out1", "act2")->bytes, 256 * 4);
    EXPECT_TRUE(edge(g, "out2", "norm3"));
    EXPECT_FALSE(edge(g, "norm2", "act2")) << "what is inside is not drawn";
    const PipelineGraph outer = fold(whole, {"l=2", "l"});
    EXPECT_EQ(outer.nodes.size(), 3u) << "the outermost holds";
    EXPECT_EQ(node_of(outer, "act1").members.size(), 15u);
    EXPECT_EQ(fold(whole, {"no=such"}).nodes.size(), whole.nodes.size());
}

TEST(GraphFolding, AGroupStandsInAKernelOnlyWhole) {
    const auto tree = tree_of_text(
        loopscope::test::network_text(3),
        "mix2.compute_at(out2, i)\ngate2.compute_at(out2, i)\nact2.compute_at(out2, i)\n");
    const PipelineGraph whole = pipeline_graph(*tree);
    ASSERT_EQ(whole.groups.size(), 1u);
    EXPECT_EQ(whole.groups[0].root, "out2");
    EXPECT_EQ(node_of(fold(whole, {"l=2"}), "out2").group, -1) << "norm2 is outside";
    const auto all = pipeline_graph(*tree_of_text(
        loopscope::test::network_text(3),
        "norm2.inline()\nact2.inline()\nmix2.compute_at(out2, i)\ngate2.compute_at(out2, i)\n"));
    EXPECT_EQ(node_of(fold(all, {"l=2"}), "out2").group, 0);
}

TEST(GraphFolding, NumbersInNamesSayTheLevelOfAPyramid) {
    EXPECT_EQ(level_folds({"up0", "up1", "up2", "down0", "down1", "down2", "out", "x9y"}),
              (Strings{"#0", "#1", "#2", "#0", "#1", "#2", "", ""}));
    EXPECT_EQ(level_folds({"s0", "s1", "s2", "s3"}), Strings(4)) << "one family is a chain";
    EXPECT_EQ(level_folds({"a0", "a1", "b0", "b1"}), Strings(4)) << "two are no pyramid";
    EXPECT_EQ(fold_name("#3"), "level 3");
    // Its stages come from three loops of the text, of which one counts backwards, and from none.
    const PipelineGraph g = pipeline_graph(*bundled_tree("local_laplacian"));
    for (const char* stage :
         {"bright6", "remapped_half6", "coarse_half6", "below6", "detail6", "result6"}) {
        const auto& folds = node_of(g, stage).folds;
        EXPECT_TRUE(std::find(folds.begin(), folds.end(), "#6") != folds.end()) << stage;
    }
    const auto& first = node_of(g, "bright0").folds;
    EXPECT_EQ(first, Strings{"#0"}) << "written outside of all loops";
    const PipelineGraph folded = fold(g, {"#6"});
    EXPECT_EQ(folded.index_of("result6"), folded.index_of("bright6"));
    EXPECT_EQ(node_of(folded, "result6").name, "level 6");
    const PipelineGraph interpolated = pipeline_graph(*bundled_tree("interpolate"));
    EXPECT_EQ(node_of(fold(interpolated, {"#4"}), "filled4").members,
              (Strings{"downy4", "down4", "upx4", "up4", "filled4"}));
}

// More nodes than a panel shows legibly: each level of a pyramid is one, and a chain of iterations.
TEST(GraphFolding, WhatCouldNotBeReadWholeOpensFolded) {
    EXPECT_TRUE(folded_at_opening(pipeline_graph(*network())).empty());
    EXPECT_TRUE(folded_at_opening(pipeline_graph(*default_tree("harris"))).empty());
    EXPECT_TRUE(folded_at_opening(pipeline_graph(*default_tree("camera_pipe"))).empty())
        << "nothing in it folds";
    for (const char* name : {"local_laplacian", "interpolate", "stencil_chain", "vdsr"}) {
        const PipelineGraph whole = pipeline_graph(*default_tree(name));
        const PipelineGraph opened = fold(whole, folded_at_opening(whole));
        EXPECT_LE(2 * opened.nodes.size(), whole.nodes.size()) << name;
    }
    const PipelineGraph pyramid = pipeline_graph(*default_tree("interpolate"));
    EXPECT_TRUE(folded_at_opening(pyramid).count("#4")) << "of a pyramid every level is a node";
    EXPECT_EQ(folded_at_opening(pipeline_graph(*default_tree("stencil_chain"))),
              std::set<std::string>{"l"});
    // Of a network each block, as long as these are few.
    EXPECT_TRUE(folded_at_opening(pipeline_graph(*tree_of_text(loopscope::test::network_text(20))))
                    .count("l=7"));
    EXPECT_EQ(folded_at_opening(pipeline_graph(*tree_of_text(loopscope::test::network_text(60)))),
              std::set<std::string>{"l"});
}

class FoldView : public testing::Test {
protected:
    void SetUp() override {
        tree = network();
        view.resize(420, 900);
        view.set_tree(tree);
        view.set_estimate(estimate_of(tree));
        view.show();
        settle();
    }
    ScheduleTreePtr tree;
    PipelineGraphView view;
};

TEST_F(FoldView, AClickOnTheMarkFoldsAndUnfolds) {
    ASSERT_EQ(view.graph().nodes.size(), 17u);
    EXPECT_TRUE(view.fold_mark("out0").isEmpty());
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.fold_mark("gate2").center().toPoint());
    ASSERT_EQ(view.graph().nodes.size(), 13u);
    EXPECT_EQ(view.folded(), std::set<std::string>{"l=2"});
    EXPECT_EQ(selected.count(), 0) << "folding selects nothing";
    EXPECT_EQ(view.node_rectangle("gate2"), view.node_rectangle("norm2"));
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.fold_mark("gate2").center().toPoint());
    EXPECT_EQ(view.graph().nodes.size(), 17u);
}

// As the name, which stands in the middle where there is no second line.
TEST_F(FoldView, TheMarkIsBesideTheName) {
    view.zoom_by(2 / view.zoom());
    EXPECT_LT(view.fold_mark("gate2").center().y(), view.node_rectangle("gate2").center().y() - 1);
    view.zoom_by(0.9 * least_legible_zoom(small_font()) / view.zoom());
    EXPECT_NEAR(view.fold_mark("gate2").center().y(), view.node_rectangle("gate2").center().y(), 1);
}

TEST_F(FoldView, ASelectionInsideIsTheGroupsAndSurvivesEdits) {
    view.set_selected({"act2", 0, "i"});
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_G);
    EXPECT_EQ(view.folded(), std::set<std::string>{"l=2"});
    EXPECT_TRUE(view.accessibleDescription().contains("l = 2"))
        << view.accessibleDescription().toStdString();
    // An edit: the tree is another one, the folding stays.
    const Schedule parsed = parse_schedule(std::make_shared<SourceFile>(
                                               "t.sched", "schedule for network\nact1.inline()\n"),
                                           tree->pipeline.get())
                                .value();
    view.set_tree(schedule_tree(tree->pipeline, parsed, {described_device().get()}).value());
    EXPECT_EQ(view.graph().nodes.size(), 13u);
    // The keyboard walks to the group, and selecting it selects its costliest stage.
    view.set_selected({"out1", -1, "@stage"});
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.node_rectangle("mix2").center().toPoint());
    ASSERT_EQ(selected.count(), 1);
    const auto id = selected[0][0].value<NodeId>();
    const auto& members = node_of(view.graph(), "mix2").members;
    EXPECT_NE(std::find(members.begin(), members.end(), id.stage), members.end());
    QTest::keyClick(&view, Qt::Key_G, Qt::ShiftModifier);
    EXPECT_TRUE(view.folded().empty());
    QTest::keyClick(&view, Qt::Key_G, Qt::ShiftModifier);
    EXPECT_EQ(view.graph().nodes.size(), 3u);
    view.set_tree(default_tree("harris"));
    EXPECT_TRUE(view.folded().empty()) << "another pipeline, which is small, starts unfolded";
}

TEST_F(FoldView, ALargePipelineOpensFoldedAndStaysAsItIsUnfolded) {
    const auto large = tree_of_text(loopscope::test::network_text(20));
    view.set_tree(large);
    EXPECT_EQ(view.graph().nodes.size(), 22u) << "each block is one";
    view.set_selected({"out20", -1, "@stage"});
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_G); // the block that holds it
    EXPECT_EQ(view.graph().nodes.size(), 26u);
    ScheduleState state = large->state;
    ASSERT_TRUE((*parse_directive("act7.inline()"))->apply(state, {described_device().get()}));
    view.set_tree(build_tree(state).value());
    EXPECT_EQ(view.graph().nodes.size(), 26u);
    view.unfold_all();
    EXPECT_EQ(view.graph().nodes.size(), 102u);
    view.set_tree(large);
    EXPECT_EQ(view.graph().nodes.size(), 102u) << "an edit folds nothing anew";
}

TEST_F(FoldView, TheMenuOffersEveryGroupAround) {
    view.set_selected({"act2", -1, "@stage"});
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Menu);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_TRUE(menu);
    QStringList texts;
    QAction* fold_all_of_l = nullptr;
    for (QAction* action : menu->actions()) {
        texts << action->text();
        if (action->text().startsWith("Fold all l, 15"))
            fold_all_of_l = action;
    }
    EXPECT_FALSE(texts.filter("Fold l = 2, 5 stages").isEmpty()) << texts.join('|').toStdString();
    ASSERT_TRUE(fold_all_of_l) << texts.join('|').toStdString();
    fold_all_of_l->trigger();
    menu->close();
    EXPECT_EQ(view.graph().nodes.size(), 3u);
    // A folded group takes no directives and is no target of a drag.
    QTest::keyClick(&view, Qt::Key_Menu);
    menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_TRUE(menu);
    EXPECT_TRUE(menu->actions().front()->text().startsWith("Unfold"))
        << menu->actions().front()->text().toStdString();
    menu->close();
    QSignalSpy requested(&view, &PipelineGraphView::directiveRequested);
    const QPoint from = view.node_rectangle("out0").center().toPoint(),
                 to = view.node_rectangle("act1").center().toPoint();
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&view, (from + to) / 2);
    QTest::mouseMove(&view, to);
    QTest::mouseRelease(&view, Qt::LeftButton, {}, to);
    EXPECT_EQ(requested.count(), 0);
}

TEST_F(FoldView, SearchFindsAStageInAFoldedGroup) {
    view.set_folded({"l=1", "l=2", "l=3"});
    ASSERT_EQ(view.graph().nodes.size(), 5u);
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    view.start_search();
    auto* field = view.findChild<QLineEdit*>();
    ASSERT_TRUE(field);
    QTest::keyClicks(field, "gate2");
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(view.graph().index_of(selected[0][0].value<NodeId>().stage),
              view.graph().index_of("gate2"));
}

} // namespace test_graph_folding
} // namespace loopscope::views::test
