// A newcomer's hour with the mouse and the keys, without a word of script; and every way to drag.

#include "tests/gui/gui_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"

#include "app/windows/command_palette.h"
#include "app/windows/notice_bar.h"
#include "views/widgets/bubble.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"

#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QStatusBar>
#include <QTest>

#include <fstream>

namespace loopscope::app::test {

using views::Bubble;

class Newcomer : public WindowTest {};
class Dragging : public WindowTest {
protected:
    QPushButton* remedy() {
        for (auto* button : notice(*window_)->findChildren<QPushButton*>())
            if (button->isVisible() && button->text().startsWith("Apply "))
                return button;
        return nullptr;
    }
};

// A stage that is clicked in the graph takes the keys of directives as its row in the tree does.
TEST_F(Newcomer, KeysOfDirectivesHoldInTheGraphToo) {
    auto& window = open("blur.loop");
    window.session().select({"blur_x", -1, "@stage"});
    auto* graph = graph_view(window);
    graph->setFocus();
    QTest::keyClick(graph, Qt::Key_I);
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), "schedule for blur\nblur_x.inline()\n");
    window.session().undo();
    ASSERT_TRUE(settle());
    graph->setFocus();
    QTest::keyClick(graph, Qt::Key_S); // a stage is not split: the reason is said
    EXPECT_TRUE(notice(window)->isVisible());
    EXPECT_EQ(script(), "schedule for blur\n");
}

TEST_F(Newcomer, TilesVectorizesParallelizesMeasuresPinsAndCompares) {
    open("matmul.loop", {{}, {{"M", 128}, {"N", 128}, {"K", 64}}, "host"});
    click({"C", 0, "i"});
    key(Qt::Key_T); // tile
    ASSERT_TRUE(open_menu());
    choose("8 × 32, with j");
    EXPECT_EQ(script(), "schedule for matmul\nC.tile(i, j, io, jo, ii, ji, 8, 32)\n");
    click({"C", 0, "ji"});
    key(Qt::Key_V);
    choose("native: one vector of the target");
    click({"C", 0, "io"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    EXPECT_EQ(tree_view(*window_)->schedule_model()->tree()->find({"C", 0, "io"})->loop_kind,
              LoopKind::Parallel);
    key(Qt::Key_B, Qt::ControlModifier); // pin
    ASSERT_TRUE(wait_until([&] { return window_->session().baseline().estimate() != nullptr; }, 5));
    key(Qt::Key_Space); // measure
    ASSERT_TRUE(wait_until([&] { return !window_->session().tasks().busy(); }));
    EXPECT_FALSE(window_->session().document()->measurements().empty());
    click({"C", 0, "ii"});
    key(Qt::Key_U);
    choose("4");
    ASSERT_TRUE(settle());
    ASSERT_TRUE(window_->session().estimates().now()->seconds &&
                window_->session().baseline().estimate()->seconds);
    EXPECT_EQ(window_->session().document()->revisions().size(), 5u) << "each gesture is one step";
    keep_picture("newcomer");
}

TEST_F(Dragging, AStageOnALoopIsComputedThere) {
    open("blur.loop");
    const auto from = row_centre({"blur_x", -1, "@stage"});
    drag({"blur_x", -1, "@stage"}, row_centre({"out", 0, "y"}), false);
    // While it is dragged nothing changes, and what would happen is said.
    EXPECT_EQ(script(), "schedule for blur\n");
    const auto said = bubble_text(tree_view(*window_));
    EXPECT_TRUE(said.startsWith("blur_x.compute_at(out, y)\n")) << said.toStdString();
    EXPECT_TRUE(said.contains("storage")) << said.toStdString();
    keep_picture("drag-legal");
    QTest::keyClick(tree_view(*window_), Qt::Key_Escape);
    EXPECT_TRUE(tree_view(*window_)->findChild<Bubble*>()->text().isEmpty());
    QTest::mouseRelease(tree_view(*window_)->viewport(), Qt::LeftButton, {}, from);
    EXPECT_EQ(script(), "schedule for blur\n") << "Escape leaves it where it is";
    drag({"blur_x", -1, "@stage"}, row_centre({"out", 0, "y"}));
    EXPECT_EQ(script(), "schedule for blur\nblur_x.compute_at(out, y)\n");
    ASSERT_TRUE(settle());
    // Back to the root, on the strip at the foot of the rows.
    auto* viewport = tree_view(*window_)->viewport();
    drag({"blur_x", -1, "@stage"}, QPoint(80, viewport->height() - 14));
    EXPECT_EQ(script(), "schedule for blur\nblur_x.compute_at(out, y)\nblur_x.compute_root()\n");
}

TEST_F(Dragging, ALoopOverAnotherIsReordered) {
    open("matmul.loop");
    drag({"C", 0, "k"}, row_centre({"C", 0, "j"}));
    EXPECT_EQ(script(), "schedule for matmul\nC.reorder(k, j)\n");
    ASSERT_TRUE(settle());
    // Onto the upper edge of the outermost loop: outside of it.
    const auto top = row_centre({"C", 0, "i"}) - QPoint(0, 10);
    drag({"C", 0, "j"}, top);
    EXPECT_NE(script().find("C.reorder(j, i, k)"), std::string::npos) << script();
    ASSERT_TRUE(settle());
    const auto before = script();
    drag({"C", 0, "j"}, row_centre({"C", 0, "j"}) + QPoint(30, 4));
    EXPECT_EQ(script(), before) << "dropped on itself, it stays";
}

TEST_F(Dragging, AnIllegalDropIsShownAndALegalOneOffered) {
    open("harris.loop");
    click({"gray", -1, "@stage"});
    ASSERT_TRUE(settle());
    drag({"gray", -1, "@stage"}, row_centre({"ix", 0, "y"}), false);
    const auto said = bubble_text(tree_view(*window_));
    EXPECT_TRUE(said.contains("✗")) << said.toStdString();
    keep_picture("drag-illegal");
    QTest::mouseRelease(tree_view(*window_)->viewport(), Qt::LeftButton, {},
                        row_centre({"ix", 0, "y"}));
    EXPECT_EQ(script(), "schedule for harris\n");
    EXPECT_TRUE(notice(*window_)->text().contains("gray.compute_at(ix, y) is refused"))
        << notice(*window_)->text().toStdString();
    ASSERT_TRUE(tree_view(*window_)->conflict()) << "the broken dependence stays drawn";
    EXPECT_EQ(tree_view(*window_)->conflict()->to.stage, "iy");
}

TEST_F(Dragging, TheDependenceOfAScanIsDrawnWithItsDistance) {
    open("iir_blur.loop");
    click({"down", 1, "r"});
    key(Qt::Key_P);
    EXPECT_EQ(script(), "schedule for iir_blur\n");
    ASSERT_TRUE(wait_until([&] { return tree_view(*window_)->conflict() != nullptr; }, 10));
    EXPECT_EQ(tree_view(*window_)->conflict()->label, "distance (1)");
    ASSERT_TRUE(wait_until([&] { return remedy() != nullptr; }, 10)) << "a legal one is offered";
    QTest::qWait(30);
    keep_picture("dependence");
    const auto line = remedy()->text().mid(6).toStdString();
    QTest::mouseClick(remedy(), Qt::LeftButton);
    EXPECT_NE(script().find(line), std::string::npos) << script();
    EXPECT_TRUE(notice(*window_)->text().isEmpty());
    EXPECT_FALSE(tree_view(*window_)->conflict());
}

// Tiled once something is computed at the loop: the button writes the line where the refusal says.
TEST_F(Dragging, ARefusedLineIsWrittenWhereItWouldBeLegal) {
    open("blur.loop");
    drag({"blur_x", -1, "@stage"}, row_centre({"out", 0, "y"}));
    const std::string before = "schedule for blur\nblur_x.compute_at(out, y)\n";
    ASSERT_EQ(script(), before);
    ASSERT_TRUE(settle());
    window_->session().select({"out", 0, "y"});
    emit tree_view(*window_)->directiveRequested("out.tile(y, x, yo, xo, yi, xi, 32, 64)");
    EXPECT_EQ(script(), before);
    EXPECT_TRUE(notice(*window_)->text().contains("write this line before blur_x.compute_at"))
        << notice(*window_)->text().toStdString();
    QPushButton* there = nullptr;
    ASSERT_TRUE(wait_until(
        [&] {
            for (auto* button : notice(*window_)->findChildren<QPushButton*>())
                if (button->isVisible() && button->text().startsWith("Write it there"))
                    there = button;
            return there != nullptr;
        },
        10));
    EXPECT_TRUE(there->text().contains("blur_x.compute_at(out, yi)"))
        << there->text().toStdString();
    keep_picture("write-it-there");
    QTest::mouseClick(there, Qt::LeftButton);
    EXPECT_EQ(script(), "schedule for blur\nout.tile(y, x, yo, xo, yi, xi, 32, 64)\n"
                        "blur_x.compute_at(out, yi)\n");
    EXPECT_TRUE(notice(*window_)->text().isEmpty());
    window_->session().undo();
    EXPECT_EQ(script(), before) << "one step";
}

TEST_F(Dragging, AStageOnAnotherInTheGraphIsFusedWithIt) {
    open("blur.loop");
    auto* graph = graph_view(*window_);
    auto centre = [&](const char* stage) {
        return graph->node_rectangle(stage).center().toPoint();
    };
    auto carry = [&](Qt::KeyboardModifiers modifiers) {
        LatencyRecorder::instance().begin("drag a stage");
        const QPoint from = centre("blur_x"), to = centre("out");
        QTest::mousePress(graph, Qt::LeftButton, modifiers, from);
        for (int step = 1; step <= 4; ++step) {
            QMouseEvent move(QEvent::MouseMove, from + (to - from) * step / 4,
                             graph->mapToGlobal(from + (to - from) * step / 4), Qt::NoButton,
                             Qt::LeftButton, modifiers);
            QApplication::sendEvent(graph, &move);
        }
        EXPECT_TRUE(wait_until([&] { return !window_->session().questions().judging(); }, 10));
    };
    carry({});
    EXPECT_TRUE(bubble_text(graph).contains("innermost legal loop"))
        << bubble_text(graph).toStdString();
    keep_picture("drag-graph");
    QTest::mouseRelease(graph, Qt::LeftButton, {}, centre("out"));
    ASSERT_TRUE(open_menu()) << "several loops are legal: they are offered";
    choose("out, loop y");
    EXPECT_EQ(script(), "schedule for blur\nblur_x.compute_at(out, y)\n");
    ASSERT_TRUE(settle());
    carry(Qt::AltModifier);
    QTest::mouseRelease(graph, Qt::LeftButton, Qt::AltModifier, centre("out"));
    EXPECT_NE(script().find("blur_x.inline()"), std::string::npos) << script();
}

TEST_F(Dragging, AStageOfTheGraphIsDroppedOnALoopOfTheTree) {
    open("blur.loop");
    auto* graph = graph_view(*window_);
    auto* viewport = tree_view(*window_)->viewport();
    auto carry = [&](const NodeId& loop) {
        const QPoint from = graph->node_rectangle("blur_x").center().toPoint(),
                     to = graph->mapFromGlobal(viewport->mapToGlobal(row_centre(loop)));
        QTest::mousePress(graph, Qt::LeftButton, {}, from);
        for (int step = 1; step <= 4; ++step) {
            const QPoint at = from + (to - from) * step / 4;
            QMouseEvent move(QEvent::MouseMove, at, graph->mapToGlobal(at), Qt::NoButton,
                             Qt::LeftButton, {});
            QApplication::sendEvent(graph, &move);
        }
        EXPECT_TRUE(wait_until([&] { return !window_->session().questions().judging(); }, 10));
        return to;
    };
    auto to = carry({"out", 0, "y"});
    const auto said = bubble_text(tree_view(*window_));
    EXPECT_TRUE(said.startsWith("blur_x.compute_at(out, y)\n")) << said.toStdString();
    EXPECT_TRUE(graph->findChild<Bubble*>()->text().isEmpty()) << "one of them speaks";
    keep_picture("drag-graph-tree");
    QTest::keyClick(graph, Qt::Key_Escape);
    EXPECT_TRUE(tree_view(*window_)->findChild<Bubble*>()->text().isEmpty());
    QTest::mouseRelease(graph, Qt::LeftButton, {}, to);
    EXPECT_EQ(script(), "schedule for blur\n") << "Escape leaves it where it is";
    to = carry({"out", 0, "y"});
    QTest::mouseRelease(graph, Qt::LeftButton, {}, to);
    EXPECT_EQ(script(), "schedule for blur\nblur_x.compute_at(out, y)\n");
    ASSERT_TRUE(settle());
}

TEST_F(Dragging, WhatNobodyReadsCannotBeFused) {
    open("harris.loop");
    auto* graph = graph_view(*window_);
    const QPoint from = graph->node_rectangle("ix").center().toPoint(),
                 to = graph->node_rectangle("iy").center().toPoint();
    QTest::mousePress(graph, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 4; ++step) {
        QMouseEvent move(QEvent::MouseMove, from + (to - from) * step / 4,
                         graph->mapToGlobal(from + (to - from) * step / 4), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(graph, &move);
    }
    QTest::mouseRelease(graph, Qt::LeftButton, {}, to);
    EXPECT_EQ(script(), "schedule for harris\n");
    EXPECT_TRUE(notice(*window_)->text().contains("Neither of"))
        << notice(*window_)->text().toStdString();
}

TEST_F(Dragging, TheKeyboardDoesTheSame) {
    open("blur.loop");
    click({"blur_x", -1, "@stage"});
    key(Qt::Key_M);
    ASSERT_TRUE(open_menu());
    choose("out, loop y");
    EXPECT_EQ(script(), "schedule for blur\nblur_x.compute_at(out, y)\n");
    ASSERT_TRUE(settle());
    key(Qt::Key_F10, Qt::ShiftModifier);
    ASSERT_TRUE(open_menu()) << "Shift+F10 opens the menu of the row";
    open_menu()->close();
    auto* graph = graph_view(*window_);
    graph->setFocus();
    QTest::keyClick(graph, Qt::Key_M);
    ASSERT_TRUE(open_menu());
    choose("root");
    EXPECT_NE(script().find("blur_x.compute_root()"), std::string::npos) << script();
    ASSERT_TRUE(settle());
    QTest::keyClick(graph, Qt::Key_Menu);
    ASSERT_TRUE(open_menu()) << "and the graph has the menu of its stage";
    open_menu()->close();
}

TEST_F(Dragging, AnEntryThatIsPointedAtSaysWhatItWouldDo) {
    open("blur.loop");
    click({"out", 0, "y"});
    key(Qt::Key_F10, Qt::ShiftModifier);
    auto* menu = qobject_cast<views::DirectiveMenu*>(open_menu());
    ASSERT_TRUE(menu);
    for (auto* action : menu->actions())
        if (action->data().toString() == "out.parallel(y)")
            menu->setActiveAction(action);
    LatencyRecorder::instance().begin("point at an entry");
    EXPECT_TRUE(wait_until([&] { return menu->preview_text().contains("▾"); }, 10))
        << menu->preview_text().toStdString();
    EXPECT_EQ(script(), "schedule for blur\n");
    if (const auto folder = qEnvironmentVariable("LOOPSCOPE_PICTURES"); !folder.isEmpty()) {
        menu->grab().save(folder + "/menu-open.png");
        menu->findChild<Bubble*>()->grab().save(folder + "/menu-bubble.png");
    }
    menu->close();
    EXPECT_TRUE(menu->preview_text().isEmpty());
}

// A scan is no loop of lanes, whatever their number: the list that the key opens is grey.
TEST_F(Dragging, AListOfWhichNothingCanBeHadSaysWhyToTheKeyboard) {
    open("iir_blur.loop");
    click({"down", 1, "r"});
    key(Qt::Key_V);
    auto* menu = qobject_cast<views::DirectiveMenu*>(open_menu());
    ASSERT_TRUE(menu);
    ASSERT_TRUE(menu->activeAction());
    EXPECT_TRUE(wait_until([&] { return menu->preview_text().contains("✗"); }, 10))
        << menu->activeAction()->text().toStdString();
    EXPECT_FALSE(menu->accessibleDescription().isEmpty());
    EXPECT_EQ(window_->statusBar()->currentMessage(), menu->accessibleDescription());
    const auto* before = menu->activeAction();
    QTest::keyClick(menu, Qt::Key_Down);
    EXPECT_NE(menu->activeAction(), before) << "grey entries are reached";
    keep_picture("menu-refused");
    menu->close();
    EXPECT_EQ(script(), "schedule for iir_blur\n");
    EXPECT_TRUE(window_->statusBar()->currentMessage().isEmpty());
}

TEST_F(Dragging, SlashFindsStagesLoopsPanelsAndDirectives) {
    open("harris.loop");
    click({"ix", 0, "y"});
    QTest::keyClick(tree_view(*window_), Qt::Key_Slash);
    auto* palette = window_->findChild<CommandPalette*>();
    ASSERT_TRUE(palette);
    auto* search = palette->findChild<QLineEdit*>();
    auto* list = palette->findChild<QListWidget*>();
    auto rows = [&](const char* text) {
        search->setText(text);
        QStringList all;
        for (int row = 0; row < list->count(); ++row)
            all << list->item(row)->text();
        return all;
    };
    EXPECT_FALSE(rows("panel roofline").isEmpty());
    EXPECT_FALSE(rows("schedule vectorise").isEmpty());
    EXPECT_FALSE(rows("stage gray").isEmpty());
    ASSERT_FALSE(rows("loop gray.x").isEmpty());
    if (const auto folder = qEnvironmentVariable("LOOPSCOPE_PICTURES"); !folder.isEmpty()) {
        rows("gray");
        palette->grab().save(folder + "/find.png");
        rows("loop gray.x");
    }
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_EQ(window_->session().selection(), (NodeId{"gray", 0, "x"}));
    EXPECT_EQ(tree_view(*window_)->selected(), (NodeId{"gray", 0, "x"}));
}

// 40 stages and some 160 lines: what the window does with a script that somebody has worked on for
// a while.
TEST_F(Dragging, ALongScriptKeepsTheWindowAwake) {
    LOOPSCOPE_LONG_TEST();
    std::string program = "pipeline chain\ninput a[y, x]: f32[512, 512] boundary edge\n"
                          "stage s0[y, x]: f32 = a[y, x] + 1.0\n",
                script = "schedule for chain\n";
    for (int n = 1; n < 40; ++n) {
        const auto name = "s" + std::to_string(n), before = "s" + std::to_string(n - 1);
        program +=
            "stage " + name + "[y, x]: f32 = " + before + "[y, x - 1] + " + before + "[y + 1, x]\n";
        script += before + ".tile(y, x, yo, xo, yi, xi, 32, 64)\n" + before + ".parallel(yo)\n" +
                  before + ".vectorize(xi, 8)\n" + before + ".unroll(yi, 2)\n";
    }
    program += "output s39: [512, 512]\n";
    const auto folder = loopscope::test::scratch_folder();
    std::ofstream(folder + "/chain.loop") << program;
    std::ofstream(folder + "/chain.sched") << script;
    auto& window = show();
    {
        const Timed timed("open 160 directives");
        ASSERT_TRUE(window.open_path(QString::fromStdString(folder + "/chain.loop"),
                                     {folder + "/chain.sched", {}, "host"}));
    }
    ASSERT_TRUE(settle());
    click({"s20", 0, "xi"});
    LatencyRecorder::instance().begin("menu of 160 directives");
    key(Qt::Key_F10, Qt::ShiftModifier);
    ASSERT_TRUE(open_menu());
    LatencyRecorder::instance().begin("submenus of 160 directives");
    for (auto* action : open_menu()->actions())
        if (action->menu())
            QMetaObject::invokeMethod(action->menu(), "aboutToShow");
    open_menu()->close();
    ASSERT_TRUE(settle());
    LatencyRecorder::instance().begin("a step, of 160 directives");
    QTest::keyClick(tree_view(*window_), Qt::Key_Up, Qt::ShiftModifier);
    ASSERT_TRUE(settle());
    click({"s20", 0, "yo"});
    LatencyRecorder::instance().begin("a refusal, of 160 directives");
    QTest::keyClick(tree_view(*window_), Qt::Key_V);
    ASSERT_TRUE(open_menu());
    open_menu()->close();
    EXPECT_FALSE(window.session().apply_directive("s20.fuse(yo, nowhere, f)").ok());
    drag({"s20", -1, "@stage"}, row_centre({"s20", 0, "yo"}));
    ASSERT_TRUE(settle());
}

} // namespace loopscope::app::test
