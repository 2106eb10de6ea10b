// Opening, saving, recovering, themes, layout.

#include "tests/gui/gui_support.h"

#include "app/windows/notice_bar.h"
#include "tests/support/support.h"
#include "views/style/theme.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/link_list.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"

#include <QAbstractButton>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <QMimeData>
#include <QTest>
#include <QToolButton>

#include <filesystem>
#include <fstream>

namespace loopscope::app::test {

class Documents : public WindowTest {
protected:
    // What a crash leaves: the document as it is on disk while the window still edits it. Returns
    // where it lies, beside the window's own, which was closed in order.
    std::string crash() {
        const std::string aside = loopscope::test::scratch_folder() + "/crashed.loopscope";
        std::filesystem::copy_file(window_->session().document()->path(), aside);
        close_window();
        const auto left = session::RecoveryFolder::default_path() + "/crashed.loopscope";
        std::filesystem::copy_file(aside, left);
        return left;
    }
    static void keep_only_the_crashed() {
        for (const auto& one :
             std::filesystem::directory_iterator(session::RecoveryFolder::default_path()))
            if (one.path().filename() != "crashed.loopscope")
                std::filesystem::remove_all(one.path());
    }
};

TEST_F(Documents, ThereIsAFont) {
    EXPECT_FALSE(QFontDatabase::families().isEmpty());
    EXPECT_FALSE(QFontInfo(QApplication::font()).family().isEmpty());
}

TEST_F(Documents, SaveAndReopenWithAMeasurement) {
    auto& window = open("harris.loop", {{}, {{"H", 48}, {"W", 64}}, "host"});
    click({"out", 0, "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    key(Qt::Key_Space);
    ASSERT_TRUE(window.session().tasks().busy())
        << "Space measures while the tree has the keyboard";
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }, 120));
    ASSERT_EQ(measurements_view(window)->table_model()->rowCount(), 1)
        << notice(window)->text().toStdString();
    const auto row = measurements_view(window)->table_model()->rows().front();
    EXPECT_GT(row.median_seconds, 0);
    EXPECT_TRUE(row.predicted_seconds.has_value());
    EXPECT_FALSE(row.stale);
    const auto path = loopscope::test::scratch_folder() + "/mine.loopscope";
    ASSERT_TRUE(window.session().save_document(path).ok());
    click({"out", 0, "x"});
    key(Qt::Key_P);
    EXPECT_TRUE(measurements_view(window)->table_model()->rows().front().stale);
    const auto saved = script();

    auto& again = show();
    ASSERT_TRUE(again.open_path(QString::fromStdString(path)));
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), saved);
    EXPECT_EQ(script_editor(again)->text().toStdString(), saved);
    EXPECT_EQ(measurements_view(again)->table_model()->rowCount(), 1);
    EXPECT_EQ(history_view(again)->model()->rowCount(), 3);
    key(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NE(script(), saved) << "undo reaches back beyond the reopening";
    EXPECT_FALSE(measurements_view(again)->table_model()->rows().front().stale);
}

TEST_F(Documents, APinnedBaselineShowsDifferences) {
    auto& window = open("harris.loop");
    for (auto* button : window.findChildren<QToolButton*>())
        if (button->text() == "Pin baseline")
            button->click();
    ASSERT_TRUE(window.session().baseline().estimate());
    click({"out", 0, "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    EXPECT_NE(*window.session().baseline().estimate()->seconds,
              *window.session().estimates().now()->seconds);
}

TEST_F(Documents, BothKindsOfSourceAreMade) {
    auto& window =
        open("harris.loop", {bundled("harris.cpu.sched"), {{"H", 64}, {"W", 64}}, "host"});
    ASSERT_TRUE(window.show_panel("source"));
    ASSERT_TRUE(settle());
    EXPECT_NE(source_view(window)->text("loops").indexOf("parallel"), -1);
    source_view(window)->set_current("llvm");
    ASSERT_TRUE(settle());
    EXPECT_NE(source_view(window)->text("llvm").indexOf("define"), -1);
    EXPECT_FALSE(source_view(window)->lines_of("llvm", {"out", 0, "xi"}).empty());
}

TEST_F(Documents, DroppedFilesOpen) {
    auto& window = show();
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(QString::fromStdString(bundled("harris.cpu.sched"))),
                   QUrl::fromLocalFile(QString::fromStdString(bundled("harris.loop")))});
    QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    ASSERT_TRUE(wait_until([&] { return window.session().is_open(); }));
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("out.tile"), std::string::npos);
}

TEST_F(Documents, WorkOfACrashedSessionIsOffered) {
    open("blur.loop");
    click({"out", 0, "y"});
    key(Qt::Key_P);
    const auto left = script();
    crash();
    keep_only_the_crashed();

    auto& window = show();
    ASSERT_NE(notice(window)->text().indexOf("blur.loop"), -1)
        << "the offer names what was being edited";
    EXPECT_GE(row_of(*start_recent(window), "Unsaved: blur.loop"), 0);
    // Another file may be opened first: the offer stays.
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("copy.loop"))));
    EXPECT_NE(notice(window)->text().indexOf("blur.loop"), -1);
    for (auto* button : notice(window)->findChildren<QAbstractButton*>())
        if (button->text() == "Recover it")
            button->click();
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), left);
    EXPECT_TRUE(window.session().untitled());
    EXPECT_TRUE(window.session().can_undo());
}

// Opened from the list of files it is recovered as well: nothing more is to be offered.
TEST_F(Documents, AnOfferGoesWhenTheWorkIsOpenedOtherwise) {
    open("blur.loop");
    click({"out", 0, "y"});
    key(Qt::Key_P);
    const auto crashed = crash();
    keep_only_the_crashed();
    auto& window = show();
    ASSERT_FALSE(notice(window)->text().isEmpty());
    ASSERT_TRUE(window.open_path(QString::fromStdString(crashed)));
    EXPECT_TRUE(notice(window)->text().isEmpty());
}

TEST_F(Documents, AnOfferThatIsClosedIsNotMadeAgain) {
    open("blur.loop");
    click({"out", 0, "y"});
    key(Qt::Key_P);
    crash();
    auto& window = show();
    ASSERT_FALSE(notice(window)->text().isEmpty());
    for (auto* button : notice(window)->findChildren<QToolButton*>())
        button->click();
    EXPECT_TRUE(notice(window)->text().isEmpty());
    EXPECT_EQ(window.session().recovery().documents().size(), 2u) << "nothing is thrown away";
    EXPECT_TRUE(notice(show())->text().isEmpty());
}

TEST_F(Documents, ClosingGoesBackToTheStartPageAndKeepsTheWork) {
    auto& window = open("blur.loop");
    click({"out", 0, "y"});
    key(Qt::Key_P);
    for (auto* action : window.findChildren<QAction*>())
        if (action->text() == "&Close")
            action->trigger();
    EXPECT_FALSE(window.session().is_open());
    EXPECT_TRUE(start_page(window)->isVisible());
    for (auto* dock : window.findChildren<QDockWidget*>())
        EXPECT_FALSE(dock->isVisible());
    EXPECT_EQ(window.session().recovery().documents().size(), 1u);
    auto& next = show();
    EXPECT_TRUE(notice(next)->text().isEmpty()) << "closed in order: nothing to recover";
}

TEST_F(Documents, LayoutAndThemeAreRemembered) {
    auto& window = open("blur.loop");
    auto* history = window.findChild<QDockWidget*>("history");
    history->close();
    ASSERT_FALSE(history->isVisible());
    window.close();
    auto& again = open("blur.loop");
    QTest::qWait(50);
    EXPECT_FALSE(again.findChild<QDockWidget*>("history")->isVisible());
    EXPECT_TRUE(again.findChild<QDockWidget*>("estimate")->isVisible());
    for (auto* action : again.findChildren<QAction*>())
        if (action->text() == "&Arrange the panels")
            action->trigger();
    QTest::qWait(50);
    EXPECT_TRUE(again.findChild<QDockWidget*>("history")->isVisible());
}

TEST_F(Documents, AnotherFileMayBeOpenedWhileTheWorkerIsBusy) {
    auto& window = open("blur.loop");
    key(Qt::Key_Space);
    ASSERT_TRUE(window.session().tasks().busy());
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("copy.loop"))));
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(measurements_view(window)->table_model()->rowCount(), 0);
    EXPECT_EQ(window.session().title(), "copy.loop");
}

TEST_F(Documents, EscapeCancelsAMeasurement) {
    auto& window = open("blur.loop");
    key(Qt::Key_Space);
    ASSERT_TRUE(window.session().tasks().busy());
    key(Qt::Key_Escape);
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }));
    EXPECT_EQ(measurements_view(window)->table_model()->rowCount(), 0);
}

} // namespace loopscope::app::test
