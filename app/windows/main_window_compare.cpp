// What is shown against the pinned baseline, and what the chosen device does not allow.

#include "app/windows/main_window.h"

#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "app/session/source_texts.h"
#include "app/session/worker_tasks.h"
#include "compiler/measure/requests.h"
#include "views/style/theme.h"
#include "views/widgets/compare_view.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"

#include <nlohmann/json.hpp>

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>

namespace loopscope::app {

using namespace views;

void MainWindow::wire_comparison() {
    connect(&session_->sources(), &session::SourceTexts::baselineReady, this,
            &MainWindow::show_baseline_source);
    connect(source_, &SourceView::baselineWanted, this, [this](const QString& tab) {
        if (!session_->baseline().tree())
            return;
        baseline_source_wanted_ = true;
        session_->sources().request_baseline(tab.toStdString());
    });
    connect(source_, &SourceView::saveRequested, this, [this] { save_source(); });
    connect(compare_, &CompareView::pinRequested, &session_->baseline(),
            &session::PinnedBaseline::pin);
    connect(compare_, &CompareView::unpinRequested, &session_->baseline(),
            &session::PinnedBaseline::clear);
    connect(compare_, &CompareView::baselineRequested, this,
            [this] { session_->go_to_revision(session_->baseline().revision()); });
    connect(compare_, &CompareView::nodeSelected, this,
            [this](const NodeId& id) { session_->select(id); });
    connect(compare_dock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        compare_visible_ = visible;
        show_comparison();
    });
}

void MainWindow::show_baseline() {
    const auto estimate = session_->baseline().estimate();
    const Baseline baseline{estimate, session_->baseline().tree()};
    baseline_source_wanted_ = false;
    estimate_->set_baseline(estimate);
    tree_->set_baseline(estimate);
    inspector_->set_baseline(baseline);
    source_->set_baseline_pinned(baseline.tree != nullptr);
    unpin_->setEnabled(baseline.tree != nullptr);
    show_measurements();
    show_comparison();
}

namespace {

// The newest median of a revision on a machine.
std::optional<double> newest_median(const session::Document& document, std::int64_t revision,
                                    const std::string& machine) {
    std::optional<double> newest;
    for (const auto& m : document.measurements()) {
        if (m.revision != revision || m.device != machine)
            continue;
        auto json = nlohmann::json::parse(m.json, nullptr, false);
        if (!json.is_object())
            continue; // a stranger's document may hold anything
        if (auto measured = measure::measurement_from_json(json))
            newest = measured->median_s;
    }
    return newest;
}

} // namespace

void MainWindow::show_comparison() {
    const auto before = session_->baseline().estimate(), now = session_->estimates().now();
    const auto* document = session_->document();
    if (!document || !session_->baseline().tree()) {
        compare_->set_comparison(nullptr);
        return;
    }
    if (!compare_visible_ || !before || !now)
        return; // made when the panel is seen
    auto made = std::make_shared<Comparison>();
    const auto* pinned = document->find(session_->baseline().revision());
    made->title =
        tr("Against “%1”%2")
            .arg(
                pinned ? to_qstring(pinned->name) : QString(),
                now->described
                    ? tr(", both estimated for %1, which is described").arg(to_qstring(now->device))
                    : QString());
    MeasuredPair measured;
    const auto machine = session_->host()->name;
    measured.before = newest_median(*document, session_->baseline().revision(), machine);
    measured.now = newest_median(*document, document->current().id, machine);
    if (session_->device()->is_host)
        made->numbers = compare_numbers(*before, *now, measured);
    else
        made->numbers = compare_numbers(*before, *now);
    made->script = compare_scripts(session_->baseline().script(), session_->script());
    made->tree = difference(*session_->baseline().tree(), *session_->tree());
    compare_->set_comparison(std::move(made));
}

void MainWindow::save_source() {
    if (!session_->is_open())
        return;
    const auto tab = source_->current();
    const auto ending = QString::fromLatin1(find_output_form(tab)->ending);
    save(tr("Source (*%1)").arg(ending), ending,
         [this, tab](const std::string& path) { return source_->save_to(tab, to_qstring(path)); });
}

// A machine that is only described can be estimated for, and nothing more.
void MainWindow::show_availability() {
    const auto device = session_->device();
    const bool here = device->is_host, open = session_->is_open(), busy = session_->tasks().busy();
    const auto reason =
        tr("%1 is described and is not this machine: choose this machine to measure")
            .arg(to_qstring(device->name));
    measure_->setEnabled(open && here && !busy);
    measure_->setToolTip(
        here && busy
            ? tr("The worker is busy: %1; Esc cancels it").arg(session_->tasks().busy_text())
        : here ? tr("Compiles the schedule and times it in a worker process (Space)")
               : reason);
    measurements_->set_unavailable(!here  ? reason
                                   : busy ? tr("The worker is busy with something; Esc cancels it")
                                          : QString());
    if (!busy) {
        worker_state_->setText(
            open && !here
                ? tr("%1 is described: measuring needs this machine").arg(to_qstring(device->name))
                : tr("worker ready"));
        worker_state_->setToolTip({});
    }
    tree_note_->setText(
        here || !open ? QString()
                      : tr("≈ times estimated for %1, described").arg(to_qstring(device->name)));
}

} // namespace loopscope::app
