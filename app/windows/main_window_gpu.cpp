// The panels that only schedules of a GPU have something in.

#include "app/windows/main_window.h"

#include "app/session/estimates.h"
#include "app/session/worker_tasks.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/findings_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/timeline_view.h"

#include <QAction>
#include <QDockWidget>
#include <QTimer>

namespace loopscope::app {

using namespace views;

void MainWindow::make_gpu_panels() {
    timeline_dock_ =
        dock(tr("Timeline"), "timeline", timeline_ = new TimelineView, Qt::BottomDockWidgetArea);
    banks_dock_ = dock(tr("Shared memory"), "banks", banks_ = new BanksView,
                       Qt::BottomDockWidgetArea, tr("Banks"));
    findings_dock_ =
        dock(tr("Findings"), "findings", findings_ = new FindingsView, Qt::BottomDockWidgetArea);
}

std::vector<QDockWidget*> MainWindow::gpu_docks() const {
    return {timeline_dock_, banks_dock_, findings_dock_};
}

void MainWindow::wire_gpu() {
    auto select = [this](const NodeId& id) { session_->select(id); };
    connect(timeline_, &TimelineView::nodeSelected, this, select);
    connect(timeline_, &TimelineView::editsRequested, this,
            [this](const std::vector<DirectiveEdit>& edits) { apply_all(edits); });
    connect(timeline_, &TimelineView::exportRequested, this, [this] {
        save(tr("Picture (*.png *.svg *.pdf)"), ".png",
             [this](const std::string& path) { return timeline_->export_to(to_qstring(path)); });
    });
    timeline_->set_preview(
        [this](const std::vector<DirectiveEdit>& edits,
               std::function<void(const Preview&)> answer) { forecast(edits, std::move(answer)); });
    connect(findings_, &FindingsView::nodeSelected, this, select);
    connect(findings_, &FindingsView::checkRequested, check_, &QAction::trigger);
    connect(&session_->tasks(), &session::WorkerTasks::checkReportChanged, this,
            &MainWindow::show_findings);
    connect(&session_->tasks(), &session::WorkerTasks::busyChanged, findings_,
            [this] { findings_->set_running(session_->tasks().checking()); });
    connect(banks_, &BanksView::nodeSelected, this, select);
    connect(banks_, &BanksView::editRequested, this,
            [this](const DirectiveEdit& edit) { apply(edit); });
    connect(banks_, &BanksView::exportRequested, this, [this] {
        save(tr("Picture (*.png *.svg *.pdf)"), ".png",
             [this](const std::string& path) { return banks_->export_to(to_qstring(path)); });
    });
    connect(&session_->estimates(), &session::Estimates::sharedUseReady, this,
            [this](const session::SharedUsePtr& use) {
                banks_waiting_ = false;
                banks_->set_snapshot(use, session_->schedule_snapshot(), session_->device());
                banks_->set_selected(session_->selection());
            });
    for (auto* each : gpu_docks())
        connect(each, &QDockWidget::visibilityChanged, this, [this](bool visible) {
            if (visible)
                show_gpu();
        });
}

// What nobody sees is made when it is seen; what is to come with the estimate waits for it.
void MainWindow::show_gpu() {
    if (session_->is_open() && !session_->estimates().current())
        return;
    if (timeline_->isVisible()) {
        timeline_->set_snapshot(session_->tree(), session_->estimates().now(),
                                session_->schedule_snapshot(), session_->device());
        timeline_->set_selected(session_->selection());
    }
    if (banks_->isVisible() && session_->is_open()) {
        banks_waiting_ = true;
        session_->estimates().request_shared_use();
    }
}

void MainWindow::show_findings() {
    const auto report = session_->tasks().check_report();
    findings_->set_report(report);
    tree_->set_findings(report ? finding_marks(*report) : std::map<NodeId, QString>{});
    if (report && !report->findings.empty())
        show_panel(QStringLiteral("findings"));
}

// They come with a GPU and go with it.
void MainWindow::show_gpu_docks() {
    const bool gpu = session_->is_open() && session_->device()->gpu;
    if (gpu == gpu_docks_shown_ || arrangement_ == Arrangement::None)
        return;
    gpu_docks_shown_ = gpu;
    for (auto* each : gpu_docks())
        each->setVisible(gpu);
    raise_front();
    titles_->start(0);
}

// As one step: what has changed meanwhile is for the person to look at first.
void MainWindow::apply_all(const std::vector<DirectiveEdit>& edits) {
    script_->flush();
    const QString line = edits.empty() ? QString() : edits.front().line;
    if (auto status = session_->apply_edits(edits); !status)
        refused(line, status.errors());
}

} // namespace loopscope::app
