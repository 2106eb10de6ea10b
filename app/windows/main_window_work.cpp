// What the worker does, for how long already, and for how long by the estimate.

#include "app/windows/main_window.h"

#include "app/session/worker_tasks.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"

#include <QAction>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace loopscope::app {

using namespace views;

namespace {

constexpr int kSteps = 1000; // of the progress bar

// "12 s", "1 min 52 s": whole seconds, for a clock that runs.
QString elapsed_text(qint64 milliseconds) {
    const qint64 seconds = milliseconds / 1000;
    return seconds < 60
               ? QObject::tr("%1 s").arg(seconds)
               : QObject::tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60, 2, 10, QChar('0'));
}

} // namespace

void MainWindow::show_busy() {
    const bool busy = session_->tasks().busy();
    phase_.clear();
    progress_->setVisible(busy);
    progress_->setRange(0, 0);
    cancel_button_->setVisible(busy);
    cancel_->setEnabled(busy);
    check_->setEnabled(session_->is_open() && !busy);
    estimate_->set_probing(session_->tasks().probing());
    if (busy) {
        busy_since_.start();
        tick_->start();
    } else {
        tick_->stop();
    }
    show_availability();
    show_elapsed();
}

void MainWindow::show_progress(const QString& text, double fraction) {
    if (!session_->tasks().busy())
        return;
    phase_ = text;
    progress_->setRange(0, fraction < 0 ? 0 : kSteps);
    if (fraction >= 0)
        progress_->setValue(static_cast<int>(fraction * kSteps));
    show_elapsed();
}

void MainWindow::show_elapsed() {
    if (!session_->tasks().busy())
        return;
    const auto elapsed = busy_since_.elapsed();
    QString text = session_->tasks().busy_text();
    if (!phase_.isEmpty())
        text += QStringLiteral(": ") + phase_;
    text += QStringLiteral(" · ") + elapsed_text(elapsed);
    QString tip = tr("Esc cancels.");
    if (const auto expected = session_->tasks().expected_time()) {
        const auto seconds = format_seconds(expected->seconds);
        text += session_->tasks().longer_than_expected()
                    ? tr(", longer than predicted (about %1)").arg(seconds)
                : expected->once ? tr(", one run of about %1 expected").arg(seconds)
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
    worker_state_->setText(text);
    worker_state_->setToolTip(tip);
}

} // namespace loopscope::app
