#include "core/language/schedule_parser.h"
#include "tests/support/large_pipeline.h"
#include "tests/views/fixtures.h"
#include "views/models/pipeline_graph.h"
#include "views/style/fonts.h"
#include "views/widgets/pipeline_graph_view.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>

namespace loopscope::views::test {

namespace {

bool has_edge(const PipelineGraph& g, const std::string& from, const std::string& to) {
    const int a = g.index_of(from), b = g.index_of(to);
    return std::any_of(g.edges.begin(), g.edges.end(),
                       [&](const PipelineEdge& e) { return e.from == a && e.to == b; });
}

const PipelineNode& node(const PipelineGraph& g, const std::string& stage) {
    return g.nodes[static_cast<std::size_t>(g.index_of(stage))];
}

} // namespace

TEST(PipelineGraph, HasEveryStageOnceAndDataBetweenThem) {
    const PipelineGraph g = pipeline_graph(*default_tree("harris"));
    EXPECT_EQ(g.nodes.size(), 14u) << "13 stages and an input";
    EXPECT_TRUE(node(g, "img").is_input);
    EXPECT_TRUE(node(g, "corners").is_output);
    EXPECT_TRUE(has_edge(g, "img", "gray"));
    EXPECT_TRUE(has_edge(g, "ix", "ixy"));
    EXPECT_FALSE(has_edge(g, "ixy", "ix"));
    EXPECT_FALSE(has_edge(g, "gray", "out"));
    EXPECT_TRUE(g.groups.empty()) << "every stage is a kernel of its own";
    for (const PipelineEdge& e : g.edges)
        EXPECT_GT(e.bytes, 0);
}

TEST(PipelineGraph, InlinedStagesStayWithTheirReaders) {
    const PipelineGraph g = pipeline_graph(*bundled_tree("harris"));
    EXPECT_EQ(g.nodes.size(), 14u);
    EXPECT_TRUE(node(g, "ixx").inlined);
    EXPECT_FALSE(node(g, "gray").inlined);
    ASSERT_EQ(g.groups.size(), 2u);
    EXPECT_EQ(g.groups[0].root, "out");
    EXPECT_EQ(node(g, "ixx").group, node(g, "out").group);
    EXPECT_EQ(node(g, "gray").group, node(g, "out").group);
    EXPECT_EQ(node(g, "peak").group, node(g, "corners").group);
    EXPECT_EQ(node(g, "img").group, -1);
    const auto edge = std::find_if(g.edges.begin(), g.edges.end(), [&](const PipelineEdge& e) {
        return e.from == g.index_of("ixx");
    });
    ASSERT_NE(edge, g.edges.end());
    EXPECT_EQ(edge->bytes, 0) << "nothing is stored of an inlined stage";
}

TEST(PipelineGraph, CopiesStandBetweenSourceAndReader) {
    const PipelineGraph g = pipeline_graph(*bundled_tree("matmul"));
    EXPECT_TRUE(has_edge(g, "B", "Bp"));
    EXPECT_TRUE(has_edge(g, "Bp", "C"));
    EXPECT_FALSE(has_edge(g, "B", "C"));
    EXPECT_TRUE(has_edge(g, "A", "C"));
}

TEST(PipelineGraph, SecondsOfStagesSumUpToTheWhole) {
    const auto tree = bundled_tree("harris");
    const auto estimate = estimate_of(tree);
    double sum = 0;
    for (const auto& [stage, seconds] : stage_seconds(*tree, *estimate)) {
        EXPECT_GE(seconds, 0) << stage;
        sum += seconds;
    }
    double roots = 0;
    for (const auto& child : tree->root->children)
        if (child->kind == TreeKind::Stage)
            roots += estimate->nodes.at(child->id).seconds_subtree;
    EXPECT_NEAR(sum, roots, 1e-9 * roots);
}

class GraphView : public testing::Test {
protected:
    void SetUp() override {
        view.resize(420, 620);
        view.set_tree(bundled_tree("harris"));
        view.show();
        settle();
    }
    PipelineGraphView view;
};

TEST_F(GraphView, FitsAndFollowsItsSize) {
    const QRectF all = QRectF(view.rect());
    for (const PipelineNode& n : view.graph().nodes)
        EXPECT_TRUE(all.contains(view.node_rectangle(n.stage))) << n.stage;
    view.resize(300, 400);
    for (const PipelineNode& n : view.graph().nodes)
        EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle(n.stage))) << n.stage;
}

TEST_F(GraphView, AGraphTooLargeToReadOpensAtItsBeginning) {
    view.set_tree(long_chain(80));
    view.set_selected({"s79", -1, "@stage"}); // what a document opens with: its output
    EXPECT_GT(view.zoom(), 0.5);
    for (const char* first : {"a", "s0"})
        EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle(first))) << first;
    EXPECT_FALSE(QRectF(view.rect()).intersects(view.node_rectangle("s79")));
    for (const char* first : {"a", "s0"})
        EXPECT_TRUE(view.text_on(first).detail) << "all that is written on " << first;
    view.resize(420, 500);
    EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle("a")));
    view.set_selected({"s40", -1, "@stage"});
    EXPECT_GT(view.zoom(), 0.5);
    EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle("s40")));
    EXPECT_FALSE(QRectF(view.rect()).intersects(view.node_rectangle("s0")));
    view.zoom_to_fit();
    for (const char* end : {"s0", "s79"})
        EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle(end)))
            << "on request all of it";
}

TEST_F(GraphView, AnotherPipelineIsShownWholeAndAnEditWhereItWas) {
    view.zoom_by(3);
    const QRectF out = view.node_rectangle("out");
    const double zoom = view.zoom();
    view.set_tree(bundled_tree("harris"));
    EXPECT_EQ(view.zoom(), zoom);
    EXPECT_EQ(view.node_rectangle("out"), out);
    view.set_tree(bundled_tree("blur"));
    for (const PipelineNode& n : view.graph().nodes)
        EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle(n.stage))) << n.stage;
    const double fitted = view.zoom();
    QTest::keyClick(&view, Qt::Key_F);
    EXPECT_EQ(view.zoom(), fitted);
}

// Its own size, larger alone, or not at all.
TEST_F(GraphView, NoTextIsTooSmallToBeRead) {
    bool alone = false, with_detail = false, none = false;
    view.zoom_by(0.01 / view.zoom());
    for (; view.zoom() < 2; view.zoom_by(1.1))
        for (const PipelineNode& n : view.graph().nodes) {
            const auto text = view.text_on(n.stage);
            EXPECT_TRUE(text.name.isEmpty() || text.name_pixels >= kLeastTextPixels - 1e-6)
                << n.stage << " at " << view.zoom();
            EXPECT_TRUE(!text.detail || legible(small_font(), view.zoom())) << view.zoom();
            alone |= !legible(bold_font(), view.zoom()) && text.name == n.name;
            with_detail |= text.detail;
            none |= text.name.isEmpty();
        }
    EXPECT_TRUE(alone) << "a name outlives what is written with it";
    EXPECT_TRUE(with_detail);
    EXPECT_TRUE(none);
}

TEST_F(GraphView, AClickSelectsAndSaysSo) {
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.node_rectangle("gray").center().toPoint());
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].value<NodeId>(), (NodeId{"gray", -1, "@stage"}));
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.node_rectangle("img").center().toPoint());
    EXPECT_EQ(selected[1][0].value<NodeId>(), (NodeId{"img", -1, "@storage"}));
    QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(3, 3));
    EXPECT_EQ(selected.count(), 2) << "a click beside everything selects nothing";
    view.set_selected({"out", 0, "yo"});
    EXPECT_EQ(selected.count(), 2) << "what the program selects is not announced";
}

// An estimate or a slow edit may bring a new tree while the button is down.
TEST_F(GraphView, AClickOutlivesATreeThatComesBetween) {
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    const QPoint gray = view.node_rectangle("gray").center().toPoint();
    QTest::mousePress(&view, Qt::LeftButton, {}, gray);
    view.set_tree(bundled_tree("harris"));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, gray);
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].value<NodeId>().stage, "gray");
}

// What was dragged may be another node of the new tree: nothing is dropped, and nothing selected.
TEST_F(GraphView, ADragEndsWithTheTreeThatItBeganIn) {
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QSignalSpy let_go(&view, &PipelineGraphView::stageLetGo);
    const QPoint gray = view.node_rectangle("gray").center().toPoint();
    QTest::mousePress(&view, Qt::LeftButton, {}, gray);
    QTest::mouseMove(&view, gray + QPoint(30, 30));
    QTest::mouseMove(&view, gray + QPoint(60, 40));
    view.set_tree(bundled_tree("harris"));
    ASSERT_EQ(let_go.count(), 1);
    EXPECT_FALSE(let_go[0][0].toBool()) << "it is not dropped";
    QTest::mouseRelease(&view, Qt::LeftButton, {}, gray + QPoint(60, 40));
    EXPECT_EQ(let_go.count(), 1);
    EXPECT_EQ(selected.count(), 0);
}

// In another window, or behind a dialog that came up meanwhile.
TEST_F(GraphView, AReleaseThatNobodyHeardEndsThePanAndTheDrag) {
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QSignalSpy let_go(&view, &PipelineGraphView::stageLetGo);
    for (const auto button : {Qt::LeftButton, Qt::MiddleButton}) {
        QTest::mousePress(&view, button, {}, QPoint(10, 10));
        QTest::mouseMove(&view, QPoint(60, 50));
        const QRectF there = view.node_rectangle("out");
        for (const int at : {80, 120, 160})
            move_unpressed(view, QPoint(at, at));
        EXPECT_EQ(view.node_rectangle("out"), there) << "it does not stick to the pointer";
        QTest::mouseRelease(&view, button, {}, QPoint(160, 160));
    }
    const QPoint gray = view.node_rectangle("gray").center().toPoint();
    QTest::mousePress(&view, Qt::LeftButton, {}, gray);
    QTest::mouseMove(&view, gray + QPoint(30, 30));
    move_unpressed(view, view.node_rectangle("out").center().toPoint());
    ASSERT_EQ(let_go.count(), 1);
    EXPECT_FALSE(let_go[0][0].toBool()) << "it is not dropped";
    QTest::mouseRelease(&view, Qt::LeftButton, {}, gray);
    EXPECT_EQ(let_go.count(), 1);
    EXPECT_EQ(selected.count(), 0);
}

TEST_F(GraphView, DraggingPansAndTheWheelZoomsAroundThePointer) {
    const QRectF before = view.node_rectangle("out");
    QTest::mousePress(&view, Qt::LeftButton, {}, QPoint(10, 10));
    QTest::mouseMove(&view, QPoint(40, 40));
    QTest::mouseMove(&view, QPoint(60, 50));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, QPoint(60, 50));
    EXPECT_NEAR(view.node_rectangle("out").x() - before.x(), 50, 1);
    const double zoom = view.zoom();
    QWheelEvent wheel(QPointF(100, 100), view.mapToGlobal(QPointF(100, 100)), {}, QPoint(0, 240),
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&view, &wheel);
    EXPECT_GT(view.zoom(), zoom);
    QTest::keyClick(&view, Qt::Key_F);
    EXPECT_EQ(view.node_rectangle("out"), before);
}

TEST_F(GraphView, ArrowKeysWalk) {
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    view.set_selected({"gray", -1, "@stage"});
    QTest::keyClick(&view, Qt::Key_Up);
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].value<NodeId>().stage, "img");
}

TEST_F(GraphView, SearchKeepsToMatchesAndEnterWalksThem) {
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    view.set_search("sx");
    auto* field = view.findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    view.start_search();
    field->setText("sx");
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_EQ(selected.count(), 1);
    EXPECT_TRUE(QString::fromStdString(selected[0][0].value<NodeId>().stage).startsWith("sx"));
}

TEST_F(GraphView, AnEstimateColoursButMovesNothing) {
    const GraphLayout before = view.layout_shown();
    const double ink = inked(view.grab().toImage());
    view.set_estimate(estimate_of(bundled_tree("harris")));
    EXPECT_GT(inked(view.grab().toImage()), ink);
    for (std::size_t i = 0; i < before.nodes.size(); ++i)
        EXPECT_EQ(view.layout_shown().nodes[i].x, before.nodes[i].x);
}

// What is computed at a loop has other sizes with every factor; the nodes stay under the pointer.
TEST_F(GraphView, TurningAFactorMovesNothing) {
    auto tiled = [](const char* factor) {
        std::string text = bundled_schedule_text("harris");
        text.replace(text.rfind("64, 256)"), 2, factor);
        return bundled_tree("harris", text);
    };
    view.set_tree(tiled("64"));
    const GraphLayout before = view.layout_shown();
    const std::string detail = view.graph()
                                   .nodes[static_cast<std::size_t>(view.graph().index_of("gray"))]
                                   .detail.toStdString();
    QSignalSpy finished(&view, &PipelineGraphView::layoutFinished);
    for (const char* factor : {"32", "16", "8", "16", "64"}) {
        view.set_tree(tiled(factor));
        EXPECT_EQ(finished.count(), 0) << factor;
        for (std::size_t i = 0; i < before.nodes.size(); ++i)
            EXPECT_EQ(view.layout_shown().nodes[i].x, before.nodes[i].x) << factor;
    }
    view.set_tree(tiled("8"));
    EXPECT_NE(view.graph()
                  .nodes[static_cast<std::size_t>(view.graph().index_of("gray"))]
                  .detail.toStdString(),
              detail);
    view.set_tree(bundled_tree("harris", "schedule for harris\n"));
    EXPECT_EQ(finished.count(), 1) << "other nodes run together";
    // What has outgrown its room gets more than it needs now.
    view.set_tree(tiled("8"));
    finished.clear();
    for (const char* factor : {"16", "32", "64", "128"})
        view.set_tree(tiled(factor));
    EXPECT_LE(finished.count(), 2);
    view.set_tree(bundled_tree("blur"));
    const GraphLayout blur = view.layout_shown();
    PipelineGraphView fresh;
    fresh.set_tree(bundled_tree("blur"));
    for (std::size_t i = 0; i < blur.nodes.size(); ++i)
        EXPECT_EQ(blur.nodes[i].width, fresh.layout_shown().nodes[i].width);
}

TEST_F(GraphView, LargeGraphsAreLaidOutBehindTheScenes) {
    QSignalSpy finished(&view, &PipelineGraphView::layoutFinished);
    view.set_tree(long_chain(600));
    EXPECT_TRUE(view.layout_pending());
    EXPECT_EQ(finished.count(), 0);
    view.grab(); // says that it is at work
    ASSERT_TRUE(finished.wait(30000));
    EXPECT_EQ(view.layout_shown().nodes.size(), 601u);
    EXPECT_FALSE(view.layout_pending());
}

// A hundred stages that all read one input: what Graphviz took 13 s for.
TEST_F(GraphView, LongEdgesAreShownAtOnce) {
    view.set_tree(tree_of_text(loopscope::test::iteration_text(100)));
    view.set_selected({"v100", -1, "@stage"});
    view.unfold_all();
    EXPECT_FALSE(view.layout_pending());
    ASSERT_EQ(view.layout_shown().nodes.size(), 103u);
    view.set_selected({"v50", -1, "@stage"});
    EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle("v50")));
    EXPECT_NEAR(view.node_rectangle("v49").center().x(), view.node_rectangle("v51").center().x(), 1)
        << "a chain runs straight down";
}

TEST_F(GraphView, TheNewestGraphIsShown) {
    QSignalSpy finished(&view, &PipelineGraphView::layoutFinished);
    view.set_tree(long_chain(700));
    view.set_tree(long_chain(600));
    ASSERT_TRUE(finished.wait(30000));
    EXPECT_EQ(view.layout_shown().nodes.size(), 601u);
    view.set_tree(long_chain(600));
    view.set_tree(bundled_tree("harris"));
    EXPECT_FALSE(view.layout_pending()) << "a small one is there at once";
    settle();
    EXPECT_EQ(view.layout_shown().nodes.size(), 14u) << "and stays";
}

namespace {
ScheduleTreePtr edited(const ScheduleTreePtr& tree, const char* line) {
    ScheduleState state = tree->state;
    EXPECT_TRUE((*parse_directive(line))->apply(state, {described_device().get()}));
    return build_tree(state).value();
}
} // namespace

// One that is there at once when it is opened is no longer what an edit waits for first.
TEST_F(GraphView, AnEditIsLaidOutBesideWhatElseItShows) {
    QSignalSpy finished(&view, &PipelineGraphView::layoutFinished);
    const ScheduleTreePtr chain = long_chain(60);
    view.set_tree(chain);
    ASSERT_FALSE(view.layout_pending());
    settle();
    const QImage before = view.grab().toImage();
    finished.clear();
    view.set_tree(edited(chain, "s7.inline()"));
    EXPECT_TRUE(view.layout_pending());
    EXPECT_EQ(view.grab().toImage(), before);
    ASSERT_TRUE(finished.count() > 0 || finished.wait(30000));
    EXPECT_NE(view.grab().toImage(), before);
    EXPECT_EQ(finished.count(), 1);
    // One that is undone before it is there is not shown.
    const QImage inlined = view.grab().toImage();
    view.set_tree(edited(chain, "s8.inline()"));
    view.set_tree(edited(chain, "s7.inline()"));
    EXPECT_EQ(view.grab().toImage(), inlined);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !view.layout_pending(); }, 30000));
}

TEST_F(GraphView, APressBeforeALayoutSelectsNothingBehindIt) {
    const ScheduleTreePtr chain = long_chain(60);
    view.set_tree(chain);
    settle();
    const QPoint at = view.node_rectangle("s2").center().toPoint();
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QTest::mousePress(&view, Qt::LeftButton, {}, at);
    view.set_tree(edited(chain, "s7.inline()"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view.layout_pending(); }, 30000));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, at);
    EXPECT_EQ(selected.count(), 0);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.node_rectangle("s2").center().toPoint());
    EXPECT_EQ(selected.count(), 1);
}

TEST_F(GraphView, WhatIsSelectedBeforeALayoutIsInSightBehindIt) {
    const ScheduleTreePtr chain = long_chain(60);
    view.set_tree(chain);
    view.set_selected({"s1", -1, "@stage"});
    view.zoom_by(2);
    view.set_tree(edited(chain, "s7.inline()"));
    ASSERT_TRUE(view.layout_pending());
    view.set_selected({"s55", -1, "@stage"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view.layout_pending(); }, 30000));
    EXPECT_TRUE(QRectF(view.rect()).contains(view.node_rectangle("s55")));
}

TEST_F(GraphView, AnEditShowsWhatWasThereUntilItIsLaidOut) {
    QSignalSpy finished(&view, &PipelineGraphView::layoutFinished);
    const ScheduleTreePtr chain = long_chain(600), other = edited(chain, "s7.inline()");
    view.set_tree(chain);
    const QImage waiting = view.grab().toImage();
    ASSERT_TRUE(finished.wait(30000));
    const QImage before = view.grab().toImage();
    EXPECT_NE(before, waiting);
    view.set_tree(other);
    ASSERT_TRUE(view.layout_pending());
    EXPECT_EQ(view.grab().toImage(), before);
    EXPECT_TRUE(view.node_rectangle("s7").isEmpty()) << "a picture, and nothing to click on";
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.rect().center());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view.layout_pending(); }, 30000));
    EXPECT_FALSE(view.node_rectangle("s7").isEmpty());
    view.set_tree(edited(chain, "s8.inline()"));
    ASSERT_TRUE(view.layout_pending());
    view.set_tree(long_chain(1300));
    EXPECT_EQ(view.grab().toImage(), waiting) << "another pipeline's picture would mislead";
}

TEST_F(GraphView, WithoutATreeItTeaches) {
    view.set_tree(nullptr);
    EXPECT_TRUE(view.graph().nodes.empty());
    auto labels = view.findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](QLabel* l) {
        return l->isVisible() && l->text().contains("Ctrl+O");
    }));
}

} // namespace loopscope::views::test
