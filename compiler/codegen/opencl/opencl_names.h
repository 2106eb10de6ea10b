#pragma once
// Names that OpenCL C has for itself.

#include "compiler/codegen/c/names.h"

namespace loopscope::codegen {

CNames opencl_names();

} // namespace loopscope::codegen
