#pragma once
// The rest of an exported Halide program: the reader and writer of .npy files, and a main.

#include "compiler/codegen/halide/algorithm.h"

namespace loopscope::codegen {

// Reader and writer of .npy, in namespace npy.
const char* halide_npy_text();
// The arguments by name, and main().
std::string halide_main_text(const ForeignProgram& program, const HalideAlgorithm& algorithm);

} // namespace loopscope::codegen
