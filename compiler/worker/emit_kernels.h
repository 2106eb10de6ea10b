#pragma once
// Kernels as a GPU's source languages are lowered for: CUDA C++ and OpenCL C.

#include "compiler/worker/program.h"

namespace loopscope::worker {

// Lowered by device_source_passes(), of a program that was loaded for a device. `scalar_loops`: as
// in LowerOptions. `tma`: the language can ask for boxes of arrays.
Result<lower::Program>
lower_for_kernel_source(const LoadedProgram& loaded,
                        std::vector<lower::ScalarLoop>* scalar_loops = nullptr, bool tma = false);

} // namespace loopscope::worker
