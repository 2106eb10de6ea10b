#pragma once
// Checks of what host code generation expects, made once, so that the emitter need not.

#include "compiler/lower/program.h"
#include "core/base/result.h"

namespace loopscope::codegen {

// Empty when the program is in final form: flat, on the host, loops serial or parallel, no
// rotation, types known to the host back end, every name defined.
Diagnostics check_final_form(const lower::Program& program);

} // namespace loopscope::codegen
