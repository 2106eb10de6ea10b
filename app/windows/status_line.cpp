#include "app/windows/status_line.h"

#include "app/session/check_verdicts.h"
#include "app/session/estimates.h"
#include "app/session/session.h"
#include "app/session/worker_tasks.h"
#include "app/windows/verdict_text.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"

#include <QAction>
#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QToolButton>

#include <algorithm>

namespace loopscope::app {

using namespace views;

namespace {

constexpr int kSteps = 1000;        // of the progress bar
constexpr int kProgressWidth = 140; // pixels
constexpr int kTickMilliseconds = 500;

// "12 s", "1 min 52 s": whole seconds, for a clock that runs.
QString elapsed_text(qint64 milliseconds) {
    const qint64 seconds = milliseconds / 1000;
    return seconds < 60
               ? QObject::tr("%1 s").arg(seconds)
               : QObject::tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60, 2, 10, QChar('0'));
}

QLabel* status_label(QStatusBar& bar, const QString& accessible) {
    auto* made = new QLabel(&bar);
    made->setAccessibleName(accessible);
    made->setContentsMargins(kGap, 0, kGap, 0);
    return made;
}

} // namespace

StatusLine::StatusLine(QStatusBar& bar, const session::Session& session, QAction& cancel)
    : bar_(bar), session_(session) {
    make(cancel);
    tick_.setInterval(kTickMilliseconds);
    connect(&tick_, &QTimer::timeout, this, &StatusLine::show_elapsed);
    using session::Session;
    const auto& tasks = session_.tasks();
    for (auto changed : {&Session::opened, &Session::draftChanged, &Session::deviceChanged})
        connect(&session_, changed, this, &StatusLine::show_legality);
    connect(&session_.estimates(), &session::Estimates::changed, this, &StatusLine::show_legality);
    connect(&session_.verdicts(), &session::CheckVerdicts::changed, this,
            &StatusLine::show_legality);
    connect(&tasks, &session::WorkerTasks::busyChanged, this, &StatusLine::show_work);
    connect(&tasks, &session::WorkerTasks::progress, this, &StatusLine::show_progress);
    for (auto changed : {&Session::opened, &Session::deviceChanged})
        connect(&session_, changed, this, &StatusLine::show_rest);
    show_legality();
    show_work();
}

void StatusLine::make(QAction& cancel) {
    legality_ = status_label(bar_, tr("Legality of the schedule"));
    worker_ = status_label(bar_, tr("State of the worker process"));
    auto* commands = status_label(bar_, tr("Key of the commands"));
    commands->setText(tr("Ctrl+Shift+P commands"));
    progress_ = new QProgressBar(&bar_);
    progress_->setFixedWidth(kProgressWidth);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress"));
    cancel_ = new QToolButton(&bar_);
    cancel_->setText(tr("Cancel (Esc)"));
    cancel_->setAccessibleName(tr("Cancel"));
    connect(cancel_, &QToolButton::clicked, &cancel, &QAction::trigger);
    bar_.addWidget(legality_);
    for (QWidget* each : std::initializer_list<QWidget*>{worker_, progress_, cancel_, commands})
        bar_.addPermanentWidget(each);
    bar_.setSizeGripEnabled(false);
}

// Legal, and, on a GPU, runnable: two things (a schedule that is not can be drawn and changed all
// the same).
void StatusLine::show_legality() {
    const bool legal = !session_.has_draft();
    const auto& device = *session_.device();
    QString text;
    if (session_.is_open())
        text = legal ? tr("✓ legal")
               : session_.unsaved().any()
                   ? tr("✗ the document's file did not take the last edit")
                   : tr("✗ the script has errors; the last legal schedule stands");
    const auto estimate = session_.estimates().now();
    if (session_.is_open() && legal && device.gpu && estimate && session_.estimates().current())
        text += estimate->seconds
                    ? tr(" · runnable on %1").arg(to_qstring(device.name))
                    : tr(" · ✗ not runnable on %1: see Estimate").arg(to_qstring(device.name));
    const auto* verdict = session_.verdicts().now();
    if (verdict)
        text += verdict->right ? tr(" · ✓ result checked") : tr(" · ✗ the result is wrong");
    legality_->setText(text);
    legality_->setToolTip(verdict ? verdict_text(*verdict) : QString());
}

void StatusLine::show_work() {
    const bool busy = session_.tasks().busy();
    phase_.clear();
    progress_->setVisible(busy);
    progress_->setRange(0, 0);
    cancel_->setVisible(busy);
    if (busy) {
        busy_since_.start();
        tick_.start();
    } else {
        tick_.stop();
    }
    show_rest();
    show_elapsed();
}

void StatusLine::show_rest() {
    if (session_.tasks().busy())
        return;
    const auto& device = *session_.device();
    const bool described = session_.is_open() && !device.is_here();
    const QString name = to_qstring(device.name);
    worker_->setText(described
                         ? tr("%1 is only described: choose a device at hand to measure").arg(name)
                         : tr("worker ready"));
    worker_->setToolTip(described ? tr("%1 is described, and not at hand: choose this machine or a "
                                       "GPU that is, to measure")
                                        .arg(name)
                                  : QString());
}

void StatusLine::show_progress(const QString& text, double fraction) {
    if (!session_.tasks().busy())
        return;
    phase_ = text;
    progress_->setRange(0, fraction < 0 ? 0 : kSteps);
    if (fraction >= 0)
        progress_->setValue(static_cast<int>(fraction * kSteps));
    show_elapsed();
}

void StatusLine::show_elapsed() {
    const auto& tasks = session_.tasks();
    if (!tasks.busy())
        return;
    const auto elapsed = busy_since_.elapsed();
    QString text = tasks.busy_text();
    if (!phase_.isEmpty())
        text += QStringLiteral(": ") + phase_;
    text += QStringLiteral(" · ") + elapsed_text(elapsed);
    QString tip = tr("Esc cancels.");
    if (const auto expected = tasks.expected_time()) {
        const auto seconds = format_seconds(expected->seconds);
        text += tasks.longer_than_expected() ? tr(", longer than predicted (about %1)").arg(seconds)
                : expected->once             ? tr(", one run of about %1 expected").arg(seconds)
                                             : tr(", about %1 expected").arg(seconds);
        tip = expected->once
                  ? tr("One run takes longer than the time that samples are taken for: it runs "
                       "once, %1 by the estimate. Esc cancels.")
                        .arg(seconds)
                  : tr("Runs to warm up, then samples: at most about %1 by the estimate. Esc "
                       "cancels.")
                        .arg(seconds);
        // A bar that knows its end says more than one that only moves.
        if (const double share = elapsed / 1000.0 / expected->seconds; share < 1) {
            progress_->setRange(0, kSteps);
            progress_->setValue(std::max(progress_->value(), static_cast<int>(share * kSteps)));
        } else {
            progress_->setRange(0, 0);
        }
    }
    worker_->setText(text);
    worker_->setToolTip(tip);
}

} // namespace loopscope::app
