// Session -> views, views -> session.

#include "app/windows/main_window.h"

#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/parallel_note.h"
#include "app/session/pinned_baseline.h"
#include "app/session/source_texts.h"
#include "app/session/worker_tasks.h"
#include "app/windows/notice_bar.h"
#include "views/style/number_format.h"
#include "views/style/speed_format.h"
#include "views/style/text_metrics.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/passes_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"
#include "views/widgets/timeline_view.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QStringList>
#include <QTimer>
#include <QToolButton>

#include <cmath>

namespace loopscope::app {

using namespace views;

void MainWindow::wire_session() {
    auto& s = *session_;
    connect(&s, &session::Session::opened, this, &MainWindow::show_document);
    connect(&s, &session::Session::treeChanged, this, &MainWindow::show_tree);
    connect(&s, &session::Session::draftChanged, this, &MainWindow::show_draft);
    connect(&s, &session::Session::undoChanged, this, &MainWindow::show_undo);
    connect(&s.estimates(), &session::Estimates::changed, this, &MainWindow::show_estimate);
    connect(&s.baseline(), &session::PinnedBaseline::changed, this, &MainWindow::show_baseline);
    connect(&s.estimates(), &session::Estimates::predictionsChanged, this,
            &MainWindow::show_history);
    connect(&s, &session::Session::deviceChanged, this, &MainWindow::show_device);
    connect(&s, &session::Session::selectionChanged, this, &MainWindow::show_selection);
    connect(&s, &session::Session::measurementsChanged, this, &MainWindow::show_measurements);
    connect(&s.tasks(), &session::WorkerTasks::busyChanged, this, &MainWindow::show_busy);
    connect(&s.tasks(), &session::WorkerTasks::progress, this, &MainWindow::show_progress);
    connect(&s, &session::Session::message, this, &MainWindow::say);
    connect(&s.sources(), &session::SourceTexts::ready, this, &MainWindow::show_source);
}

void MainWindow::wire_views() {
    auto select = [this](const NodeId& id) { session_->select(id); };
    connect(graph_, &PipelineGraphView::nodeSelected, this, select);
    connect(tree_, &ScheduleTreeView::nodeSelected, this, select);
    connect(inspector_, &InspectorView::nodeSelected, this, select);
    connect(estimate_, &EstimateView::nodeSelected, this, select);
    connect(roofline_, &RooflineView::nodeSelected, this, select);
    connect(source_, &SourceView::nodeSelected, this, select);
    connect(tree_, &ScheduleTreeView::directiveRequested, this,
            [this](const QString& line) { apply(line); });
    connect(tree_, &ScheduleTreeView::directiveRefused, this, &MainWindow::show_refusal);
    connect(graph_, &PipelineGraphView::directiveRequested, this,
            [this](const QString& line) { apply(line); });
    connect(graph_, &PipelineGraphView::directiveRefused, this, &MainWindow::show_refusal);
    connect(graph_, &PipelineGraphView::stageCarried, tree_, &ScheduleTreeView::carry_stage);
    connect(graph_, &PipelineGraphView::stageLetGo, tree_, &ScheduleTreeView::let_stage_go);
    // Groups fold in both.
    connect(graph_, &PipelineGraphView::foldingChanged, this,
            [this] { tree_->set_folded(graph_->folded_stages()); });
    connect(tree_, &ScheduleTreeView::foldRequested, graph_, &PipelineGraphView::toggle_fold_of);
    connect(tree_, &ScheduleTreeView::foldAllRequested, graph_,
            &PipelineGraphView::toggle_all_folds);
    connect(tree_, &ScheduleTreeView::menuMade, graph_, [this](QMenu* menu, const QString& stage) {
        graph_->add_fold_entries(*menu, stage.toStdString());
    });
    connect(inspector_, &InspectorView::editRequested, this, &MainWindow::apply);
    connect(estimate_, &EstimateView::directiveRequested, this,
            [this](const QString& line) { apply(line); });
    connect(estimate_, &EstimateView::pinRequested, &session_->baseline(),
            &session::PinnedBaseline::pin);
    connect(estimate_, &EstimateView::unpinRequested, &session_->baseline(),
            &session::PinnedBaseline::clear);
    connect(estimate_, &EstimateView::peaksRequested, &session_->tasks(),
            &session::WorkerTasks::probe_host);
    EditServices services;
    services.judge = [this](const std::vector<DirectiveEdit>& edits,
                            const session::EditQuestions::VerdictAnswer& answer) {
        session_->questions().judge(edits, answer);
    };
    services.preview = [this](const DirectiveEdit& edit,
                              std::function<void(const Preview&)> answer) {
        forecast(edit, std::move(answer));
    };
    tree_->set_services(services);
    graph_->set_services(services);
    inspector_->set_services(services);
}

void MainWindow::wire_panels() {
    connect(script_, &ScriptEditor::textEdited, session_, &session::Session::edit_script);
    connect(notice_, &NoticeBar::answered, this, &MainWindow::focus_tree);
    connect(script_, &ScriptEditor::undoRequested, undo_, &QAction::trigger);
    connect(script_, &ScriptEditor::redoRequested, redo_, &QAction::trigger);
    connect(script_, &ScriptEditor::lineSelected, this, [this](int line) {
        const auto* directive =
            session_->tree() ? session::directive_on(session_->schedule(), line) : nullptr;
        if (!directive || session_->has_draft()) // a draft's lines are not the schedule's
            return;
        if (auto id = session::subject_of(*directive, *session_->tree()); !id.stage.empty())
            session_->select(id);
    });
    connect(source_, &SourceView::tabShown, this, [this] { request_source(); });
    connect(source_dock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        source_visible_ = visible;
        request_source();
    });
    connect(measurements_, &MeasurementsView::revisionActivated, session_,
            &session::Session::go_to_revision);
    connect(measurements_, &MeasurementsView::measureRequested, measure_, &QAction::trigger);
    connect(measurements_, &MeasurementsView::exportRequested, this, [this] {
        save(tr("Table (*.csv)"), ".csv", [this](const std::string& path) {
            return measurements_->export_csv(to_qstring(path));
        });
    });
    connect(roofline_, &RooflineView::exportRequested, this, [this] {
        save(tr("Picture (*.png *.svg *.pdf)"), ".png",
             [this](const std::string& path) { return roofline_->export_to(to_qstring(path)); });
    });
    connect(history_, &HistoryView::revisionActivated, session_, &session::Session::go_to_revision);
    connect(history_, &HistoryView::renamed, this, [this](qint64 revision, const QString& name) {
        if (auto status = session_->rename_revision(revision, name.toStdString()); !status)
            refused({}, status.errors());
    });
    connect(start_, &StartPage::openRequested, this,
            [this](const QString& path) { open_path(path); });
    connect(start_, &StartPage::openFileRequested, this, &MainWindow::open_dialog);
}

namespace {

// "memory traffic ▾ 30 %": only what changes by more than rounding.
void add_change(QStringList& parts, const QString& name, double before, double after) {
    if (before > 0 && after > 0 && std::abs(after / before - 1) >= 0.005)
        parts << name + ' ' + format_change(before, after);
}

Preview preview_of(const QString& line, const session::Forecast& forecast,
                   const device::Device& device) {
    const auto &before = forecast.before, &after = forecast.after;
    if (!after.seconds || !before.seconds)
        return {after.reason.empty() ? QObject::tr("no estimate") : to_qstring(after.reason), 0};
    const double change = *after.seconds / *before.seconds - 1;
    const int sign = change < -0.005 ? -1 : change > 0.005 ? 1 : 0;
    const QString time = sign == 0 ? QObject::tr("time unchanged")
                                   : QObject::tr("%1 to %2")
                                         .arg(format_time_change(*before.seconds, *after.seconds),
                                              format_seconds(*after.seconds));
    if (const auto why = session::why_parallel_gains_nothing(line, forecast, device);
        !why.isEmpty())
        return {QObject::tr("%1: %2").arg(time, why), sign};
    QStringList parts{time};
    add_change(parts, QObject::tr("memory traffic"), before.memory_bytes, after.memory_bytes);
    if (std::abs(after.recompute - before.recompute) >= 0.05)
        parts << QObject::tr("work %1 instead of %2")
                     .arg(format_factor(after.recompute), format_factor(before.recompute));
    if (before.shared_bytes && after.shared_bytes && before.shared_bytes != after.shared_bytes)
        parts << QObject::tr("shared memory %1 instead of %2")
                     .arg(format_capacity(*after.shared_bytes),
                          format_capacity(*before.shared_bytes));
    if (before.blocks_at_once && after.blocks_at_once &&
        before.blocks_at_once != after.blocks_at_once)
        parts << QObject::tr("%1 instead of %2 blocks at once")
                     .arg(*after.blocks_at_once)
                     .arg(*before.blocks_at_once);
    if (before.storage_bytes != after.storage_bytes && !device.gpu)
        parts << QObject::tr("storage %1 instead of %2")
                     .arg(format_capacity(after.storage_bytes),
                          format_capacity(before.storage_bytes));
    return {parts.join(QStringLiteral(" · ")), sign};
}

} // namespace

void MainWindow::forecast(const DirectiveEdit& edit, std::function<void(const Preview&)> answer) {
    forecast(std::vector<DirectiveEdit>{edit}, std::move(answer));
}

void MainWindow::forecast(const std::vector<DirectiveEdit>& edits,
                          std::function<void(const Preview&)> answer) {
    const QString line = edits.empty() ? QString() : edits.front().line;
    session_->questions().forecast(
        edits,
        [answer = std::move(answer), line, device = session_->device()](
            const session::Forecast& forecast) { answer(preview_of(line, forecast, *device)); });
}

namespace {

// What a script may name from the start: stages, inputs and their axes.
QStringList names_in(const Pipeline& pipeline) {
    QStringList names;
    for (const auto& stage : pipeline.stages) {
        names << to_qstring(stage.name);
        for (const auto& axis : stage.variables)
            names << to_qstring(axis);
    }
    return names;
}

constexpr int kRoomForState = 1040; // pixels of a window that says in its toolbar what is not saved

} // namespace

void MainWindow::show_name() {
    const QString unsaved =
        session_->is_open() && session_->untitled() ? tr(" · not saved yet") : QString();
    // In a small window the buttons have the room.
    document_name_->setText(
        session_->is_open()
            ? QStringLiteral("<b>Loopscope</b>&nbsp;&nbsp; <span style='color:%3'>%1%2</span>")
                  .arg(session_->title().toHtmlEscaped(),
                       width() < kRoomForState ? QString() : unsaved, theme_of(*this).faint.name())
            : QStringLiteral("<b>Loopscope</b>"));
    document_name_->setToolTip(session_->is_open() ? session_->title() + unsaved : QString());
}

void MainWindow::show_document() {
    const bool open = session_->is_open();
    for (auto* action : {save_, save_as_, save_schedule_, save_pipeline_, save_source_, export_,
                         close_, remove_, arrange_, compare_action_, compare_two_})
        action->setEnabled(open);
    setWindowTitle(open ? session_->title() + QStringLiteral(" — Loopscope")
                        : QStringLiteral("Loopscope"));
    show_name();
    devices_action_->setVisible(open);
    tree_title_->setVisible(open);
    pin_->setEnabled(open && session_->estimates().now());
    notice_->clear_error();
    for (auto* dock : docks_)
        dock->toggleViewAction()->setEnabled(open);
    centre_->setCurrentWidget(open ? static_cast<QWidget*>(tree_) : start_);
    show_busy();
    if (!open) {
        show_draft();
        for (auto* dock : docks_)
            dock->hide();
        arrangement_ = Arrangement::None;
        fill_start_page();
        return;
    }
    if (arrangement_ == Arrangement::None)
        restore_layout();
    script_->set_completions(names_in(*session_->pipeline()));
    estimate_->start_afresh();
    tree_->setFocus();
    // Once the rows have their places: what is selected may be far below.
    QTimer::singleShot(0, tree_, [this] { tree_->scrollTo(tree_->currentIndex()); });
}

void MainWindow::show_tree() {
    auto tree = session_->tree();
    notice_->clear_error();
    graph_->set_tree(tree);
    tree_->set_tree(tree);
    tree_->set_folded(graph_->folded_stages()); // stages that an edit made join their groups
    inspector_->set_snapshot(tree, session_->estimates().now(), session_->schedule_snapshot(),
                             session_->selection());
    estimate_->set_tree(tree);
    roofline_->set_tree(tree);
    estimate_->set_busy(true);
    source_shown_.clear();
    passes_wanted_ = true;
    request_source();
    show_selection();
    show_history();
    show_comparison();
}

// The editor shows the draft; it is told only when that came from elsewhere than the editor.
void MainWindow::show_draft() {
    const auto draft = to_qstring(session_->draft());
    if (script_->text() != draft)
        script_->set_text(draft);
    script_->set_diagnostics(session_->diagnostics());
    const bool legal = !session_->has_draft();
    show_legality();
    write_out_->setEnabled(legal && !session::recipe_lines(session_->schedule()).empty());
    script_->set_highlighted_lines(legal ? session_->lines_about(session_->selection())
                                         : std::vector<int>{});
}

// Legal, and, on a GPU, runnable: two things (a schedule that is not can be drawn and changed all the same).
void MainWindow::show_legality() {
    const bool legal = !session_->has_draft();
    QString text;
    if (session_->is_open())
        text =
            legal ? tr("✓ legal") : tr("✗ the script has errors; the last legal schedule stands");
    const auto estimate = session_->estimates().now();
    if (session_->is_open() && legal && session_->device()->gpu && estimate &&
        session_->estimates().current())
        text += estimate->seconds
                    ? tr(" · runnable on %1").arg(to_qstring(session_->device()->name))
                    : tr(" · ✗ not runnable on %1: see Estimate")
                          .arg(to_qstring(session_->device()->name));
    legality_->setText(text);
}

void MainWindow::show_undo() {
    undo_->setEnabled(session_->can_undo());
    redo_->setEnabled(session_->can_redo());
    auto named = [](const QString& verb, const QString& what) {
        return what.isEmpty() ? verb : verb + ' ' + what;
    };
    undo_->setText(named(tr("&Undo"), session_->undo_text()));
    redo_->setText(named(tr("&Redo"), session_->redo_text()));
    for (auto* action : {undo_, redo_})
        action->setToolTip(action->text().remove('&') +
                           QStringLiteral(" (%1)").arg(views::key_text(action->shortcut())));
}

void MainWindow::show_device() {
    fill_devices();
    estimate_->set_device(session_->device());
    inspector_->set_device(session_->device());
    tree_->set_device(session_->device());
    roofline_->set_ceilings(
        model::roofline_ceilings(*session_->device(), session_->device()->cores));
    show_availability();
    source_->set_device_is_gpu(session_->device()->gpu.has_value());
    show_gpu_docks();
    show_gpu();
}

void MainWindow::show_estimate() {
    auto estimate = session_->estimates().now();
    graph_->set_estimate(estimate);
    tree_->set_estimate(estimate);
    inspector_->set_snapshot(session_->tree(), estimate, session_->schedule_snapshot());
    estimate_->set_estimate(estimate);
    estimate_->set_busy(false);
    roofline_->set_estimate(estimate);
    show_gpu();
    show_legality();
    pin_->setEnabled(session_->is_open() && estimate && estimate->seconds);
    show_history();
    show_comparison();
}

void MainWindow::show_selection() {
    const auto& id = session_->selection();
    graph_->set_selected(id);
    tree_->set_selected(id);
    inspector_->set_selected(id);
    estimate_->set_selected(id);
    roofline_->set_selected(id);
    source_->set_selected(id);
    timeline_->set_selected(id);
    banks_->set_selected(id);
    if (session_->tree() && !session_->has_draft())
        script_->set_highlighted_lines(session_->lines_about(id));
}

void MainWindow::request_source() {
    const auto tab = source_->current();
    if (passes_wanted_)
        request_passes(source_->passes_view()->current());
    if (!session_->is_open() || !source_visible_ || source_shown_.count(tab))
        return;
    if (source_->text(tab).isEmpty())
        source_->set_message(tab, tr("The source is being made."));
    session_->sources().request(tab);
}

void MainWindow::show_baseline_source(const session::SourceAnswer& answer) {
    baseline_source_wanted_ = false;
    const auto& tab = answer.what;
    if (answer.failure.empty())
        source_->set_baseline_text(tab, to_qstring(answer.text));
    else
        source_->set_baseline_message(tab,
                                      tr("The baseline has no such source: %1")
                                          .arg(to_qstring(answer.failure).section('\n', 0, 0)));
}

void MainWindow::show_source(const session::SourceAnswer& answer) {
    const auto& tab = answer.what;
    source_shown_.insert(tab);
    if (answer.failure.empty())
        source_->set_source(tab, {to_qstring(answer.text), answer.lines},
                            to_qstring(answer.remark));
    else
        source_->set_message(tab, tr("There is no source."), to_qstring(answer.failure));
    if (tab != source_->current())
        request_source();
}

} // namespace loopscope::app
