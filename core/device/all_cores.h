#pragma once
// What the figures of a device say of all its cores together.

#include "core/device/device.h"

#include <optional>

namespace loopscope::device {

// How many times one core's arithmetic all cores deliver together: the least over the types of
// which both are known. Absent: there is none, or the device has one core.
std::optional<double> all_cores_over_one(const Device& device);

// This machine's figures, measured while something else held its cores: several of them together
// deliver hardly more than one does. A model that trusts such figures sees no use in threads.
bool measured_while_busy(const Device& device);

} // namespace loopscope::device
