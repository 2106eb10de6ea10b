// What part of a pipeline the graph shows in the window, as documents are opened and edited.

#include "tests/gui/gui_support.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QTest>
#include <QWheelEvent>

namespace loopscope::app::test {

namespace test_pipeline_panel {

class PipelinePanelTest : public WindowTest {
protected:
    views::PipelineGraphView& graph() { return *graph_view(*window_); }
    bool in_sight(const std::string& stage) {
        const QRectF node = graph().node_rectangle(stage);
        return !node.isEmpty() && QRectF(graph().rect()).contains(node);
    }
    void turn_wheel(int angle) {
        const QPointF at = graph().rect().center();
        QWheelEvent wheel(at, graph().mapToGlobal(at), {}, QPoint(0, angle), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&graph(), &wheel);
    }
};

TEST_F(PipelinePanelTest, AnotherFileIsShownWholeAndAnEditAtTheSameZoom) {
    auto& window = open("harris.loop");
    const double whole = graph().zoom();
    turn_wheel(600);
    ASSERT_GT(graph().zoom(), 1.5 * whole);
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("blur.loop"))));
    ASSERT_TRUE(settle());
    for (const char* stage : {"img", "blur_x", "out"})
        EXPECT_TRUE(in_sight(stage)) << stage;
    turn_wheel(120);
    const double zoom = graph().zoom();
    ASSERT_TRUE(window.session().apply_directive("blur_x.inline()"));
    ASSERT_TRUE(settle());
    EXPECT_EQ(graph().zoom(), zoom);
}

TEST_F(PipelinePanelTest, WhetherTheOverviewIsWantedIsKept) {
    for (const bool wanted : {true, false, true}) {
        open("blur.loop"); // a window of the next start
        EXPECT_EQ(graph().overview_wanted(), wanted);
        graph().set_overview_shown(!wanted);
    }
}

TEST_F(PipelinePanelTest, ALargeGraphOpensFoldedAndUnfoldsAtItsBeginning) {
    open("stencil_chain.loop");
    EXPECT_EQ(graph().folded(), std::set<std::string>{"l"});
    for (const char* stage : {"img", "s1", "s16", "out"})
        EXPECT_TRUE(in_sight(stage)) << stage;
    EXPECT_EQ(window_->session().selection().stage, "out");
    graph().setFocus();
    QTest::keyClick(&graph(), Qt::Key_G, Qt::ShiftModifier);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(graph().folded().empty());
    for (const char* stage : {"img", "s1"}) {
        EXPECT_TRUE(in_sight(stage)) << stage;
        EXPECT_TRUE(graph().text_on(stage).detail) << stage;
    }
    EXPECT_FALSE(in_sight("out"));
    // What is selected elsewhere comes into sight.
    click({"s16", 0, "y"});
    EXPECT_TRUE(in_sight("s16"));
}

} // namespace test_pipeline_panel
} // namespace loopscope::app::test
