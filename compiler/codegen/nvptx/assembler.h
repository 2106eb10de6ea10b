#pragma once
// The verdict of NVIDIA's assembler on PTX, where a CUDA toolkit is at hand. Nothing of the product
// needs it to run.

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct KernelResources {
    std::string name;
    int registers = 0;             // of a thread
    std::int64_t spill_stores = 0; // bytes
    std::int64_t spill_loads = 0;  // bytes
    std::int64_t stack_bytes = 0;
    std::int64_t shared_bytes = 0; // static; dynamic shared memory is not seen
};

struct Assembly {
    std::vector<KernelResources> kernels;
    std::string warnings; // as ptxas said them, and its numbered advice; lines
};

// The path of a tool of the toolkit ("ptxas", "nvdisasm", "nvcc"): $CUDA_HOME/bin, the PATH,
// /usr/local/cuda/bin; empty: none.
std::string find_cuda_tool(const std::string& tool);

// Errors: no ptxas (code "no-toolkit"); what ptxas refused, with its words; more than `seconds` of
// time. Runs in a directory of its own, which is gone afterwards. `cubin`: receives the machine
// code.
Result<Assembly> assemble(const std::string& ptx, const std::string& architecture,
                          std::string* cubin = nullptr, double seconds = 60);
// Disassembles the machine code as SASS with the kernels' names, by nvdisasm. Errors: as above.
Result<std::string> disassemble(const std::string& cubin, double seconds = 60);

} // namespace loopscope::codegen
