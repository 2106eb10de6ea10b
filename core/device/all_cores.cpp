#include "core/device/all_cores.h"

namespace loopscope::device {

namespace {

// Idle cores reach nearly their number together; clocks that fall as more of them work take far
// less off than this.
constexpr double kMinOfSeveralCores = 1.3;

} // namespace

std::optional<double> all_cores_over_one(const Device& device) {
    if (device.cores < 2)
        return std::nullopt;
    std::optional<double> least;
    for (const auto& [type, one] : device.flops_per_second) {
        const auto all = device.flops_per_second_all.find(type);
        if (all == device.flops_per_second_all.end() || one.value <= 0)
            continue;
        const double ratio = all->second.value / one.value;
        if (!least || ratio < *least)
            least = ratio;
    }
    return least;
}

bool measured_while_busy(const Device& device) {
    const auto ratio = all_cores_over_one(device);
    return device.is_host && ratio && *ratio < kMinOfSeveralCores;
}

} // namespace loopscope::device
