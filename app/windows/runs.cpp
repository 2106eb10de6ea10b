#include "app/windows/runs.h"

#include "app/session/session.h"
#include "app/session/worker_tasks.h"
#include "app/windows/editing.h"
#include "app/windows/person_settings.h"
#include "app/windows/preferences.h"
#include "compiler/measure/targets.h"

namespace loopscope::app {

namespace {
const QString kCold = QStringLiteral("measure/cold");
} // namespace

Runs::Runs(session::Session& session, Editing& editing, const PersonSettings& settings,
           const Preferences& preferences)
    : session_(session), editing_(editing), settings_(settings), preferences_(preferences) {
    session_.tasks().set_cold(settings_.value(kCold, false).toBool());
}

bool Runs::can_measure() const {
    return session_.is_open() && session_.device()->is_here() && !session_.tasks().busy();
}

bool Runs::can_check() const { return session_.is_open() && !session_.tasks().busy(); }

// What cannot be had is not asked for: whoever asks shows that already.
void Runs::measure() {
    if (!can_measure())
        return;
    editing_.flush();
    session_.tasks().measure(preferences_.now().measure_seconds);
}

void Runs::check() {
    if (!can_check())
        return;
    editing_.flush();
    session_.tasks().check();
}

bool Runs::can_check_in_interpreter() const { return can_check() && session_.device()->gpu; }

void Runs::check_in_interpreter() {
    if (!can_check_in_interpreter())
        return;
    editing_.flush();
    session_.tasks().check_in_interpreter();
}

void Runs::cancel() { session_.tasks().cancel(); }
void Runs::probe_host() { session_.tasks().probe_host(); }
void Runs::probe_gpu() { session_.tasks().probe_gpu(); }

bool Runs::on_gpu() const { return session_.device()->gpu && session_.device()->is_here(); }
bool Runs::can_probe_gpu() const { return on_gpu() && !session_.tasks().busy(); }

bool Runs::can_empty_cache() const {
    return on_gpu() && !measure::is_opencl(session_.device()->target);
}

void Runs::set_cold(bool cold) {
    settings_.set(kCold, cold);
    session_.tasks().set_cold(cold);
}

QString Runs::why_only_described() const {
    const auto device = session_.device();
    return device->is_here()
               ? QString()
               : tr("%1 is described, and not at hand: choose this machine or a GPU that is, to "
                    "measure")
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
