// findings_panel: a check fills it, and what it found leads to its place.

#include "tests/gui/gpu_window.h"
#include "views/models/schedule_tree_model.h"
#include "views/widgets/findings_view.h"
#include "views/widgets/schedule_tree_view.h"

#include <QAbstractButton>
#include <QListWidget>

namespace loopscope::app::test {

class FindingsWindow : public GpuWindow {
protected:
    views::FindingsView& findings() { return *window_->findChild<views::FindingsView*>(); }
};

TEST_F(FindingsWindow, CheckRunsTheKernelsAtSizesThatAnInterpreterCanDo) {
    auto& window = open_gpu();
    window.session().tasks().check();
    ASSERT_TRUE(
        wait_until([&] { return window.session().tasks().check_report() != nullptr; }, 120));
    const auto report = window.session().tasks().check_report();
    EXPECT_TRUE(report->right) << report->verdict.toStdString();
    EXPECT_TRUE(report->findings.empty());
    EXPECT_TRUE(report->at.contains("M = ")) << report->at.toStdString();
    EXPECT_FALSE(report->at.contains("2048")) << "smaller than the document's";
    EXPECT_FALSE(report->at.contains("M = 64")) << "tails are checked too";
    ASSERT_EQ(report->launches.size(), 1);
    EXPECT_TRUE(report->launches.front().contains("barriers"));
    ASSERT_TRUE(window.show_panel("findings"));
    EXPECT_TRUE(findings().summary().contains("no hazards"));
    keep_picture("gpu-checked");
    ASSERT_TRUE(window.session().apply_directive("As.pad_storage(k, 1)").ok());
    EXPECT_FALSE(window.session().tasks().check_report()) << "of a schedule that has gone";
}

TEST_F(FindingsWindow, NoTwoButtonsAreCalledCheck) {
    auto& window = open_gpu();
    ASSERT_TRUE(window.show_panel("findings"));
    ASSERT_TRUE(settle());
    int checks = 0;
    QAbstractButton* hazards = nullptr;
    for (auto* button : window.findChildren<QAbstractButton*>()) {
        checks += button->isVisible() && button->accessibleName() == "Check";
        if (button->isVisible() && button->accessibleName() == "Look for hazards")
            hazards = button;
    }
    EXPECT_EQ(checks, 1) << "the toolbar's";
    ASSERT_TRUE(hazards);
    hazards->click();
    ASSERT_TRUE(
        wait_until([&] { return window.session().tasks().check_report() != nullptr; }, 120));
}

TEST_F(FindingsWindow, AnotherDocumentHasNoReport) {
    auto& window = open_gpu({{"M", 64}, {"N", 64}, {"K", 32}});
    window.session().tasks().check();
    ASSERT_TRUE(
        wait_until([&] { return window.session().tasks().check_report() != nullptr; }, 120));
    EXPECT_FALSE(findings().summary().isEmpty());
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("copy.loop"))));
    EXPECT_TRUE(findings().summary().isEmpty()) << findings().summary().toStdString();
}

TEST_F(FindingsWindow, AFindingIsMarkedInTheTreeAndLeadsThere) {
    auto& window = open_gpu();
    views::CheckReport report;
    report.verdict = "The kernels are not sound";
    report.findings.push_back({"race",
                               {"As", 0, "@compute"},
                               {"CL", 0, "@compute"},
                               "As",
                               "thread 3 reads what thread 5 writes",
                               12});
    tree_view(window)->set_findings(views::finding_marks(report));
    auto shared = std::make_shared<views::CheckReport>(report);
    findings().set_report(shared);
    ASSERT_TRUE(window.show_panel("findings"));
    ASSERT_TRUE(settle());
    auto* list = findings().list();
    ASSERT_EQ(list->count(), 1);
    EXPECT_TRUE(list->item(0)->text().contains("race"));
    EXPECT_TRUE(list->item(0)->text().contains("12 times"));
    list->setCurrentRow(0);
    EXPECT_EQ(window.session().selection(), (NodeId{"As", 0, "@compute"}));
    const auto index = tree_view(window)->currentIndex();
    EXPECT_TRUE(index.data(Qt::ToolTipRole).toString().contains("thread 3 reads"));
    EXPECT_TRUE(index.data(views::ScheduleTreeModel::FindingRole).toString().contains("race"));
    keep_picture("gpu-findings");
}

} // namespace loopscope::app::test
