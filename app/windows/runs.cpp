#include "app/windows/runs.h"

#include "app/session/session.h"
#include "app/session/worker_tasks.h"
#include "app/windows/editing.h"

namespace loopscope::app {

bool Runs::can_measure() const {
    return session_.is_open() && session_.device()->is_host && !session_.tasks().busy();
}

bool Runs::can_check() const { return session_.is_open() && !session_.tasks().busy(); }

// What cannot be had is not asked for: whoever asks shows that already.
void Runs::measure() {
    if (!can_measure())
        return;
    editing_.flush();
    session_.tasks().measure();
}

void Runs::check() {
    if (!can_check())
        return;
    editing_.flush();
    session_.tasks().check();
}

void Runs::cancel() { session_.tasks().cancel(); }
void Runs::probe_host() { session_.tasks().probe_host(); }

QString Runs::why_only_described() const {
    const auto device = session_.device();
    return device->is_host
               ? QString()
               : tr("%1 is described and is not this machine: choose this machine to measure")
                     .arg(views::to_qstring(device->name));
}

QString Runs::measure_tip() const {
    if (const auto why = why_only_described(); !why.isEmpty())
        return why;
    return session_.tasks().busy()
               ? tr("The worker is busy: %1; Esc cancels it").arg(session_.tasks().busy_text())
               : tr("Compiles the schedule and times it in a worker process (Space)");
}

} // namespace loopscope::app
