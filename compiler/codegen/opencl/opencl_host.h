#pragma once
// The host's side of exported OpenCL C.

#include "compiler/codegen/kernel_source/kernel_file.h"

namespace loopscope::codegen {

// The main, after `host_text` and, where there is something to check by, `check_text`. `doubles`:
// the kernels compute with f64.
std::string opencl_main(const lower::Program& program, const std::vector<Kernel>& kernels,
                        bool doubles, const KernelCheck& check);

} // namespace loopscope::codegen
