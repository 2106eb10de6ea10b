#pragma once
// Shared parts of models of GPUs; tuner/model/models.def lists them.

#include "tuner/model/models.h"

namespace loopscope::model::gpu {

// The estimate of a GPU's model for a processor: there is none, with the reason.
Estimate refuse_processor(const char* model, const device::Device& device);

} // namespace loopscope::model::gpu
