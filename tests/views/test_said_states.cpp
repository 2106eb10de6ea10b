// What a screen reader says of views: what they show, and not a fixed text.
#include "tests/views/fixtures.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/source_view.h"

#include <gtest/gtest.h>

namespace loopscope::views::test {
namespace test_said_states {

std::string said(const QWidget& view) { return view.accessibleDescription().toStdString(); }

bool starts(const QWidget& view, const char* with) {
    return view.accessibleDescription().startsWith(QString::fromUtf8(with));
}

TEST(SaidStates, TheGraphSaysWhatItIsOfAndWhatIsSelected) {
    PipelineGraphView view;
    view.set_tree(default_tree("blur"));
    EXPECT_TRUE(starts(view, "Graph of blur, 2 stages, none selected")) << said(view);
    view.set_selected({"blur_x", 0, "x"});
    EXPECT_TRUE(starts(view, "Graph of blur, 2 stages, blur_x selected")) << said(view);
    view.set_tree(default_tree("harris"));
    EXPECT_TRUE(starts(view, "Graph of harris, ")) << said(view);
}

TEST(SaidStates, TheTreeSaysWhatIsSelected) {
    ScheduleTreeView view;
    view.set_tree(default_tree("blur"));
    EXPECT_TRUE(starts(view, "Schedule of blur, ")) << said(view);
    EXPECT_TRUE(view.accessibleDescription().endsWith("nothing selected")) << said(view);
    view.set_selected({"out", 0, "y"});
    EXPECT_TRUE(view.accessibleDescription().contains("out")) << said(view);
    EXPECT_FALSE(view.accessibleDescription().contains("nothing")) << said(view);
}

TEST(SaidStates, TheEstimateSaysItsTime) {
    const auto estimate = estimate_of(default_tree("blur"));
    ASSERT_TRUE(estimate->seconds);
    EstimateView view;
    view.set_estimate(estimate);
    EXPECT_TRUE(view.accessibleDescription().contains(format_seconds(*estimate->seconds)))
        << said(view);
}

TEST(SaidStates, TheRooflineSaysHowManyPoints) {
    RooflineView view;
    const auto ceilings = model::roofline_ceilings(*described_device(), 2);
    view.set_ceilings(ceilings);
    view.set_estimate(estimate_of(default_tree("blur")));
    EXPECT_TRUE(view.accessibleDescription().endsWith(
        QStringLiteral("under %1 ceilings").arg(ceilings.size())))
        << said(view);
}

TEST(SaidStates, ListsSayHowMuchThereIs) {
    HistoryView history;
    history.set_rows({{1, 0, "default", "", ""}}, 1);
    EXPECT_EQ(said(history), "1 schedule, now default");
    history.set_rows({{1, 0, "default", "", ""}, {2, 1, "split", "", ""}}, 2);
    EXPECT_EQ(said(history), "2 schedules, now split");
    history.set_rows({{1, 0, "default", "", ""}, {2, 1, "tiled", "", ""}}, 2);
    EXPECT_EQ(said(history), "2 schedules, now tiled");
    MeasurementsView measurements;
    measurements.set_rows(std::make_shared<const std::vector<MeasurementRow>>(1));
    EXPECT_EQ(said(measurements), "1 measurement");
    measurements.set_rows(std::make_shared<const std::vector<MeasurementRow>>(3));
    EXPECT_EQ(said(measurements), "3 measurements");
}

TEST(SaidStates, TheSourceSaysWhichAndHowLong) {
    SourceView view;
    view.set_current("loops");
    EXPECT_TRUE(view.accessibleDescription().endsWith("not there yet")) << said(view);
    view.set_source("loops", {"for y\n  for x\n    out", {}});
    EXPECT_TRUE(view.accessibleDescription().endsWith(", 3 lines")) << said(view);
}

} // namespace test_said_states
} // namespace loopscope::views::test
