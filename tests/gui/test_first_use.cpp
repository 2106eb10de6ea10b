// What a first-time user stumbled over in the whole window (docs/newcomer.md).

#include "tests/gui/gui_support.h"

#include "app/windows/notice_bar.h"
#include "app/windows/open_error.h"
#include "core/base/output_forms.h"
#include "tests/support/support.h"
#include "views/widgets/compare_view.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"

#include <Qsci/qsciscintilla.h>

#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>

#include <filesystem>
#include <fstream>

namespace loopscope::app::test {

class FirstUse : public WindowTest {
protected:
    QAction* action(const QString& text) const {
        for (auto* each : window_->findChildren<QAction*>())
            if (each->text().remove('&') == text)
                return each;
        return nullptr;
    }
    QLabel* label(const QString& accessible_name) const {
        for (auto* each : window_->findChildren<QLabel*>())
            if (each->accessibleName() == accessible_name)
                return each;
        return nullptr;
    }
};

TEST_F(FirstUse, AnErrorIsGoneOnceItIsTriedAgain) {
    auto& window = open("blur.loop", {{}, {{"H", 64}, {"W", 64}}, "host"});
    notice(window)->show_error("it went wrong");
    EXPECT_EQ(notice(window)->text(), "it went wrong");
    window.session().tasks().check();
    EXPECT_EQ(notice(window)->text(), "");
    EXPECT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }, 60));
}

TEST_F(FirstUse, TheInspectorShowsTheLoopThatASplitMade) {
    auto& window = open("matmul.loop");
    click({"C", 0, "i"});
    key(Qt::Key_T); // with the loop inside
    ASSERT_TRUE(open_menu());
    choose("64 × 64, with j");
    ASSERT_TRUE(settle());
    const auto now = window.session().selection();
    EXPECT_EQ(now.name, "io");
    EXPECT_EQ(tree_view(window)->selected(), now);
    EXPECT_EQ(inspector_view(window)->selected(), now);
    bool factor = false;
    for (auto* each : inspector_view(window)->findChildren<QWidget*>())
        factor = factor || each->accessibleName() == "Factor of i";
    EXPECT_TRUE(factor) << "and its factor can be tuned on";
    keep_picture("first-use-tiled");
    key(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(window.session().selection().name, "i");
}

TEST_F(FirstUse, SpaceMeasuresAfterAClickOnAButton) {
    auto& window = open("harris.loop", {{}, {{"H", 32}, {"W", 64}}, "host"});
    window.session().baseline().pin();
    click({"out", 0, "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    ASSERT_TRUE(window.show_panel("compare"));
    QPushButton* button = nullptr;
    ASSERT_TRUE(wait_until([&] {
        for (auto* each : compare_view(window)->findChildren<QPushButton*>())
            if (each->isVisible() && each->isEnabled() && each->text().contains("pen"))
                button = each;
        return button != nullptr;
    }));
    button->setFocus(); // a style may give it to what is clicked
    QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(settle());
    const auto script_then = script();
    auto* focus = QApplication::focusWidget();
    ASSERT_TRUE(focus);
    QTest::keyClick(focus, Qt::Key_Space);
    EXPECT_TRUE(window.session().tasks().busy()) << "Space measures";
    EXPECT_EQ(script(), script_then);
    const auto* state = label("State of the worker process");
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->text().contains("measuring")) << state->text().toStdString();
    EXPECT_TRUE(state->text().contains("expected")) << state->text().toStdString();
    EXPECT_TRUE(state->text().contains("0 s") || state->text().contains("1 s"));
    keep_picture("first-use-measuring");
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }, 120));
    EXPECT_EQ(state->text(), "worker ready");
    window.show_panel("measurements");
    keep_picture("first-use-measured");
}

TEST_F(FirstUse, ANoticeGivesTheKeyboardBackToTheTree) {
    auto& window = open("harris.loop", {{}, {{"H", 32}, {"W", 64}}, "host"});
    bool ran = false;
    notice(window)->offer("Something", "Do it", [&] { ran = true; }, [] {});
    for (auto* button : notice(window)->findChildren<QPushButton*>())
        if (button->text() == "Do it")
            QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(ran);
    EXPECT_TRUE(tree_view(window)->hasFocus());
}

TEST_F(FirstUse, ExportIsInTheMenuAndWritesC) {
    open("harris.loop", {{}, {{"H", 32}, {"W", 64}}, "host"});
    auto* entry = action("Export…");
    ASSERT_TRUE(entry && entry->isEnabled());
    EXPECT_EQ(entry->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_E));
    entry->trigger();
    auto* dialog = window_->findChild<QFileDialog*>();
    ASSERT_TRUE(dialog);
    qsizetype expected = 1; // the schedule's own text
    for (const auto& form : output_forms()) {
        expected += form.main_does ? 2 : 1;
        EXPECT_TRUE(
            dialog->nameFilters().contains(QStringLiteral("%1 (*%2)").arg(form.title, form.ending)))
            << form.name;
    }
    EXPECT_EQ(dialog->nameFilters().size(), expected);
    EXPECT_EQ(dialog->selectedNameFilter(), "C (*.c)") << "what is usual for a processor";
    EXPECT_EQ(dialog->nameFilters().first(), "C (*.c)");
    const auto path = QString::fromStdString(loopscope::test::scratch_folder() + "/harris.c");
    dialog->selectFile(path);
    QMetaObject::invokeMethod(dialog, "accept");
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(path.toStdString()); }, 120));
    EXPECT_NE(loopscope::test::read_file(path.toStdString()).find("#include"), std::string::npos);
    window_->session().close();
    EXPECT_FALSE(entry->isEnabled());
}

TEST_F(FirstUse, TheStatusBarSpeaksOfTheDeviceThatIsChosen) {
    auto& window = open("harris.loop");
    ASSERT_TRUE(window.session().set_device("i7-6700").ok());
    const auto* state = label("State of the worker process");
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->text().contains("i7-6700 is only described"));
    ASSERT_TRUE(window.session().set_device("host").ok());
    EXPECT_EQ(state->text(), "worker ready");
    const auto* legality = label("Legality of the schedule");
    ASSERT_TRUE(legality);
    EXPECT_FALSE(legality->text().isEmpty());
    window.session().close();
    EXPECT_TRUE(legality->text().isEmpty()) << "without a program there is nothing to be legal";
}

TEST_F(FirstUse, TheSelectedRowIsInSightAfterOpening) {
    auto& window = open("bilateral_grid.loop", {bundled("bilateral_grid.cpu.sched"), {}, "host"});
    auto* tree = tree_view(window);
    auto in_sight = [&](const QModelIndex& row) {
        return tree->viewport()->rect().contains(tree->visualRect(row).center());
    };
    for (const char* next : {"iir_blur.loop", "bilateral_grid.loop"}) {
        EXPECT_TRUE(wait_until([&] { return in_sight(tree->currentIndex()); }));
        const auto inside = tree->indexBelow(tree->currentIndex());
        EXPECT_TRUE(!inside.isValid() || in_sight(inside)) << "and what it holds, before " << next;
        tree->scrollToBottom();
        ASSERT_TRUE(window.open_path(QString::fromStdString(bundled(next))));
        ASSERT_TRUE(settle());
        QTest::qWait(50);
    }
    EXPECT_TRUE(in_sight(tree->currentIndex()));
}

TEST_F(FirstUse, TheTreeBeginsWithItsFirstRowWhereTheSelectedOneIsNear) {
    // The small window has no room for the whole tree: scrolling would hide what the output is.
    auto& window = open("matmul.loop", {bundled("matmul.cpu.sched"), {}, "host"}, 1000, 700);
    QTest::qWait(50);
    auto* tree = tree_view(window);
    ASSERT_GT(tree->verticalScrollBar()->maximum(), 0);
    ASSERT_TRUE(tree->currentIndex().isValid());
    EXPECT_EQ(tree->verticalScrollBar()->value(), 0);
}

TEST_F(FirstUse, TheLineThatIsWrittenInStaysInSight) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"}, 1280, 800);
    type("out.paralell(y)");
    ASSERT_TRUE(wait_until([&] { return !window.session().diagnostics().empty(); }));
    QTest::qWait(50);
    auto* editor = script_editor(window)->findChild<QsciScintilla*>();
    int line = 0, index = 0;
    editor->getCursorPosition(&line, &index);
    const int first = editor->firstVisibleLine();
    const auto shown = editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN);
    EXPECT_GE(line, first);
    EXPECT_LT(line, first + shown) << "the message about a line must not hide it";
    keep_picture("first-use-error");
}

TEST_F(FirstUse, WorkWithoutANameIsFoundAgain) {
    auto& window = open("harris.loop", {{}, {{"H", 32}, {"W", 64}}, "host"});
    click({"out", 0, "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    const auto then = script();
    action("Close")->trigger();
    QTest::qWait(5);
    EXPECT_TRUE(notice(window)->text().contains("kept")) << notice(window)->text().toStdString();
    keep_picture("first-use-kept");
    QMenu* recent = nullptr;
    for (auto* menu : window.findChildren<QMenu*>())
        if (menu->title().contains("ecent"))
            recent = menu;
    ASSERT_TRUE(recent);
    QMetaObject::invokeMethod(recent, "aboutToShow");
    ASSERT_FALSE(recent->actions().empty());
    EXPECT_TRUE(recent->actions().front()->text().contains("not saved under a name"));
    recent->actions().front()->trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), then);
    EXPECT_EQ(notice(window)->text(), "") << "said once, and gone with other work";
}

TEST_F(FirstUse, MenusMarkTheThemeAndNamePanelsPlainly) {
    auto& window = open("harris.loop", {{}, {{"H", 32}, {"W", 64}}, "host"});
    auto* light = action("Light theme");
    ASSERT_TRUE(light);
    for (auto* menu : window.findChildren<QMenu*>())
        if (menu->title() == "&View")
            QMetaObject::invokeMethod(menu, "aboutToShow");
    EXPECT_TRUE(light->isChecked());
    EXPECT_FALSE(action("Dark theme")->isChecked());
    key(Qt::Key_Space);
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }, 120));
    EXPECT_TRUE(action("Measurements")) << "without a number";
    EXPECT_FALSE(action("Measurements 1"));
}

TEST(OpenError, ControlBytesAreWrittenOut) {
    EXPECT_EQ(printable(QString("a\tb\n") + QChar(0x1b) + "[31m" + QChar(0)),
              "a\tb\n\\x1b[31m\\x00");
}

} // namespace loopscope::app::test
