#include "tests/gui/window_views.h"

#include "app/windows/comparison_window.h"
#include "app/windows/notice_bar.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/compare_view.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/help_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/link_list.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"
#include "views/widgets/timeline_view.h"

#include <QDockWidget>
#include <QLabel>

namespace loopscope::app::test {

namespace {

views::LinkList* start_list(const MainWindow& window, const QString& name) {
    for (auto* list : start_page(window)->findChildren<views::LinkList*>())
        if (list->accessibleName() == name)
            return list;
    return nullptr;
}

} // namespace

views::BanksView* banks_view(const MainWindow& window) {
    return window.findChild<views::BanksView*>();
}
views::CompareView* compare_view(const MainWindow& window) {
    return window.findChild<views::CompareView*>();
}
views::EstimateView* estimate_view(const MainWindow& window) {
    return window.findChild<views::EstimateView*>();
}
views::HelpView* help_view(const MainWindow& window) {
    return window.findChild<views::HelpView*>();
}
views::HistoryView* history_view(const MainWindow& window) {
    return window.findChild<views::HistoryView*>();
}
views::InspectorView* inspector_view(const MainWindow& window) {
    return window.findChild<views::InspectorView*>();
}
views::MeasurementsView* measurements_view(const MainWindow& window) {
    return window.findChild<views::MeasurementsView*>();
}
views::PipelineGraphView* graph_view(const MainWindow& window) {
    return window.findChild<views::PipelineGraphView*>();
}
views::RooflineView* roofline_view(const MainWindow& window) {
    return window.findChild<views::RooflineView*>();
}
views::ScheduleTreeView* tree_view(const MainWindow& window) {
    return window.findChild<views::ScheduleTreeView*>();
}
views::ScriptEditor* script_editor(const MainWindow& window) {
    return window.findChild<QDockWidget*>("script")->findChild<views::ScriptEditor*>();
}
views::SourceView* source_view(const MainWindow& window) {
    return window.findChild<views::SourceView*>();
}
views::StartPage* start_page(const MainWindow& window) {
    return window.findChild<views::StartPage*>();
}
views::LinkList* start_programs(const MainWindow& window) {
    return start_list(window, QStringLiteral("Programs to explore"));
}
views::LinkList* start_recent(const MainWindow& window) {
    return start_list(window, QStringLiteral("Recent files"));
}
views::TimelineView* timeline_view(const MainWindow& window) {
    return window.findChild<views::TimelineView*>();
}
NoticeBar* notice(const MainWindow& window) { return window.findChild<NoticeBar*>(); }
ComparisonWindow* comparison_window(const MainWindow& window) {
    return window.findChild<ComparisonWindow*>();
}

int row_of(const views::LinkList& list, const QString& text) {
    for (int row = 0; row < list.count(); ++row)
        if (list.item(row)->text() == text)
            return row;
    return -1;
}

QString all_text(const QWidget& in) {
    QString text;
    for (auto* label : in.findChildren<QLabel*>())
        if (label->isVisibleTo(&in))
            text += label->text() + '\n';
    return text;
}

} // namespace loopscope::app::test
