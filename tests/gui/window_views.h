#pragma once
// The views of a window, for tests that look into them. Null: it has none yet.

#include "app/windows/main_window.h"

namespace loopscope::views {
class BanksView;
class CompareView;
class EstimateView;
class HelpView;
class HistoryView;
class InspectorView;
class LinkList;
class MeasurementsView;
class PipelineGraphView;
class RooflineView;
class ScheduleTreeView;
class ScriptEditor;
class SourceView;
class StartPage;
class TimelineView;
} // namespace loopscope::views

namespace loopscope::app {
class ComparisonWindow;
class NoticeBar;
} // namespace loopscope::app

namespace loopscope::app::test {

views::BanksView* banks_view(const MainWindow& window);
views::CompareView* compare_view(const MainWindow& window);
views::EstimateView* estimate_view(const MainWindow& window);
views::HelpView* help_view(const MainWindow& window);
views::HistoryView* history_view(const MainWindow& window);
views::InspectorView* inspector_view(const MainWindow& window);
views::MeasurementsView* measurements_view(const MainWindow& window);
views::PipelineGraphView* graph_view(const MainWindow& window);
views::RooflineView* roofline_view(const MainWindow& window);
views::ScheduleTreeView* tree_view(const MainWindow& window);
views::ScriptEditor* script_editor(const MainWindow& window);
views::SourceView* source_view(const MainWindow& window);
views::StartPage* start_page(const MainWindow& window);
views::LinkList* start_programs(const MainWindow& window);
views::LinkList* start_recent(const MainWindow& window);
views::TimelineView* timeline_view(const MainWindow& window);
NoticeBar* notice(const MainWindow& window);
ComparisonWindow* comparison_window(const MainWindow& window);
// Of a list's rows the first with that text; -1: none has it.
int row_of(const views::LinkList& list, const QString& text);
QString all_text(const QWidget& in); // of its labels that are shown, a line each

} // namespace loopscope::app::test
