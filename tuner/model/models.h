#pragma once
// The performance models of processors: one file each, one line here and one in models.cpp; those of GPUs stand in
// gpu/models.h.

#include "tuner/model/estimate.h"

namespace loopscope::model {

const Model& bottleneck_model();
const Model& roofline_model();

} // namespace loopscope::model
