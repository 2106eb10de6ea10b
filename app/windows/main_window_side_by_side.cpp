// Two schedules side by side, in a window of their own: opened from the history, the comparison panel, the menu or by key.

#include "app/windows/main_window.h"

#include "app/session/pinned_baseline.h"
#include "app/windows/comparison_window.h"
#include "views/widgets/compare_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/schedules_view.h"
#include "views/widgets/script_editor.h"

#include <QFileDialog>
#include <QSettings>

namespace loopscope::app {

using namespace views;

namespace {

constexpr auto kGeometry = "comparison/geometry";

ComparedSide revision_side(qint64 revision) { return {ComparedSide::Kind::Revision, revision, {}}; }

} // namespace

void MainWindow::wire_side_by_side() {
    connect(history_, &HistoryView::comparisonRequested, this, [this](qint64 left, qint64 right) {
        compare_side_by_side(revision_side(left),
                             right == 0 ? ComparedSide{} : revision_side(right));
    });
    connect(history_, &HistoryView::baselineComparisonRequested, this, [this](qint64 revision) {
        compare_side_by_side({ComparedSide::Kind::Baseline, 0, {}}, revision_side(revision));
    });
    connect(history_, &HistoryView::fileComparisonRequested, this, [this](qint64 revision) {
        if (const auto path = ask_for_schedule(); !path.isEmpty())
            compare_side_by_side({ComparedSide::Kind::File, 0, path}, revision_side(revision));
    });
    connect(compare_, &CompareView::sideBySideRequested, this,
            [this] { compare_side_by_side({ComparedSide::Kind::Baseline, 0, {}}, {}); });
    connect(&session_->baseline(), &session::PinnedBaseline::changed, history_,
            [this] { history_->set_baseline(session_->baseline().revision()); });
}

// Two rows that are selected in the history; else the baseline, or the schedule before, and the one of now.
void MainWindow::compare_two() {
    if (!session_->is_open())
        return;
    script_->flush();
    if (const auto selected = history_->selected(); selected.size() == 2) {
        compare_side_by_side(revision_side(selected[0]), revision_side(selected[1]));
        return;
    }
    const auto& now = session_->document()->current();
    const auto baseline = session_->baseline().revision();
    if (baseline != 0 && baseline != now.id)
        compare_side_by_side({ComparedSide::Kind::Baseline, 0, {}}, {});
    else
        compare_side_by_side(revision_side(now.parent != 0 ? now.parent : now.id), {});
}

void MainWindow::compare_side_by_side(const ComparedSide& left, const ComparedSide& right) {
    if (!session_->is_open())
        return;
    if (!comparison_) {
        comparison_ = new ComparisonWindow(*session_, this);
        if (settings_ == Settings::Keep) {
            comparison_->restoreGeometry(QSettings().value(kGeometry).toByteArray());
            connect(comparison_, &QDialog::finished, this,
                    [this] { QSettings().setValue(kGeometry, comparison_->saveGeometry()); });
        }
        connect(comparison_, &ComparisonWindow::currentWanted, this, &MainWindow::make_current);
        connect(comparison_, &ComparisonWindow::fileWanted, this, [this](bool of_left) {
            const auto path = ask_for_schedule();
            if (path.isEmpty())
                return;
            const ComparedSide file{ComparedSide::Kind::File, 0, path};
            comparison_->compare(of_left ? file : comparison_->left(),
                                 of_left ? comparison_->right() : file);
        });
        connect(comparison_, &ComparisonWindow::saveWanted, this, [this] {
            save(tr("Markdown (*.md);;Text (*.txt)"), ".md",
                 [this](const std::string& path) { return comparison_->save(to_qstring(path)); });
        });
        connect(comparison_->view(), &SchedulesView::nodeSelected, this, [this](const NodeId& id) {
            if (session_->tree() && session_->tree()->find(id))
                session_->select(id);
        });
    }
    comparison_->compare(left, right);
    comparison_->show();
    comparison_->raise();
    comparison_->activateWindow();
}

// A revision is gone to, a file is opened as one: both are steps of the history, so that nothing is lost.
void MainWindow::make_current(const ComparedSide& side) {
    switch (side.kind) {
    case ComparedSide::Kind::Present: return;
    case ComparedSide::Kind::Baseline:
        session_->go_to_revision(session_->baseline().revision());
        return;
    case ComparedSide::Kind::Revision: session_->go_to_revision(side.revision); return;
    case ComparedSide::Kind::File: open_path(side.path); return;
    }
}

QString MainWindow::ask_for_schedule() {
    const auto path = QFileDialog::getOpenFileName(this, tr("Compare with"), folder(),
                                                   tr("Schedules (*.sched);;All files (*)"));
    if (!path.isEmpty())
        set_folder(path);
    return path;
}

} // namespace loopscope::app
