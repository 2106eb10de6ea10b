#pragma once
// The host's side of exported CUDA C++.

#include "compiler/codegen/kernel_source/kernel_file.h"

namespace loopscope::codegen {

// A function that launches the kernels in order.
CWriter cuda_launcher(const lower::Program& program, const std::string& name,
                      const std::vector<Kernel>& kernels, CNames& names);
// Do kernels ask the tensor memory accelerator (TMA) for boxes?
bool asks_tma(const std::vector<Kernel>& kernels);
// The main, after `host_text`.
std::string cuda_main(const lower::Program& program, const std::string& launcher, bool checks);

} // namespace loopscope::codegen
