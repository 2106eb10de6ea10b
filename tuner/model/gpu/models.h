#pragma once
// What models of GPUs share; tuner/model/models.def lists them.

#include "tuner/model/models.h"

namespace loopscope::model::gpu {

// What a model of GPUs says of a processor: why there is no estimate.
Estimate refuse_processor(const char* model, const device::Device& device);

} // namespace loopscope::model::gpu
