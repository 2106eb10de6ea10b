// What of a graph too large for the view is in sight: where it opens, how it is moved, and the
// overview in its corner.

#include "tests/views/fixtures.h"
#include "views/style/theme.h"
#include "views/widgets/graph_overview.h"
#include "views/widgets/pipeline_graph_view.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::views::test {

namespace test_graph_overview {

class Overview : public testing::Test {
protected:
    void SetUp() override {
        view.resize(420, 620);
        view.set_tree(long_chain(80));
        view.set_selected({"s79", -1, "@stage"}); // what a document opens with: its output
        view.show();
        overview = view.findChild<GraphOverview*>();
        ASSERT_TRUE(overview);
    }

    bool in_sight(const char* stage) const {
        return QRectF(view.rect()).contains(view.node_rectangle(stage));
    }

    QPoint place_of(const char* stage) const {
        const int node = view.graph().index_of(stage);
        const Point centre = view.layout_shown().nodes[static_cast<std::size_t>(node)].centre();
        return overview->place_of({centre.x, centre.y}).toPoint();
    }

    PipelineGraphView view;
    GraphOverview* overview = nullptr;
};

// One input that `readers` stages read, side by side: it stands in the middle above them.
ScheduleTreePtr fan(int readers) {
    std::string text = "pipeline fan\ninput a[i]: f32[64]\n", sum = "a[i]";
    for (int r = 0; r < readers; ++r) {
        const std::string name = "b" + std::to_string(r);
        text += "stage " + name + "[i]: f32 = a[i] + 1.0\n";
        sum += " + " + name + "[i]";
    }
    return tree_of_text(text + "stage out[i]: f32 = " + sum + "\noutput out: [64]\n");
}

TEST(GraphOverviewWidget, DrawsTheGraphOnceUntilItIsAnother) {
    int drawn = 0;
    GraphOverview overview([&drawn](QPainter&, double) { ++drawn; });
    overview.resize(100, 80);
    const Rectangle graph{0, 0, 1000, 800};
    for (double x = 0; x < 800; x += 100) {
        overview.show_part(graph, {x, 0, 200, 100});
        overview.grab();
    }
    EXPECT_EQ(drawn, 1) << "the frame moves over the picture";
    overview.renew();
    overview.grab();
    EXPECT_EQ(drawn, 2);
    overview.show_part({0, 0, 2000, 800}, {0, 0, 200, 100});
    overview.grab();
    EXPECT_EQ(drawn, 3);
}

TEST(GraphOverviewWidget, IsWideEnoughForAnyGraph) {
    for (const Rectangle& graph : {Rectangle{0, 0, 100, 40000}, Rectangle{0, 0, 40000, 100},
                                   Rectangle{-50, -50, 900, 700}}) {
        const QSize size = GraphOverview::size_for(graph, {120, 110});
        EXPECT_GE(std::min(size.width(), size.height()), 30);
        EXPECT_LE(size.width(), 121);
        EXPECT_LE(size.height(), 111);
    }
}

TEST_F(Overview, IsThereWhileNotAllIsInSight) {
    EXPECT_FALSE(overview->isHidden());
    EXPECT_TRUE(view.rect().contains(overview->geometry()));
    EXPECT_FALSE(overview->accessibleName().isEmpty());
    EXPECT_FALSE(overview->accessibleDescription().isEmpty());
    QTest::keyClick(&view, Qt::Key_F);
    EXPECT_TRUE(overview->isHidden()) << "all is in sight";
    view.zoom_by(4);
    EXPECT_FALSE(overview->isHidden());
    view.resize(420, 120);
    EXPECT_TRUE(overview->isHidden()) << "there is no room to spare";
    view.resize(420, 620);
    EXPECT_FALSE(overview->isHidden());
    view.set_tree(bundled_tree("blur"));
    EXPECT_TRUE(overview->isHidden()) << "a small graph is shown whole";
    view.set_tree(nullptr);
    EXPECT_TRUE(overview->isHidden());
}

TEST_F(Overview, AClickAndADragMoveTheView) {
    ASSERT_FALSE(in_sight("s70"));
    const double zoom = view.zoom();
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QTest::mouseClick(overview, Qt::LeftButton, {}, place_of("s70"));
    EXPECT_TRUE(in_sight("s70"));
    EXPECT_FALSE(in_sight("s0"));
    QTest::mouseClick(overview, Qt::LeftButton, {}, place_of("s40"));
    EXPECT_TRUE(in_sight("s40"));
    const QPointF frame = overview->frame().center();
    const QPoint grip = frame.toPoint();
    QTest::mousePress(overview, Qt::LeftButton, {}, grip);
    EXPECT_NEAR(overview->frame().center().y(), frame.y(), 1) << "it is taken, and does not jump";
    QTest::mouseMove(overview, grip + QPoint(0, 10));
    QTest::mouseMove(overview, grip + QPoint(0, 20));
    QTest::mouseRelease(overview, Qt::LeftButton, {}, grip + QPoint(0, 20));
    EXPECT_NEAR(overview->frame().center().y(), frame.y() + 20, 1.5);
    EXPECT_FALSE(in_sight("s40"));
    QTest::mouseMove(overview, grip);
    EXPECT_NEAR(overview->frame().center().y(), frame.y() + 20, 1.5) << "it was let go";
    QTest::mouseClick(overview, Qt::LeftButton, {}, QPoint(overview->width() / 2, 1));
    EXPECT_TRUE(in_sight("a")) << "the middle of the view stays within the graph";
    EXPECT_EQ(view.zoom(), zoom);
    EXPECT_EQ(selected.count(), 0) << "nothing below it is clicked";
}

TEST_F(Overview, AReleaseThatNobodyHeardEndsItsDrag) {
    const QPoint grip = overview->frame().center().toPoint();
    QTest::mousePress(overview, Qt::LeftButton, {}, grip);
    QTest::mouseMove(overview, grip + QPoint(0, 20));
    const QRectF there = overview->frame();
    move_unpressed(*overview, grip + QPoint(0, 60));
    EXPECT_EQ(overview->frame(), there);
    EXPECT_FALSE(overview->held());
    QTest::mouseRelease(overview, Qt::LeftButton, {}, grip);
}

TEST_F(Overview, KeysGoWhereItGoes) {
    QSignalSpy selected(&view, &PipelineGraphView::nodeSelected);
    QTest::keyClick(&view, Qt::Key_End);
    EXPECT_TRUE(in_sight("s79"));
    EXPECT_FALSE(in_sight("s0"));
    QTest::keyClick(&view, Qt::Key_Home);
    EXPECT_TRUE(in_sight("a"));
    EXPECT_TRUE(in_sight("s0"));
    const QRectF before = view.node_rectangle("s0");
    QTest::keyClick(&view, Qt::Key_Down, Qt::ControlModifier);
    EXPECT_NEAR(view.node_rectangle("s0").y(), before.y() - 155, 1) << "a quarter of the view";
    EXPECT_NEAR(view.node_rectangle("s0").x(), before.x(), 1);
    QTest::keyClick(&view, Qt::Key_PageDown);
    EXPECT_NEAR(view.node_rectangle("s0").y(), before.y() - 155 - 558, 1);
    QTest::keyClick(&view, Qt::Key_PageUp);
    QTest::keyClick(&view, Qt::Key_Up, Qt::ControlModifier);
    EXPECT_NEAR(view.node_rectangle("s0").y(), before.y(), 1);
    EXPECT_EQ(selected.count(), 0);
    QTest::keyClick(&view, Qt::Key_F);
    const QRectF fitted = view.node_rectangle("s0");
    QTest::keyClick(&view, Qt::Key_Down, Qt::ControlModifier);
    EXPECT_EQ(view.node_rectangle("s0"), fitted) << "there is nowhere to go";
}

TEST_F(Overview, TheMenuHidesItAndBringsItBack) {
    for (const bool hidden : {true, false}) {
        QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(4, 4),
                                view.mapToGlobal(QPoint(4, 4)));
        QCoreApplication::sendEvent(&view, &event);
        auto* menu = view.findChild<QMenu*>();
        ASSERT_TRUE(menu);
        QAction* entry = nullptr;
        for (QAction* action : menu->actions())
            if (action->text().startsWith("Overview"))
                entry = action;
        ASSERT_TRUE(entry && entry->isCheckable());
        EXPECT_EQ(entry->isChecked(), hidden);
        QSignalSpy told(&view, &PipelineGraphView::overviewShown);
        entry->trigger();
        menu->close();
        ASSERT_EQ(told.count(), 1) << "whoever keeps it for the next start is told";
        EXPECT_EQ(told[0][0].toBool(), !hidden);
        EXPECT_EQ(overview->isHidden(), hidden);
        ASSERT_TRUE(QTest::qWaitFor([&] { return !view.findChild<QMenu*>(); }));
    }
}

// Without drawing the graph anew: a mark large enough to be seen stands where the node does.
TEST_F(Overview, MarksWhatIsSelected) {
    const auto marks_are_at = [&](std::vector<const char*> stages) {
        const auto marks = overview->marks();
        ASSERT_EQ(marks.size(), stages.size());
        for (const char* stage : stages) {
            const QPointF at = place_of(stage);
            const bool marked = std::any_of(marks.begin(), marks.end(), [&](const QRectF& mark) {
                return mark.adjusted(-1, -1, 1, 1).contains(at) && mark.width() >= 4 &&
                       mark.height() >= 4 && mark.height() < 12;
            });
            EXPECT_TRUE(marked) << stage;
        }
    };
    marks_are_at({"s79"});
    view.set_selected({"s40", -1, "@stage"});
    view.set_selected_too({{"s10", -1, "@stage"}, {"s60", 0, "i"}});
    marks_are_at({"s40", "s10", "s60"});
    const QImage several = overview->grab().toImage();
    const QColor seen = several.pixelColor(place_of("s10")), accent = theme_of(view).accent;
    for (const auto channel : {&QColor::red, &QColor::green, &QColor::blue})
        EXPECT_NEAR((seen.*channel)(), (accent.*channel)(), 3);
    view.set_selected_too({});
    marks_are_at({"s40"});
    EXPECT_NE(overview->grab().toImage(), several);
    view.set_selected({"gone", -1, "@stage"});
    marks_are_at({});
}

TEST_F(Overview, DoesNotCoverTheSelectedNode) {
    const QRectF node = view.node_rectangle("s3");
    const QPointF to(view.width() - 10 - node.width() / 2, overview->geometry().center().y());
    const QPoint from(4, 4), moved = from + (to - node.center()).toPoint();
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&view, (from + moved) / 2);
    QTest::mouseMove(&view, moved);
    QTest::mouseRelease(&view, Qt::LeftButton, {}, moved);
    const QRectF there = view.node_rectangle("s3");
    ASSERT_TRUE(there.intersects(overview->geometry()));
    view.set_selected({"s3", -1, "@stage"});
    EXPECT_EQ(view.node_rectangle("s3"), there);
    EXPECT_FALSE(there.intersects(overview->geometry()));
    EXPECT_TRUE(view.rect().contains(overview->geometry()));
}

TEST_F(Overview, ShowsTheTimesAndTheTheme) {
    const QImage plain = overview->grab().toImage();
    EXPECT_GT(inked(plain), 0.02);
    view.set_estimate(estimate_of(long_chain(80)));
    const QImage timed = overview->grab().toImage();
    EXPECT_NE(timed, plain);
    view.set_search("s7");
    EXPECT_NE(overview->grab().toImage(), timed) << "what does not match fades";
    view.set_search({});
    QTest::keyClick(&view, Qt::Key_Home);
    use_theme(true);
    const QImage dark = overview->grab().toImage();
    use_theme(false);
    EXPECT_LT(dark.pixelColor(2, 2).lightness(), 90);
    EXPECT_GT(overview->grab().toImage().pixelColor(2, 2).lightness(), 200);
}

// From the left end where the input is then in sight, else from the input on.
TEST(GraphOpening, AWideGraphBeginsAtTheEdgeOfTheView) {
    constexpr double kMargin = 14;
    const std::pair<ScheduleTreePtr, std::string> programs[] = {
        {fan(16), "a"}, {bundled_tree("local_laplacian"), "img"}};
    int parts = 0;
    for (const auto& [tree, input] : programs)
        for (const QSize size : {QSize(280, 380), QSize(420, 620), QSize(640, 300)}) {
            SCOPED_TRACE(input + " " + std::to_string(size.width()));
            PipelineGraphView view;
            view.resize(size);
            view.show();
            view.set_tree(tree);
            view.set_selected({"out", -1, "@stage"}); // what a document opens with
            ASSERT_TRUE(QTest::qWaitFor([&] { return !view.layout_pending(); }, 20000));
            const QRectF first = view.node_rectangle(input);
            EXPECT_TRUE(QRectF(view.rect()).contains(first));
            QRectF all;
            for (const PipelineNode& node : view.graph().nodes)
                all |= view.node_rectangle(node.members.front());
            if (QRectF(view.rect()).contains(all))
                continue;
            ++parts;
            EXPECT_GE(view.zoom(), 0.8);
            const GraphLayout& layout = view.layout_shown();
            const Rectangle& place =
                layout.nodes[static_cast<std::size_t>(view.graph().index_of(input))];
            const double left = first.x() + (layout.bounds.x - place.x) * view.zoom(),
                         right = left + layout.bounds.width * view.zoom();
            if (right - left + 2 * kMargin <= view.width()) {
                EXPECT_GE(left, kMargin - 1);
                EXPECT_LE(right, view.width() - kMargin + 1);
                continue;
            }
            EXPECT_TRUE(std::abs(left - kMargin) < 1 || std::abs(first.x() - kMargin) < 1 ||
                        std::abs(right - (view.width() - kMargin)) < 1)
                << left << ' ' << first.x() << ' ' << right;
        }
    EXPECT_GE(parts, 3) << "some are too large to be shown whole";
}

} // namespace test_graph_overview
} // namespace loopscope::views::test
