#pragma once
// What the C printer takes: checked once, so that it need not.

#include "compiler/lower/program.h"
#include "core/base/result.h"

namespace loopscope::codegen {

Diagnostics check_for_c(const lower::Program& program);

} // namespace loopscope::codegen
