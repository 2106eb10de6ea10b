#include "views/style/speed_format.h"

#include "views/style/number_format.h"

#include <cmath>

namespace loopscope::views {

QString format_time_change(double before, double after) {
    const QString change = format_change(before, after);
    const double factor = before / after;
    return after > 0 && std::isfinite(factor) && factor >= 2
               ? change + QStringLiteral(" · ") + format_factor(factor)
               : change;
}

} // namespace loopscope::views
