// Session -> views, views -> session.

#include "app/windows/main_window.h"

#include "compiler/measure/host_device.h"
#include "compiler/measure/requests.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QProgressBar>
#include <QSettings>
#include <QStackedWidget>
#include <QUndoStack>

#include <cmath>

namespace loopscope::app {

using namespace views;

void MainWindow::wire_session() {
    auto& s = *session_;
    connect(&s, &session::Session::opened, this, &MainWindow::show_document);
    connect(&s, &session::Session::treeChanged, this, &MainWindow::show_tree);
    connect(&s, &session::Session::draftChanged, this, [this] {
        script_->set_diagnostics(session_->diagnostics());
        bool legal = session_->diagnostics().empty();
        legality_->setText(!session_->is_open() ? QString()
                           : legal              ? tr("✓ legal")
                                                : tr("✗ the script has errors; the last legal schedule stands"));
    });
    connect(&s, &session::Session::estimateChanged, this, &MainWindow::show_estimate);
    connect(&s, &session::Session::baselineChanged, this, [this] { estimate_->set_baseline(session_->baseline()); });
    connect(&s, &session::Session::deviceChanged, this, [this] {
        fill_devices();
        estimate_->set_device(session_->device());
        roofline_->set_ceilings(model::roofline_ceilings(*session_->device(), session_->device()->cores));
    });
    connect(&s, &session::Session::selectionChanged, this, &MainWindow::show_selection);
    connect(&s, &session::Session::measurementsChanged, this, &MainWindow::show_measurements);
    connect(&s, &session::Session::busyChanged, this, &MainWindow::show_busy);
    connect(&s, &session::Session::progress, this, [this](const QString& text, double fraction) {
        if (session_->busy())
            worker_state_->setText(text);
        progress_->setRange(0, fraction < 0 ? 0 : 1000);
        if (fraction >= 0)
            progress_->setValue(static_cast<int>(fraction * 1000));
    });
    connect(&s, &session::Session::message, this, &MainWindow::say);
    connect(&s, &session::Session::sourceReady, this, [this](const session::SourceAnswer& answer) {
        auto tab = answer.what == "loops" ? SourceView::Loops : SourceView::LlvmIr;
        source_shown_[tab] = true;
        if (answer.failure.empty())
            source_->set_source(tab, {to_qstring(answer.text), answer.lines});
        else
            source_->set_message(tab, tr("There is no source."), to_qstring(answer.failure));
        source_->set_selected(session_->selection());
    });
}

void MainWindow::wire_views() {
    auto select = [this](const NodeId& id) { session_->select(id); };
    connect(graph_, &PipelineGraphView::nodeSelected, this, select);
    connect(tree_, &ScheduleTreeView::nodeSelected, this, select);
    connect(inspector_, &InspectorView::nodeSelected, this, select);
    connect(estimate_, &EstimateView::nodeSelected, this, select);
    connect(roofline_, &RooflineView::nodeSelected, this, select);
    connect(source_, &SourceView::nodeSelected, this, select);
    connect(tree_, &ScheduleTreeView::directiveRequested, this, &MainWindow::apply);
    connect(tree_, &ScheduleTreeView::directiveRefused, this,
            [this](const QString& line, const QString& reason) { say(line.isEmpty() ? reason : tr("%1 is refused: %2").arg(line, reason), true); });
    connect(inspector_, &InspectorView::directiveRequested, this, &MainWindow::apply);
    connect(estimate_, &EstimateView::directiveRequested, this, &MainWindow::apply);
    connect(estimate_, &EstimateView::pinRequested, session_, &session::Session::pin_baseline);
    connect(estimate_, &EstimateView::unpinRequested, session_, &session::Session::clear_baseline);
    connect(script_, &ScriptEditor::textEdited, session_, &session::Session::edit_script);
    connect(script_, &ScriptEditor::undoRequested, session_->undo_stack(), &QUndoStack::undo);
    connect(script_, &ScriptEditor::redoRequested, session_->undo_stack(), &QUndoStack::redo);
    connect(script_, &ScriptEditor::lineSelected, this, [this](int line) {
        for (const auto& d : session_->schedule().directives)
            if (d->where.file && d->where.file->position(d->where.begin).line == line && session_->tree())
                if (const auto* node = session_->tree()->find({d->receiver.stage, -1, "@stage"}))
                    session_->select(node->id);
    });
    connect(source_, &SourceView::tabShown, this, [this](int) { request_source(); });
    connect(source_dock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible)
            request_source();
    });
    connect(measurements_, &MeasurementsView::revisionActivated, session_, &session::Session::go_to_revision);
    connect(measurements_, &MeasurementsView::measureRequested, this, [this] { session_->measure(); });
    connect(measurements_, &MeasurementsView::exportRequested, this, [this] {
        save_dialog("Table (*.csv)", ".csv", [this](const std::string& path) { return measurements_->export_csv(to_qstring(path)); });
    });
    connect(roofline_, &RooflineView::exportRequested, this, [this] {
        save_dialog("Picture (*.png *.svg *.pdf)", ".png", [this](const std::string& path) { return roofline_->export_to(to_qstring(path)); });
    });
    connect(history_, &HistoryView::revisionActivated, session_, &session::Session::go_to_revision);
    connect(history_, &HistoryView::renamed, this, [this](qint64 revision, const QString& name) {
        if (auto status = session_->rename_revision(revision, name.toStdString()); !status)
            refused({}, status.errors());
    });
    connect(inspector_, &InspectorView::titleChanged, this,
            [this](const QString& title) { inspector_dock_->setWindowTitle(title.isEmpty() ? tr("Inspector") : tr("Inspector · %1").arg(title)); });
    connect(start_, &StartPage::openRequested, this, [this](const QString& path) { open_path(path); });
    connect(start_, &StartPage::openFileRequested, this, &MainWindow::open_dialog);

    auto why = [this](const QString& line) { return session_->why_refused(line); };
    tree_->set_refusal_reason(why);
    inspector_->set_refusal_reason(why);
    inspector_->set_preview_request([this](const QString& line, std::function<void(const Preview&)> answer) {
        auto before = session_->estimate();
        auto after = session_->estimate_with(line);
        if (!before || !before->seconds || !after || !after->seconds) {
            answer({after && !after->reason.empty() ? to_qstring(after->reason) : tr("no estimate"), 0});
            return;
        }
        double change = *after->seconds / *before->seconds - 1;
        int sign = change < -0.005 ? -1 : change > 0.005 ? 1 : 0;
        answer({sign == 0 ? tr("no change") : tr("%1 %2 %").arg(sign < 0 ? QStringLiteral("▾") : QStringLiteral("▴")).arg(std::abs(change) * 100, 0, 'f', std::abs(change) < 0.1 ? 1 : 0), sign});
    });
}

void MainWindow::show_document() {
    bool open = session_->is_open();
    for (auto* action : {save_, save_as_, save_schedule_, save_pipeline_, close_, check_, measure_, pin_, remove_})
        action->setEnabled(open);
    setWindowTitle(open ? session_->title() + QStringLiteral(" — Loopscope") : QStringLiteral("Loopscope"));
    document_name_->setText(open ? QStringLiteral("<b>Loopscope</b>&nbsp;&nbsp;%1%2").arg(session_->title().toHtmlEscaped(), session_->untitled() ? tr(" · not saved under a name") : QString())
                                 : QStringLiteral("<b>Loopscope</b>"));
    for (auto* dock : docks_)
        dock->setVisible(open);
    centre_->setCurrentWidget(open ? static_cast<QWidget*>(tree_) : start_);
    legality_->setText(open ? tr("✓ legal") : QString());
    cancel_->setEnabled(session_->busy());
    if (!open) {
        fill_start_page();
        return;
    }
    if (!arranged_)
        arrange(width() < 1400 || height() < 820);
    show_tree();
    show_measurements();
    show_selection();
    if (session_->device()) {
        estimate_->set_device(session_->device());
        roofline_->set_ceilings(model::roofline_ceilings(*session_->device(), session_->device()->cores));
        if (session_->device()->is_host && !measure::has_figures(*session_->device()))
            session_->probe_host();
    }
}

void MainWindow::show_tree() {
    auto tree = session_->tree();
    graph_->set_tree(tree);
    tree_->set_tree(tree);
    inspector_->set_snapshot(tree, session_->estimate_current() ? session_->estimate() : nullptr);
    estimate_->set_tree(tree);
    roofline_->set_tree(tree);
    if (script_->text().toStdString() != session_->script())
        script_->set_text(to_qstring(session_->script()));
    estimate_->set_busy(true);
    source_shown_[0] = source_shown_[1] = false;
    request_source();
    show_selection();
    show_history();
}

void MainWindow::show_estimate() {
    auto estimate = session_->estimate();
    graph_->set_estimate(estimate);
    tree_->set_estimate(estimate);
    inspector_->set_snapshot(session_->tree(), estimate);
    estimate_->set_estimate(estimate);
    estimate_->set_busy(false);
    roofline_->set_estimate(estimate);
}

void MainWindow::show_selection() {
    const auto& id = session_->selection();
    graph_->set_selected(id);
    tree_->set_selected(id);
    inspector_->set_selected(id);
    estimate_->set_selected(id);
    roofline_->set_selected(id);
    source_->set_selected(id);
    script_->set_highlighted_lines(session::lines_about(session_->schedule(), id));
}

void MainWindow::request_source() {
    auto tab = source_->current();
    if (!session_->is_open() || source_shown_[tab])
        return;
    session_->request_source(tab == SourceView::Loops ? "loops" : "llvm");
}

namespace {

// One row from what the worker answered; a document from a stranger may hold anything here.
std::optional<MeasurementRow> row_of(const session::Measurement& m) {
    auto json = nlohmann::json::parse(m.json, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    MeasurementRow row;
    row.id = m.id;
    row.revision = m.revision;
    row.when = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(m.time * 1000));
    auto measured = measure::measurement_from_json(json);
    if (!measured)
        return std::nullopt;
    row.device = to_qstring(measured->device);
    row.median_seconds = measured->median_s;
    row.min_seconds = measured->min_s;
    if (measured->ci95_s)
        row.interval_seconds = (measured->ci95_s->second - measured->ci95_s->first) / 2;
    row.samples = measured->samples;
    row.threads = measured->threads;
    row.flops_per_second = measured->gflops.value_or(0) * 1e9;
    row.bytes_per_second = measured->gbytes_per_s.value_or(0) * 1e9;
    if (auto predicted = json.find("predicted_s"); predicted != json.end() && predicted->is_number())
        row.predicted_seconds = predicted->get<double>();
    return row;
}

} // namespace

void MainWindow::show_measurements() {
    auto rows = std::make_shared<std::vector<MeasurementRow>>();
    std::optional<MeasuredTime> latest;
    const auto* document = session_->document();
    if (document)
        for (const auto& m : document->measurements()) {
            auto row = row_of(m);
            if (!row)
                continue;
            const auto* revision = document->find(m.revision);
            row->schedule = revision ? to_qstring(revision->name) : QString();
            row->stale = m.key != session_->measurement_key_now();
            if (!row->stale)
                latest = MeasuredTime{row->median_seconds, row->interval_seconds, false};
            rows->push_back(std::move(*row));
        }
    // Without one of this schedule the last one is shown, marked as of an earlier schedule.
    if (!latest && !rows->empty())
        latest = MeasuredTime{rows->back().median_seconds, rows->back().interval_seconds, true};
    measurements_->set_rows(rows);
    measurements_dock_->setWindowTitle(rows->empty() ? tr("Measurements") : tr("Measurements %1").arg(rows->size()));
    estimate_->set_measured(latest);
    roofline_->set_measured(latest && !latest->stale ? std::optional<double>(latest->median_seconds) : std::nullopt);
    show_history();
}

void MainWindow::show_history() {
    const auto* document = session_->document();
    if (!document)
        return;
    std::map<std::int64_t, double> best;
    for (const auto& m : document->measurements())
        if (auto row = row_of(m)) {
            auto [it, fresh] = best.emplace(m.revision, row->median_seconds);
            if (!fresh)
                it->second = std::min(it->second, row->median_seconds);
        }
    std::vector<HistoryRow> rows;
    for (const auto& r : document->revisions()) {
        auto measured = best.find(r.id);
        rows.push_back({r.id, r.parent, to_qstring(r.name), measured == best.end() ? QString() : format_seconds(measured->second)});
    }
    history_->set_rows(rows, document->current().id);
}

void MainWindow::show_busy() {
    bool busy = session_->busy();
    worker_state_->setText(busy ? session_->busy_text() : tr("worker ready"));
    progress_->setVisible(busy);
    progress_->setRange(0, 0);
    cancel_->setEnabled(busy);
    measure_->setEnabled(session_->is_open() && !busy);
    check_->setEnabled(session_->is_open() && !busy);
}

} // namespace loopscope::app
