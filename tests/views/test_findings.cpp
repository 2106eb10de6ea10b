// What a check found, as a list that leads to each place.

#include "tests/views/fixtures.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/findings_view.h"

#include <gtest/gtest.h>

#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>

namespace loopscope::views::test {

namespace test_findings {

CheckReportPtr report_with(std::vector<Finding> findings) {
    CheckReport report;
    report.right = findings.empty();
    report.verdict = report.right ? "Right" : "Not sound";
    report.at = "M = 67";
    report.launches << "C: 4 blocks of 256 threads";
    report.findings = std::move(findings);
    return std::make_shared<const CheckReport>(std::move(report));
}

const Finding kRace = {"race", {"As", 0, "@compute"}, {"C", 0, "@compute"},
                       "As",   "two threads",         12};

TEST(FindingsView, SaysWhatWillBeThereAndAsksForTheCheck) {
    FindingsView view;
    view.resize(480, 240);
    view.show();
    settle();
    auto* empty = view.findChild<EmptyState*>();
    EXPECT_TRUE(empty->isVisible());
    QSignalSpy wanted(&view, &FindingsView::checkRequested);
    auto* button = empty->findChild<QPushButton*>();
    EXPECT_EQ(button->text(), "Look for hazards") << "Check is the window's, and another thing";
    EXPECT_TRUE(button->toolTip().contains("interpreter"));
    button->click();
    EXPECT_EQ(wanted.count(), 1);
    view.set_running(true);
    EXPECT_TRUE(button->isHidden()) << "it is being checked already";
}

TEST(FindingsView, ShowsTheVerdictAndGoesBackWhenTheScheduleChanges) {
    FindingsView view;
    view.resize(480, 240);
    view.show();
    view.set_report(report_with({}));
    settle();
    EXPECT_FALSE(view.findChild<EmptyState*>()->isVisible());
    EXPECT_TRUE(view.summary().contains("M = 67"));
    EXPECT_FALSE(view.list()->isVisible()) << "nothing was found";
    view.set_report(nullptr);
    settle();
    EXPECT_TRUE(view.findChild<EmptyState*>()->isVisible());
    EXPECT_TRUE(view.summary().isEmpty());
}

TEST(FindingsView, AFindingLeadsToItsPlaceInBothThemes) {
    for (bool dark : {false, true}) {
        use_theme(dark);
        FindingsView view;
        view.set_report(report_with({kRace}));
        EXPECT_GT(inked(picture(view, {480, 240}, "findings")), 0.01);
        view.list()->setCurrentRow(-1); // the keyboard had found the first one
        QSignalSpy selected(&view, &FindingsView::nodeSelected);
        view.list()->setCurrentRow(0);
        ASSERT_EQ(selected.count(), 1);
        EXPECT_EQ(selected.front().front().value<NodeId>(), kRace.node);
    }
    use_theme(false);
}

} // namespace test_findings
} // namespace loopscope::views::test
