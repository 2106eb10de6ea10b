#include "views/style/number_format.h"

#include <QLocale>
#include <QObject>
#include <QStringList>

#include <atomic>
#include <cmath>

namespace loopscope::views {

namespace {

const QString kThin = QString(QChar(0x202f)); // narrow no-break space

// Jobs in the background write numbers, too.
std::atomic<Units> set_for_all{Units{}};

double rounded(double value, int digits) {
    if (value == 0 || !std::isfinite(value))
        return value;
    const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

// The value in the largest unit in which it is at least 1. Rounds first, so that 999.9 µs reads 1
// ms.
QString with_unit(double value, double step, const QStringList& units, int first = 0) {
    if (!std::isfinite(value))
        return kNone;
    int unit = first;
    while (unit + 1 < units.size() &&
           (std::abs(value) >= step || std::abs(rounded(value, 3)) >= step)) {
        value /= step;
        ++unit;
    }
    return format_significant(value) + kThin + units[unit];
}

} // namespace

QString format_significant(double value, int digits) {
    if (!std::isfinite(value))
        return kNone;
    value = rounded(value, digits);
    if (value == 0)
        return QStringLiteral("0");
    const int decimals =
        digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12));
    QString text = QString::number(value, 'f', qBound(0, decimals, 12));
    if (text.contains('.')) {
        while (text.endsWith('0'))
            text.chop(1);
        if (text.endsWith('.'))
            text.chop(1);
    }
    return text.replace('-', QChar(0x2212));
}

Units units() { return set_for_all; }

void set_units(const Units& units) { set_for_all = units; }

QString format_seconds(double seconds) {
    if (!std::isfinite(seconds))
        return kNone;
    if (seconds > 0 && seconds < 1e-10) // a model's fractions of a nanosecond are no times
        return QStringLiteral("<0.1") + kThin + "ns";
    static const QStringList names{"ns", "µs", "ms", "s"};
    switch (units().times) {
    case TimeUnit::Milliseconds: return format_significant(seconds * 1e3) + kThin + names[2];
    case TimeUnit::Microseconds: return format_significant(seconds * 1e6) + kThin + names[1];
    case TimeUnit::Automatic: break;
    }
    return with_unit(seconds * 1e9, 1000, names);
}

QString format_tick_seconds(double seconds, double step, double greatest) {
    if (!std::isfinite(seconds) || !(step > 0))
        return kNone;
    if (std::abs(seconds) < step / 2)
        return QStringLiteral("0");
    static const QStringList names{"ns", "µs", "ms", "s"};
    double unit = 1e-9; // in seconds
    int name = 0;
    switch (units().times) {
    case TimeUnit::Milliseconds: unit = 1e-3, name = 2; break;
    case TimeUnit::Microseconds: unit = 1e-6, name = 1; break;
    case TimeUnit::Automatic:
        for (; name + 1 < names.size() && greatest >= 1000 * unit * (1 - 1e-9); ++name)
            unit *= 1000;
    }
    const int decimals = static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9));
    return QString::number(seconds / unit, 'f', qBound(0, decimals, 12)) + kThin + names[name];
}

namespace {

QString decimal_bytes(double bytes) {
    static const QStringList names{"B", "KB", "MB", "GB", "TB"};
    return with_unit(bytes, 1000, names);
}

QString binary_bytes(double bytes) {
    static const QStringList names{"B", "KiB", "MiB", "GiB", "TiB"};
    return with_unit(bytes, 1024, names);
}

} // namespace

QString format_bytes(double bytes) {
    return units().memory == MemoryUnit::Binary ? binary_bytes(bytes) : decimal_bytes(bytes);
}

QString format_capacity(double bytes) {
    return units().memory == MemoryUnit::Decimal ? decimal_bytes(bytes) : binary_bytes(bytes);
}

QString format_flops(double flops) {
    static const QStringList units{"FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
    return with_unit(flops, 1000, units);
}

QString format_integer_operations(double flops) {
    static const QStringList units{"OP", "KOP", "MOP", "GOP", "TOP", "POP"};
    return with_unit(flops, 1000, units);
}

QString format_arithmetic(double flops, double integer_operations) {
    QStringList parts;
    if (flops > 0)
        parts << format_flops(flops);
    if (integer_operations > 0)
        parts << format_integer_operations(integer_operations);
    return parts.isEmpty() ? QObject::tr("none") : parts.join(QStringLiteral(", "));
}

QString format_flops_per_second(double rate) {
    static const QStringList units{"FLOP/s", "KFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"};
    return with_unit(rate, 1000, units);
}

QString format_integers_per_second(double rate) {
    static const QStringList units{"OP/s", "KOP/s", "MOP/s", "GOP/s", "TOP/s", "POP/s"};
    return with_unit(rate, 1000, units);
}

QString format_bytes_per_second(double rate) {
    static const QStringList units{"B/s", "KB/s", "MB/s", "GB/s", "TB/s"};
    return with_unit(rate, 1000, units);
}

QString format_share(double share) {
    if (!std::isfinite(share))
        return kNone;
    const double percent = share * 100;
    const QString text = percent != 0 && std::abs(percent) < 0.1 ? QStringLiteral("<0.1")
                         : std::abs(percent) < 1                 ? format_significant(percent, 1)
                                                 : format_significant(std::round(percent), 3);
    return text + kThin + '%';
}

QString format_factor(double factor) {
    return std::isfinite(factor) ? format_significant(factor, factor < 10 ? 2 : 3) + QChar(0x00d7)
                                 : kNone;
}

QString format_count(double count) {
    if (!std::isfinite(count))
        return kNone;
    if (std::abs(count) >= 1e7) {
        static const QStringList units{"", "K", "M", "G", "T"};
        return with_unit(count, 1000, units);
    }
    QString text = QString::number(std::llround(count));
    for (qsizetype at = text.size() - 3; at > (text.startsWith('-') ? 1 : 0); at -= 3)
        text.insert(at, kThin);
    return text;
}

QString format_change(double before, double after) {
    if (!std::isfinite(before) || !std::isfinite(after) || before <= 0)
        return kNone;
    const double change = after / before - 1;
    if (std::abs(change) < 0.0005)
        return QStringLiteral("= 0") + kThin + '%';
    // From twice the time on, a factor is easier to read than hundreds of per cent.
    const QString arrow = QString(QChar(change < 0 ? 0x25be : 0x25b4)) + ' ';
    if (change >= 1)
        return arrow + format_factor(after / before);
    return arrow + format_share(std::abs(change));
}

int change_sign(double before, double after, bool less_is_better) {
    if (!std::isfinite(before) || !std::isfinite(after) || before <= 0)
        return 0;
    const double change = after / before - 1;
    const int sign = std::abs(change) < 0.0005 ? 0 : change < 0 ? -1 : 1;
    return less_is_better ? sign : -sign;
}

QString html_text(const QString& text) {
    return text.toHtmlEscaped().replace(kThin, QStringLiteral("<span style=\"white-space:pre\">") +
                                                   kThin + "</span>");
}

QString format_when(const QDateTime& when, const QDateTime& now) {
    if (!when.isValid())
        return {};
    const qint64 days = when.date().daysTo(now.date());
    const QString day = days == 0   ? QObject::tr("today")
                        : days == 1 ? QObject::tr("yesterday")
                                    : QLocale().toString(when.date(), QLocale::ShortFormat);
    return day + ", " + when.time().toString(QStringLiteral("H:mm"));
}

} // namespace loopscope::views
