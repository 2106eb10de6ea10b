#pragma once
// The models of GPUs: one file each, one line here and one in tuner/model/models.cpp.

#include "tuner/model/estimate.h"

namespace loopscope::model::gpu {

const Model& bottleneck_model();
const Model& roofline_model();

// What a model of GPUs says of a processor: why there is no estimate.
Estimate refuse_processor(const char* model, const device::Device& device);

} // namespace loopscope::model::gpu
