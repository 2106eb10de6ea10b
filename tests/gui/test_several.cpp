// Several stages or loops selected, and copies that belong together: one directive for all of them.

#include "tests/gui/gpu_window.h"

#include "app/windows/notice_bar.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/tick_slider.h"

#include <QCheckBox>
#include <QInputDialog>
#include <QMenu>
#include <QTest>
#include <QTimer>

#include <algorithm>

namespace loopscope::app::test {

namespace test_several {

using Nodes = std::vector<NodeId>;

class Several : public GpuWindow {
protected:
    void click_with(const NodeId& node, Qt::KeyboardModifiers modifiers) {
        auto* tree = tree_view(*window_);
        const auto index = tree->schedule_model()->index_of(node);
        ASSERT_TRUE(index.isValid()) << node.text();
        tree->scrollTo(index);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, modifiers,
                          tree->visualRect(index).center());
    }
    Nodes selected() const { return window_->session().selected_nodes(); }
    QPoint node_centre(const std::string& stage) const {
        return graph_view(*window_)->node_rectangle(stage).center().toPoint();
    }
    QCheckBox* tick() const {
        return inspector_view(*window_)->findChild<QCheckBox*>("companions");
    }
    // What the session says from now on.
    void listen() {
        QObject::connect(&window_->session(), &session::Session::message, window_.get(),
                         [this](const QString& text, bool) { said_ += text + '\n'; });
    }
    bool has(const std::string& line) const { return script().find(line) != std::string::npos; }

    const NodeId blur_{"blur_x", -1, "@stage"}, out_{"out", -1, "@stage"}, out_y_{"out", 0, "y"},
        blur_y_{"blur_x", 0, "y"};
    QString said_;
};

TEST_F(Several, ADirectiveIsForAllOfThemAndOneStep) {
    auto& window = open("harris.loop");
    const auto before = script();
    click({"ixx", -1, "@stage"});
    click_with({"iyy", -1, "@stage"}, Qt::ControlModifier);
    EXPECT_EQ(selected(), (Nodes{{"iyy", -1, "@stage"}, {"ixx", -1, "@stage"}}));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(all_text(*inspector_view(window)).contains("2 stages"));
    EXPECT_EQ(tree_view(window)->selectionModel()->selectedRows().size(), 2);
    keep_picture("several-stages");
    listen();
    key(Qt::Key_I);
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), before + "iyy.inline()\nixx.inline()\n");
    EXPECT_EQ(window.session().document()->revisions().size(), 2u);
    EXPECT_TRUE(said_.contains("2 changed as one step")) << said_.toStdString();
    key(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(script(), before);
}

TEST_F(Several, WhatCannotTakeItIsNamedWithItsReason) {
    auto& window = open("blur.loop");
    click(blur_);
    click_with(out_, Qt::ControlModifier);
    key(Qt::Key_I);
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), "schedule for blur\nblur_x.inline()\n");
    const auto said = notice(window)->text();
    EXPECT_TRUE(said.contains("1 of 2") && said.contains("out: out is an output"))
        << said.toStdString();
}

TEST_F(Several, FactorsAreChosenOnceForLoopsThatAreAlike) {
    auto& window = open("blur.loop");
    click(out_y_);
    key(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(selected(), (Nodes{out_y_, blur_y_}));
    key(Qt::Key_S);
    choose("by 16");
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), "schedule for blur\nout.split(y, yo, yi, 16)\n"
                        "blur_x.split(y, yo, yi, 16)\n");
    EXPECT_EQ(selected(), (Nodes{{"out", 0, "yo"}, {"blur_x", 0, "yo"}}));
    window.session().undo();
    EXPECT_EQ(script(), "schedule for blur\n");
}

TEST_F(Several, ShiftSelectsTheRowsBetweenAndAPlainClickOneAlone) {
    open("blur.loop");
    click(blur_y_);
    click_with({"blur_x", 0, "x"}, Qt::ShiftModifier);
    EXPECT_EQ(selected(), (Nodes{blur_y_, {"blur_x", 0, "x"}}));
    click(blur_y_);
    EXPECT_EQ(selected(), Nodes{blur_y_}) << "the one that had the keyboard, too";
    EXPECT_EQ(tree_view(*window_)->selectionModel()->selectedRows().size(), 1);
    key(Qt::Key_A, Qt::ControlModifier);
    const auto all = selected();
    EXPECT_EQ(all.front(), blur_y_);
    for (const auto& id : {out_, out_y_, blur_})
        EXPECT_EQ(std::count(all.begin(), all.end(), id), 1) << id.text();
    key(Qt::Key_Down);
    EXPECT_EQ(selected().size(), 1u);
}

TEST_F(Several, StagesAreSelectedByAPattern) {
    auto& window = open("harris.loop");
    QString explained;
    QTimer answer; // the dialog has a loop of its own
    QObject::connect(&answer, &QTimer::timeout, [&] {
        auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        if (!dialog)
            return;
        answer.stop();
        explained = dialog->labelText();
        dialog->setTextValue("s*");
        dialog->accept();
    });
    answer.start(20);
    key(Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(explained.contains("blur_*")) << explained.toStdString();
    ASSERT_EQ(selected().size(), 3u);
    for (const auto& id : selected())
        EXPECT_EQ(id.stage.front(), 's') << id.text();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(all_text(*inspector_view(window)).contains("3 stages"));
}

TEST_F(Several, TheGraphAddsByCtrlAndFramesByShift) {
    auto& window = open("blur.loop");
    auto* graph = graph_view(window);
    QTest::mouseClick(graph, Qt::LeftButton, {}, node_centre("out"));
    QTest::mouseClick(graph, Qt::LeftButton, Qt::ControlModifier, node_centre("blur_x"));
    EXPECT_EQ(selected(), (Nodes{blur_, out_}));
    QTest::mouseClick(graph, Qt::LeftButton, Qt::ControlModifier, node_centre("blur_x"));
    EXPECT_EQ(selected(), Nodes{out_});
    const QPoint from(2, 2), to(graph->width() - 3, graph->height() - 3);
    const auto place = graph->node_rectangle("out");
    QTest::mousePress(graph, Qt::LeftButton, Qt::ShiftModifier, from);
    QTest::mouseMove(graph, (from + to) / 2);
    QTest::mouseMove(graph, to);
    keep_picture("several-framed");
    QTest::mouseRelease(graph, Qt::LeftButton, Qt::ShiftModifier, to);
    EXPECT_EQ(selected(), (Nodes{blur_, out_})) << "inputs take no directives";
    EXPECT_EQ(graph->node_rectangle("out"), place) << "nothing was panned";
    QTest::mouseClick(graph, Qt::LeftButton, {}, node_centre("blur_x"));
    EXPECT_EQ(selected(), Nodes{blur_});
    graph->setFocus();
    QTest::keyClick(graph, Qt::Key_A, Qt::ControlModifier);
    EXPECT_EQ(selected(), (Nodes{blur_, out_}));
}

TEST_F(Several, CopiesThatBelongTogetherAreChangedTogether) {
    auto& window = open_gpu();
    ASSERT_TRUE(window.show_panel("inspector"));
    const auto before = script();
    window.session().select({"As", 0, "k"});
    ASSERT_TRUE(settle());
    ASSERT_TRUE(tick());
    EXPECT_FALSE(tick()->isHidden());
    EXPECT_EQ(tick()->text(), "Also Bs");
    EXPECT_TRUE(tick()->isChecked());
    keep_picture("several-operands");
    listen();
    key(Qt::Key_V);
    choose("4");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(has("As.vectorize(k, 4)\n") && has("Bs.vectorize(j, 4)\n")) << script();
    EXPECT_TRUE(said_.contains("Also changed: Bs.vectorize(j, 4)")) << said_.toStdString();
    window.session().undo();
    EXPECT_EQ(script(), before) << "both lines are one step";
    ASSERT_TRUE(settle());

    window.session().select({"As", 0, "k"});
    ASSERT_TRUE(settle());
    tick()->click();
    key(Qt::Key_V);
    choose("4");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(has("As.vectorize(k, 4)\n") && !has("Bs.vectorize")) << script();
}

TEST_F(Several, TheirLinesAreChangedInTheirPlaces) {
    auto& window = open_gpu();
    ASSERT_TRUE(window.show_panel("inspector"));
    window.session().select({"As", -1, "@stage"});
    ASSERT_TRUE(settle());
    auto* stages = inspector_view(window)->findChild<views::TickSlider*>("stages");
    ASSERT_TRUE(stages);
    stages->setFocus();
    QTest::keyClick(stages, Qt::Key_Right);
    QTest::keyClick(stages, Qt::Key_Return);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(has("As.pipeline(4)\nBs.pipeline(4)\n")) << script();
    EXPECT_FALSE(has("pipeline(3)")) << script();
    // What stands alone has no tick.
    window.session().select({"CL", -1, "@stage"});
    EXPECT_TRUE(tick()->isHidden());
}

} // namespace test_several
} // namespace loopscope::app::test
