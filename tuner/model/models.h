#pragma once
// The performance models: one file each, and a line in models.def.

#include "tuner/model/estimate.h"

namespace loopscope::model {

#define MODEL(name) const Model& name##_model();
#include "tuner/model/models.def"
#undef MODEL

} // namespace loopscope::model
