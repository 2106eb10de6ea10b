#pragma once
// Changes of times. Per cent say little near a hundred: from twice the speed on, the factor stands
// beside them.

#include <QString>

namespace loopscope::views {

// "▾ 18 %", "▾ 98 % · 55×" (55 times as fast), "▴ 3×" (three times as slow).
QString format_time_change(double before, double after);

} // namespace loopscope::views
