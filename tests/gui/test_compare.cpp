// Against the pinned baseline, in the whole window: after edits, undo, other revisions and a
// reopening; and what a device that is only described does not allow.

#include "tests/gui/gui_support.h"

#include "app/windows/notice_bar.h"
#include "app/windows/screenshot.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "views/widgets/compare_view.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/source_view.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QTest>

namespace loopscope::app::test {

namespace {

class Compare : public WindowTest {
protected:
    QAction* action(const QString& text) {
        for (auto* each : window_->findChildren<QAction*>())
            if (each->text() == text)
                return each;
        return nullptr;
    }
    QString change_of(const NodeId& node) {
        auto* model = tree_view(*window_)->schedule_model();
        return model->index_of(node)
            .siblingAtColumn(views::ScheduleTreeModel::Change)
            .data()
            .toString();
    }
    const views::Comparison& shown() {
        EXPECT_TRUE(window_->show_panel("compare"));
        EXPECT_TRUE(settle());
        EXPECT_TRUE(compare_view(*window_)->comparison());
        static const views::Comparison none;
        return compare_view(*window_)->comparison() ? *compare_view(*window_)->comparison() : none;
    }
};

const NodeId kOut{"out", -1, "@stage"};

} // namespace

TEST_F(Compare, FollowsEditsUndoAndRevisions) {
    LOOPSCOPE_LONG_TEST();
    auto& window = open("harris.loop");
    ASSERT_TRUE(action("C&ompare with baseline"));
    EXPECT_TRUE(change_of(kOut).isEmpty());
    window.session().baseline().pin();
    const auto pinned = window.session().baseline().revision();
    click({"out", 0, "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(change_of(kOut).startsWith("▾")) << change_of(kOut).toStdString();
    ASSERT_EQ(shown().script.size(), 1u);
    EXPECT_EQ(shown().script[0].text, "out.parallel(y)");
    EXPECT_EQ(shown().script[0].change, views::LineChange::Added);
    EXPECT_FALSE(shown().tree.empty());
    EXPECT_EQ(shown().numbers.at(0).sign, -1);
    // Further edits: the difference is still against what was pinned.
    click({"out", 0, "x"});
    key(Qt::Key_U, Qt::NoModifier);
    key(Qt::Key_Z, Qt::ControlModifier);
    key(Qt::Key_Z, Qt::ControlModifier);
    key(Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(settle());
    while (window.session().can_undo())
        window.session().undo();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(shown().script.empty()) << "undone back to what is pinned";
    EXPECT_TRUE(shown().tree.empty());
    EXPECT_TRUE(change_of(kOut).startsWith("=")) << change_of(kOut).toStdString();
    window.session().redo();
    ASSERT_TRUE(settle());
    ASSERT_EQ(shown().script.size(), 1u);
    // From another revision back to the pinned one, by the panel's own button.
    for (auto* button : compare_view(window)->findChildren<QPushButton*>())
        if (button->text() == "Open it")
            button->click();
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().document()->current().id, pinned);
    EXPECT_TRUE(shown().script.empty());
    window.session().redo();
    // Saved and opened again it is still pinned.
    window.session().apply_directive("out.parallel(y)").ok();
    ASSERT_TRUE(settle());
    const auto path = loopscope::test::scratch_folder() + "/pinned.loopscope";
    ASSERT_TRUE(window.session().save_document(path).ok());
    auto& again = show();
    ASSERT_TRUE(again.open_path(QString::fromStdString(path)));
    ASSERT_TRUE(settle());
    EXPECT_EQ(again.session().baseline().revision(), pinned);
    EXPECT_FALSE(shown().numbers.empty());
    again.session().baseline().clear();
    EXPECT_FALSE(compare_view(again)->comparison());
    EXPECT_TRUE(change_of(kOut).isEmpty());
}

TEST_F(Compare, SourcesAreComparedWithTheBaselines) {
    auto& window = open("blur.loop", {{}, {}, "host"});
    window.session().baseline().pin();
    ASSERT_TRUE(window.show_panel("source"));
    source_view(window)->set_comparing(true);
    ASSERT_TRUE(settle());
    ASSERT_TRUE(source_view(window)->has_baseline_text("loops"));
    EXPECT_TRUE(source_view(window)->difference("loops").same());
    const auto stage = window.session().pipeline()->outputs.front().stage;
    ASSERT_TRUE(
        window.session().apply_directive(QString::fromStdString(stage + ".parallel(y)")).ok());
    ASSERT_TRUE(settle());
    const auto& difference = source_view(window)->difference("loops");
    EXPECT_GT(difference.changed + difference.added, 0);
    EXPECT_FALSE(source_view(window)->lines_of("loops", {stage, 0, "y"}).empty());
    window.session().baseline().clear();
    EXPECT_FALSE(source_view(window)->comparing());
}

TEST_F(Compare, SchedulesWithoutATargetAreComparedOnTheDeviceThatIsAskedFor) {
    const std::string gpu = bundled("matmul_f16.gpu.sched");
    for (const char* device : {"h200", "i7-6700"}) {
        SCOPED_TRACE(device);
        const auto schedule = device == std::string("h200") ? gpu : bundled("matmul_f16.cpu.sched");
        const session::OpenOptions options{schedule, {}, device};
        auto& window = open("matmul_f16.loop", options);
        ASSERT_TRUE(compare_schedules(window, QString::fromStdString(schedule), options));
        ASSERT_TRUE(settle());
        EXPECT_EQ(window.session().device()->name, device);
        EXPECT_GT(window.session().baseline().revision(), 0);
        EXPECT_TRUE(shown().title.contains(device)) << shown().title.toStdString();
    }
}

TEST_F(Compare, TheProgramIsShownAsC) {
    auto& window = open("blur.loop");
    ASSERT_TRUE(window.show_panel("source"));
    source_view(window)->set_current("c");
    ASSERT_TRUE(settle());
    const auto text = source_view(window)->text("c");
    ASSERT_TRUE(text.contains("for (")) << all_text(*source_view(window)).toStdString();
    const auto stage = window.session().pipeline()->outputs.front().stage;
    EXPECT_FALSE(source_view(window)->lines_of("c", {stage, 0, "y"}).empty())
        << "its lines are linked to the tree";
    const auto path = QString::fromStdString(loopscope::test::scratch_folder() + "/blur.c");
    ASSERT_TRUE(source_view(window)->save_to("c", path).ok());
    EXPECT_EQ(loopscope::test::read_file(path.toStdString()), text.toStdString());
}

TEST_F(Compare, MeasuredIsComparedWithMeasured) {
    auto& window = open("matmul.loop", {{}, {{"M", 64}, {"N", 64}, {"K", 64}}, "host"});
    window.session().tasks().measure(0.05);
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }));
    window.session().baseline().pin();
    ASSERT_TRUE(window.session().apply_directive("C.vectorize(j, 8)").ok());
    ASSERT_TRUE(settle());
    window.session().tasks().measure(0.05);
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }));
    ASSERT_TRUE(settle());
    const auto& rows = measurements_view(window)->table_model()->rows();
    ASSERT_EQ(rows.size(), 2u) << notice(window)->text().toStdString();
    ASSERT_TRUE(rows[1].baseline_seconds.has_value());
    EXPECT_DOUBLE_EQ(*rows[1].baseline_seconds, rows[0].median_seconds);
    bool measured = false;
    for (const auto& number : shown().numbers)
        measured = measured || (number.name == "time, measured" && !number.change.isEmpty());
    EXPECT_TRUE(measured);
}

TEST_F(Compare, ADescribedDeviceIsMarkedAndCannotMeasure) {
    auto& window =
        open("harris.loop", {bundled("harris.cpu.sched"), {{"H", 64}, {"W", 64}}, "host"});
    EXPECT_FALSE(all_text(*estimate_view(window)).contains("described"));
    auto* measure = action("&Measure");
    ASSERT_TRUE(measure);
    EXPECT_TRUE(measure->isEnabled());
    for (const char* device : {"i7-6700", "i7-5930K", "cortex-a15"}) {
        const auto set = window.session().set_device(device);
        // the script's vectors do not fit it
        if (!set.ok())
            continue;
        ASSERT_TRUE(settle());
        ASSERT_TRUE(window.session().estimates().now()->described) << device;
        EXPECT_TRUE(all_text(*estimate_view(window)).contains("described")) << device;
        EXPECT_TRUE(all_text(*estimate_view(window)).contains("≈ ")) << device;
        EXPECT_TRUE(all_text(*roofline_view(window)).contains("described")) << device;
        EXPECT_FALSE(measure->isEnabled());
        EXPECT_TRUE(measure->toolTip().contains(device)) << measure->toolTip().toStdString();
        EXPECT_TRUE(all_text(*measurements_view(window)).contains(device)) << "and says why";
        bool in_tree = false;
        for (auto* label : window.findChildren<QLabel*>())
            in_tree = in_tree || (label->objectName() == "hint" && label->text().contains(device));
        EXPECT_TRUE(in_tree) << "the tree's times are marked";
    }
    ASSERT_TRUE(window.session().set_device("host").ok());
    ASSERT_TRUE(settle());
    EXPECT_TRUE(measure->isEnabled());
    EXPECT_FALSE(all_text(*roofline_view(window)).contains("described"));
}

} // namespace loopscope::app::test
