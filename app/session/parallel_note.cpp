#include "app/session/parallel_note.h"

#include "core/device/all_cores.h"

#include <QObject>

namespace loopscope::session {

namespace {

constexpr double kSame = 0.005; // of the time: rounding
// of the time: less is no gain that anybody runs a loop in parallel for
constexpr double kLittle = 0.05;
constexpr double kNoGain = 1.1; // times one core's figure: what all cores together hardly exceed
constexpr double kOneThread = 1.05; // threads at once, on average

double gain(const std::optional<device::Figure>& one, const std::optional<device::Figure>& all) {
    return one && all && one->value > 0 ? all->value / one->value : 0; // 0: not known
}

// How much more all cores deliver than one of what bounds a program, by the device's figures; 0:
// not known.
double gain_of(const std::string& bound, const device::Device& device) {
    if (bound == "memory")
        return gain(device.memory_bytes_per_second, device.memory_bytes_per_second_all);
    for (const auto& cache : device.caches)
        if (cache.name == bound)
            return gain(cache.bytes_per_second, cache.bytes_per_second_all);
    return bound == "compute" ? device::all_cores_over_one(device).value_or(0) : 0;
}

} // namespace

QString why_parallel_gains_nothing(const QString& line, const Forecast& forecast,
                                   const device::Device& device) {
    const auto &before = forecast.before, &after = forecast.after;
    if (!line.contains(QStringLiteral(".parallel(")) || !before.seconds || !after.seconds ||
        *after.seconds < (1 - kLittle) * *before.seconds)
        return {};
    const auto bound = QString::fromStdString(after.bound);
    if (device.cores <= 1)
        return QObject::tr("%1 has one core").arg(QString::fromStdString(device.name));
    if (after.parallelism < kOneThread)
        return QObject::tr("one thread still has all the work: the loop has one iteration, or runs "
                           "inside a parallel one");
    const double more = gain_of(after.bound, device);
    const bool busy = after.bound == "compute" && device::measured_while_busy(device);
    if (more > 0 && (more < kNoGain || busy))
        return device.is_host
                   ? QObject::tr("bound by %1, of which %2 cores were measured to deliver %3 what "
                                 "one does; if the machine was busy then, measure its peaks again "
                                 "from the Estimate or the Run menu")
                         .arg(bound)
                         .arg(device.cores)
                         .arg(QString::number(more, 'f', 2) + QChar(0x00d7))
                   : QObject::tr("bound by %1, of which %2 cores have no more than one")
                         .arg(bound)
                         .arg(device.cores);
    // what makes it slower is another matter
    if (*after.seconds > (1 + kSame) * *before.seconds)
        return {};
    return *after.seconds < (1 - kSame) * *before.seconds
               ? QObject::tr("bound by %1, which more threads hardly speed up").arg(bound)
               : QObject::tr("bound by %1, which more threads do not speed up").arg(bound);
}

} // namespace loopscope::session
