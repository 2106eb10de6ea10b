#pragma once
// What is said of a set of timings: the median, its 95 % confidence interval, the least.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace loopscope::measure {

struct Summary {
    double median = 0;
    double least = 0;
    // Confidence interval of the median by order statistics: [x(j), x(n+1-j)] with the greatest j
    // for which 1 - 2 P(B <= j-1) >= 0.95, B binomial (n, 1/2). No distribution is assumed. Absent
    // below six samples, where even [least, greatest] covers the median with less.
    std::optional<std::pair<double, double>> ci95;
    std::size_t samples = 0;

    // Half the interval's width over the median; infinite where there is no interval.
    double relative_half_width() const;
};

// `samples` must not be empty.
Summary summarize(std::vector<double> samples);

// The rank j (from 1) of the lower end above; 0: no interval.
std::size_t lower_rank_95(std::size_t samples);

} // namespace loopscope::measure
