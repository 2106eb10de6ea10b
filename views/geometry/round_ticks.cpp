#include "views/geometry/round_ticks.h"

#include <cmath>
#include <cstdint>

namespace loopscope::views {

namespace {
constexpr double kRounding = 1e-9;  // of a step: what arithmetic may be off by
constexpr std::int64_t kMany = 500; // more than any axis has room for
} // namespace

double round_step(double least) {
    if (!std::isfinite(least) || least <= 0)
        return 0;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - kRounding))
            return factor * power;
    return 10 * power;
}

std::vector<double> round_ticks(double low, double high, double step) {
    std::vector<double> ticks;
    if (!(step > 0) || !std::isfinite(low / step) || !std::isfinite(high / step))
        return ticks;
    const auto first = static_cast<std::int64_t>(std::ceil(low / step - kRounding)),
               last = static_cast<std::int64_t>(std::floor(high / step + kRounding));
    for (std::int64_t i = first; i <= last && i - first < kMany; ++i)
        ticks.push_back(static_cast<double>(i) * step);
    return ticks;
}

} // namespace loopscope::views
