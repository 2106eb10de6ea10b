#pragma once
// Checks of what PTX generation expects, made once, so that the emitter need not.

#include "compiler/codegen/nvptx/architecture.h"
#include "compiler/lower/program.h"
#include "core/base/result.h"

namespace loopscope::codegen {

// Empty when the program is in the final form of device_passes(), and asks for no more than the
// architecture has.
Diagnostics check_device_form(const lower::Program& program, const Architecture& architecture);

} // namespace loopscope::codegen
