#pragma once
// Checks of what printers of kernels expect, made once, so that they need not.

#include "compiler/codegen/c/check.h"

#include <array>

namespace loopscope::codegen {

// What a language has for launches to ask for.
struct KernelRules {
    std::string language;   // "CUDA C++"
    bool has_warps = false; // and instructions of them
    bool has_tma = false;   // the TMA
    int architecture = 0;   // of NVIDIA's, where the language has warps
    std::string architecture_name;
    std::array<std::int64_t, 3> most_blocks{}, most_threads{}; // in x, y, z; 0: any number
    std::int64_t most_threads_of_block = 0;                    // likewise
};

// Empty when the program is in the form of device_source_passes() or device_passes(), and the
// language has all of it.
Diagnostics check_kernels(const lower::Program& program, const KernelRules& rules);

} // namespace loopscope::codegen
