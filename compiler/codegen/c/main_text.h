#pragma once
// A main for an exported program: .npy files in, .npy files out.

#include "compiler/lower/program.h"

#include <string>

namespace loopscope::codegen {

// C text: a strict reader and a writer of .npy, a table of the arguments, main. `function`: what it calls. Types and
// shapes must be exactly the program's; bf16 is u2 there, as compiler/run/numpy.h has it.
std::string main_text(const lower::Program& program, const std::string& function);

} // namespace loopscope::codegen
