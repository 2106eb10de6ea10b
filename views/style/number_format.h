#pragma once
// Numbers as people read them: two to three significant digits, a narrow no-break space before a
// thin unit. A number that is not finite is shown as "–": it never reads as a value.

#include <QDateTime>
#include <QString>

#include <cstdint>

namespace loopscope::views {

inline const QString kNone = QStringLiteral("–"); // where a value is not known

// In which units times and amounts of memory are written. As the application's palette and font it
// is one for all that a person reads, and the window alone sets it.
enum class TimeUnit { Automatic, Milliseconds, Microseconds };
enum class MemoryUnit { Usual, Decimal, Binary }; // usual: capacities binary, all else decimal
struct Units {
    TimeUnit times = TimeUnit::Automatic;
    MemoryUnit memory = MemoryUnit::Usual;
    bool operator==(const Units&) const = default;
};
Units units();
void set_units(const Units& units);

// Times and bytes in the units that are set; as here where they are the usual ones.
QString format_seconds(double seconds); // "412 ms", "1.96 ms", "196 µs", "31 ns"
// A tick of an axis whose ticks are `step` apart, up to `greatest`: all in one unit, and told apart
// by their last digits. "0", "250 ns", "1.25 µs".
QString format_tick_seconds(double seconds, double step, double greatest);
QString format_bytes(double bytes);           // decimal: "32 MB", "4.8 GB"
QString format_capacity(double bytes);        // binary, for caches and buffers: "48 KiB", "1.5 MiB"
QString format_flops(double flops);           // a number of operations: "17.2 GFLOP"
QString format_flops_per_second(double rate); // "701 GFLOP/s"
QString format_integer_operations(double count); // "47 MOP"
// Both kinds, as far as there are some: "47 MFLOP, 3 MOP", "none".
QString format_arithmetic(double flops, double integer_operations);
QString format_integers_per_second(double rate); // "701 GOP/s"
QString format_bytes_per_second(double rate);    // "18.1 GB/s"
QString format_share(double share);              // 0.713 -> "71 %", 0.004 -> "0.4 %"
QString format_factor(double factor);            // "2.6×"
QString format_count(double count);              // "4 096", "17.2 M"
// A change from `before` to `after`, with an arrow and a sign in words of direction: "▾ 18 %", "▴ 3
// %", "= 0 %".
QString format_change(double before, double after);
// -1: better, +1: worse, 0: neither; what differs by less than format_change shows is neither.
int change_sign(double before, double after, bool less_is_better = true);
QString format_significant(double value, int digits = 3); // "0.196", "412", "4.1"
// For rich text: escaped, and with the narrow spaces, which its parser would make wide ones that
// may be broken at.
QString html_text(const QString& text);
// "today, 14:03", "yesterday, 9:30", else the day as the person's language writes it, with the
// time. Empty: not valid.
QString format_when(const QDateTime& when, const QDateTime& now = QDateTime::currentDateTime());

} // namespace loopscope::views
