#include "app/windows/previews.h"

#include "app/session/parallel_note.h"
#include "views/style/number_format.h"
#include "views/style/speed_format.h"

#include <QObject>
#include <QStringList>

#include <cmath>

namespace loopscope::app {

using namespace views;

namespace {

// "memory traffic ▾ 30 %": only what changes by more than rounding.
void add_change(QStringList& parts, const QString& name, double before, double after) {
    if (before > 0 && after > 0 && std::abs(after / before - 1) >= 0.005)
        parts << name + ' ' + format_change(before, after);
}

} // namespace

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

} // namespace loopscope::app
