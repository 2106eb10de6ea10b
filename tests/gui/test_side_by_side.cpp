// In the whole window: two schedules side by side, from the history and by key; and the passes of
// the compilation, step by step.

#include "tests/gui/gui_support.h"

#include "app/windows/comparison_window.h"
#include "app/windows/notice_bar.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "views/models/number_table.h"
#include "views/style/theme.h"
#include "views/widgets/history_view.h"
#include "views/widgets/linked_code.h"
#include "views/widgets/passes_view.h"
#include "views/widgets/schedules_view.h"
#include "views/widgets/side_by_side_view.h"
#include "views/widgets/source_view.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>
#include <QTest>

#include <fstream>

namespace loopscope::app::test {

namespace {

using views::SchedulesView;
using views::SideChange;

class SideBySide : public WindowTest {
protected:
    // Three revisions: default, rows in parallel, and vectors.
    MainWindow& open_three() {
        auto& window = open("blur.loop");
        stage_ = window.session().pipeline()->outputs.front().stage;
        EXPECT_TRUE(window.session().apply_directive(line("parallel(y)")).ok());
        EXPECT_TRUE(window.session().apply_directive(line("vectorize(x, 8)")).ok());
        EXPECT_TRUE(settle());
        return window;
    }
    QString line(const char* directive) const {
        return QString::fromStdString(stage_ + '.' + directive);
    }
    std::int64_t revision(std::size_t number) const {
        return window_->session().document()->revisions().at(number).id;
    }
    QRect row(std::size_t number) const {
        auto* history = history_view(*window_);
        return history->visualRect(history->history_model()->index_of(revision(number)));
    }
    void history_menu(std::size_t number) {
        auto* viewport = history_view(*window_)->viewport();
        const QPoint at = row(number).center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, viewport->mapToGlobal(at));
        QApplication::sendEvent(viewport, &event);
    }
    SchedulesView& compared() {
        EXPECT_TRUE(comparison_window(*window_));
        EXPECT_TRUE(wait_until([&] {
            return comparison_window(*window_)->isVisible() && !comparison_window(*window_)->busy();
        }));
        return *comparison_window(*window_)->view();
    }
    QPushButton* button(const QString& text, int which = 0) {
        for (auto* each : compared().findChildren<QPushButton*>())
            if (each->text().remove('&') == text && which-- == 0)
                return each;
        return nullptr;
    }
    void keep_comparison(const QString& name) {
        const auto folder = qEnvironmentVariable("LOOPSCOPE_PICTURES");
        if (!folder.isEmpty())
            comparison_window(*window_)->grab().save(folder + '/' + name + ".png");
    }
    std::string stage_;
};

} // namespace

TEST_F(SideBySide, FromTheHistorysMenuAndSwapped) {
    auto& window = open_three();
    ASSERT_TRUE(window.show_panel("history"));
    history_menu(0);
    choose("Compare with the schedule of now");
    auto& view = compared();
    ASSERT_TRUE(view.pair());
    EXPECT_EQ(view.pair()->left.script, window.session().document()->revisions()[0].script);
    EXPECT_EQ(view.pair()->right.script, window.session().script());
    EXPECT_EQ(views::differing_rows(view.pair()->script), 2);
    EXPECT_TRUE(view.headline().startsWith("The right one is")) << view.headline().toStdString();
    keep_comparison("compare-window");
    const auto left = view.pair()->left.title;
    QTest::mouseClick(button("⇄ Swap"), Qt::LeftButton);
    EXPECT_EQ(compared().pair()->right.title, left);
    EXPECT_TRUE(view.headline().startsWith("The left one is"));
    // Make the first one current: a step of the history, and both sides are the same then.
    QTest::mouseClick(button("Make it current", 1), Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().document()->current().id, revision(0));
    EXPECT_EQ(views::differing_rows(compared().pair()->script), 0) << "now is the first one";
    EXPECT_EQ(window.session().document()->revisions().size(), 3u) << "nothing is lost";
    QTest::keyClick(comparison_window(window), Qt::Key_Escape);
    EXPECT_FALSE(comparison_window(window)->isVisible());
}

TEST_F(SideBySide, TwoSelectedRowsByKey) {
    auto& window = open_three();
    ASSERT_TRUE(window.show_panel("history"));
    auto* viewport = history_view(window)->viewport();
    QTest::mouseClick(viewport, Qt::LeftButton, {}, row(1).center());
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().document()->current().id, revision(1));
    QTest::mouseClick(viewport, Qt::LeftButton, Qt::ControlModifier, row(0).center());
    EXPECT_EQ(window.session().document()->current().id, revision(1)) << "selected, not gone to";
    EXPECT_EQ(history_view(window)->selected(), (std::vector<qint64>{revision(0), revision(1)}));
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    auto& view = compared();
    EXPECT_EQ(view.pair()->left.script, window.session().document()->revisions()[0].script);
    EXPECT_EQ(view.pair()->right.script, window.session().document()->revisions()[1].script);
    // Without a selection of two: the schedule before, and that of now.
    comparison_window(window)->close();
    window.activateWindow(); // as a window manager does
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    window.session().go_to_revision(revision(2));
    ASSERT_TRUE(settle());
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(compared().pair()->left.script, window.session().document()->revisions()[1].script);
    EXPECT_EQ(compared().pair()->right.script, window.session().script());
}

TEST_F(SideBySide, FollowsEditsAndTheBaseline) {
    auto& window = open_three();
    window.session().baseline().pin();
    ASSERT_TRUE(window.session().apply_directive(line("unroll(y, 2)")).ok());
    ASSERT_TRUE(settle());
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(compared().pair()->left.title.startsWith("Baseline"));
    EXPECT_EQ(views::differing_rows(compared().pair()->script), 1);
    window.session().undo();
    ASSERT_TRUE(settle());
    EXPECT_EQ(views::differing_rows(compared().pair()->script), 0);
    window.session().baseline().clear();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(compared().pair()->left.title.startsWith("Baseline"));
    window.session().close();
    EXPECT_FALSE(comparison_window(window)->isVisible());
}

TEST_F(SideBySide, AFileAndAFileThatIsWrong) {
    auto& window = open_three();
    const auto folder = loopscope::test::scratch_folder();
    const auto good = folder + "/other.sched", bad = folder + "/wrong.sched";
    std::ofstream(good) << "schedule for " << window.session().pipeline()->name << "\n"
                        << stage_ << ".vectorize(x, 4)\n";
    std::ofstream(bad) << "schedule for " << window.session().pipeline()->name << "\n"
                       << stage_ << ".vectorize(nowhere, 4)\n";
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    compared();
    auto file = [](const std::string& path) {
        return ComparedSide{ComparedSide::Kind::File, 0, QString::fromStdString(path)};
    };
    comparison_window(window)->compare(file(good), {});
    EXPECT_EQ(compared().pair()->left.title, "File: other.sched");
    EXPECT_TRUE(compared().pair()->left.tree);
    EXPECT_FALSE(compared().pair()->numbers.empty());
    for (const char* name : {"/kept.md", "/kept.txt"}) {
        ASSERT_TRUE(comparison_window(window)->save(QString::fromStdString(folder + name)).ok());
        const auto text = loopscope::test::read_file(folder + name);
        EXPECT_NE(text.find("other.sched"), std::string::npos);
        EXPECT_EQ(text.find("```diff") != std::string::npos, std::string(name) == "/kept.md");
    }
    EXPECT_FALSE(comparison_window(window)->save("/no/such/folder/x.md").ok());
    comparison_window(window)->compare(file(bad), {});
    EXPECT_FALSE(compared().pair()->left.tree);
    EXPECT_TRUE(compared().headline().contains("nowhere")) << compared().headline().toStdString();
    EXPECT_FALSE(compared().pair()->script.empty()) << "the scripts can be compared";
    EXPECT_FALSE(button("Make it current")->isEnabled());
    compared().set_tab(SchedulesView::Tree);
    EXPECT_FALSE(compared().tree_view()->isVisible());
    comparison_window(window)->compare(file(folder + "/missing.sched"), {});
    EXPECT_TRUE(compared().headline().contains("cannot read"));
    // A good one becomes the schedule of now, as a step of the history.
    comparison_window(window)->compare(file(good), {});
    compared();
    QTest::mouseClick(button("Make it current"), Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("vectorize(x, 4)"), std::string::npos)
        << notice(window)->text().toStdString();
}

TEST_F(SideBySide, LooksWellInTheDark) {
    LOOPSCOPE_LONG_TEST();
    auto& window = open("harris.loop");
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("harris.cpu.sched"))));
    ASSERT_TRUE(settle());
    window.set_theme(views::ThemeKind::Dark);
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    compared().set_tab(SchedulesView::Tree);
    QTest::qWait(60);
    keep_comparison("compare-window-dark");
    EXPECT_LT(comparison_window(window)->grab().toImage().pixelColor(3, 3).lightness(), 80);
    views::apply_theme(*qApp, views::ThemeKind::Light);
}

class PassesInTheWindow : public WindowTest {
protected:
    views::PassesView& passes() { return *source_view(*window_)->passes_view(); }
    // The programs behind all passes are made.
    bool all_made() {
        return wait_until([&] {
            const auto steps = passes().pass_list()->steps();
            return steps && !window_->session().passes().making() &&
                   std::all_of(steps->begin(), steps->end(),
                               [](const views::PassStep& step) { return step.source != nullptr; });
        });
    }
};

TEST_F(PassesInTheWindow, AreMadeInTheBackgroundAndFollowEdits) {
    auto& window = open("blur.loop", {bundled("blur.cpu.sched"), {}, "host"});
    ASSERT_TRUE(window.show_panel("source"));
    for (auto* each : source_view(window)->findChildren<QPushButton*>())
        if (each->text() == "Passes")
            QTest::mouseClick(each, Qt::LeftButton);
    ASSERT_TRUE(source_view(window)->stepping());
    ASSERT_TRUE(all_made());
    const auto* list = passes().pass_list();
    EXPECT_EQ(list->step(0)->name, "build");
    EXPECT_EQ(list->step(list->rowCount() - 1)->source->text, source_view(window)->text("loops"))
        << "the last pass makes the program that is compiled";
    int idle = 0, busy = 0;
    for (int row = 1; row < list->rowCount(); ++row)
        (list->step(row)->changes_nothing() ? idle : busy)++;
    EXPECT_GT(idle, 0);
    EXPECT_GT(busy, 3);
    ASSERT_TRUE(passes().set_pass("vectorize"));
    EXPECT_GT(passes().code()->runs(), 0);
    keep_picture("window-passes");
    // A line of a pass leads to the tree, and the tree to the lines.
    const auto stage = window.session().pipeline()->outputs.front().stage;
    NodeId loop;
    for (const auto& id : list->step(8)->source->lines)
        if (id.stage == stage && loop.stage.empty() && id.name.front() != '@')
            loop = id;
    ASSERT_FALSE(loop.stage.empty());
    window.session().select(loop);
    EXPECT_FALSE(passes().code()->lines_of(loop).empty());
    // An edit: the same pass of the new program. Undone: what was made before, at once.
    const auto before = list->step(8)->source;
    window.session().undo();
    const bool undone = window.session().can_redo();
    if (!undone) {
        ASSERT_TRUE(
            window.session().apply_directive(QString::fromStdString(stage + ".unroll(x, 2)")).ok());
    }
    ASSERT_TRUE(settle());
    ASSERT_TRUE(all_made());
    EXPECT_EQ(passes().pass(), "vectorize");
    undone ? window.session().redo() : window.session().undo();
    EXPECT_EQ(list->step(8)->source, before) << "kept";
    EXPECT_FALSE(window.session().passes().making());
    // Off again: nothing is made any more.
    source_view(window)->set_stepping(false);
    ASSERT_TRUE(
        window.session().apply_directive(QString::fromStdString(stage + ".unroll(x, 2)")).ok());
    EXPECT_FALSE(window.session().passes().making());
    ASSERT_TRUE(settle());
}

} // namespace loopscope::app::test
