#pragma once
// Figures of all cores of a device together.

#include "core/device/device.h"

#include <optional>

namespace loopscope::device {

// The ratio of all cores' arithmetic to one core's: the least over the types of which both are
// known. Absent: there is none, or the device has one core.
std::optional<double> all_cores_over_one(const Device& device);

// Were this machine's figures measured while something else held its cores? Several cores together
// then deliver hardly more than one. A model that trusts such figures sees no use in threads.
bool measured_while_busy(const Device& device);

} // namespace loopscope::device
