#pragma once
// The performance models that there are: one file each, one line here and one in models.cpp.

#include "tuner/model/estimate.h"

namespace loopscope::model {

const Model& bottleneck_model();
const Model& roofline_model();

} // namespace loopscope::model
