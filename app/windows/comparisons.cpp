#include "app/windows/comparisons.h"

#include "app/session/expert_schedule.h"
#include "app/session/pinned_baseline.h"
#include "app/windows/documents.h"
#include "app/windows/editing.h"
#include "app/windows/file_dialogs.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/schedules_view.h"

namespace loopscope::app {

using namespace views;

namespace {
const QString kWindowPlace = QStringLiteral("comparison/geometry");
}

Comparisons::Comparisons(session::Session& session, Editing& editing, FileDialogs& files,
                         Documents& documents, const PersonSettings& settings, QWidget& window)
    : session_(session),
      editing_(editing),
      files_(files),
      documents_(documents),
      settings_(settings),
      parent_(window) {}

void Comparisons::compare_two() {
    if (!session_.is_open())
        return;
    editing_.flush();
    if (const auto chosen = chosen_ ? chosen_() : std::vector<qint64>(); chosen.size() == 2) {
        compare(ComparedSide::of(chosen[0]), ComparedSide::of(chosen[1]));
        return;
    }
    const auto& now = session_.document()->current();
    const auto baseline = session_.baseline().revision();
    if (baseline != 0 && baseline != now.id)
        compare(ComparedSide::baseline(), {});
    else
        compare(ComparedSide::of(now.parent != 0 ? now.parent : now.id), {});
}

void Comparisons::compare_with_file(const ComparedSide& right) {
    if (const auto file = ask_for_file())
        compare(*file, right);
}

void Comparisons::compare_with_expert() {
    editing_.flush();
    if (const auto* expert = session_.expert().now())
        compare(ComparedSide::file(to_qstring(expert->file)), ComparedSide{});
}

void Comparisons::compare(const ComparedSide& left, const ComparedSide& right) {
    if (!session_.is_open())
        return;
    if (!window_)
        make_window();
    window_->compare(left, right);
    window_->show();
    window_->raise();
    window_->activateWindow();
}

void Comparisons::make_window() {
    window_ = new ComparisonWindow(session_, &parent_);
    window_->restoreGeometry(settings_.value(kWindowPlace).toByteArray());
    connect(window_, &QDialog::finished, this,
            [this] { settings_.set(kWindowPlace, window_->saveGeometry()); });
    connect(window_, &ComparisonWindow::currentWanted, this, &Comparisons::make_current);
    connect(window_, &ComparisonWindow::fileWanted, this, [this](bool of_left) {
        if (const auto file = ask_for_file())
            window_->compare(of_left ? *file : window_->left(), of_left ? window_->right() : *file);
    });
    connect(window_, &ComparisonWindow::saveWanted, this, [this] {
        files_.save(tr("Markdown (*.md);;Text (*.txt)"), ".md",
                    [this](const std::string& path) { return window_->save(to_qstring(path)); });
    });
    for (auto* rows : window_->view()->findChildren<RowCopying*>())
        connect(rows, &RowCopying::saveRequested, this, [this, rows] { files_.save_rows(*rows); });
    connect(window_->view(), &SchedulesView::nodeSelected, this, [this](const NodeId& id) {
        if (session_.tree() && session_.tree()->find(id))
            session_.select(id);
    });
}

// A revision is gone to, a file is opened as one: both are steps of the history, so that nothing is
// lost.
void Comparisons::make_current(const ComparedSide& side) {
    switch (side.kind) {
    case ComparedSide::Kind::Present: return;
    case ComparedSide::Kind::Baseline:
        session_.go_to_revision(session_.baseline().revision());
        return;
    case ComparedSide::Kind::Revision: session_.go_to_revision(side.revision); return;
    case ComparedSide::Kind::File:
        // The expert's file may name another device than the person's.
        if (const auto* expert = session_.expert().now();
            expert && to_qstring(expert->file) == side.path)
            editing_.take_expert();
        else
            documents_.open(side.path);
        return;
    }
}

std::optional<ComparedSide> Comparisons::ask_for_file() {
    const auto path =
        files_.ask_to_open(tr("Compare with"), tr("Schedules (*.sched);;All files (*)"));
    return path.isEmpty() ? std::nullopt : std::optional(ComparedSide::file(path));
}

} // namespace loopscope::app
