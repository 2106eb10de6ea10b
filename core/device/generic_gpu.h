#pragma once
// The GPU that a GPU target stands for where no device is named.

#include "core/device/device.h"

namespace loopscope::device {

// Any GPU of compute capability 8.0: its limits and instructions, the multiprocessors of an A100,
// and no figures, so that nothing is estimated for it.
const Device& generic_gpu();

} // namespace loopscope::device
