#pragma once
// Names that CUDA C++ has for itself.

#include "compiler/codegen/c/names.h"

namespace loopscope::codegen {

CNames cuda_names();

} // namespace loopscope::codegen
