#include "compiler/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope::measure {

std::size_t lower_rank_95(std::size_t samples) {
    const double n = static_cast<double>(samples);
    double below = 0; // P(B <= j-1)
    std::size_t j = 0;
    for (;; ++j) {
        const double k = static_cast<double>(j);
        below += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                          n * std::log(2.0));
        if (below > 0.025 || j >= samples)
            return j;
    }
}

Summary summarize(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const auto n = samples.size();
    Summary summary;
    summary.samples = n;
    summary.least = samples.front();
    summary.median = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    if (auto rank = lower_rank_95(n); rank > 0)
        summary.ci95 = {samples[rank - 1], samples[n - rank]};
    return summary;
}

double Summary::relative_half_width() const {
    if (!ci95 || median <= 0)
        return std::numeric_limits<double>::infinity();
    return (ci95->second - ci95->first) / 2 / median;
}

} // namespace loopscope::measure
