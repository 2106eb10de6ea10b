#pragma once
// Forms of `emit` that are kernels' source.

#include "compiler/codegen/c/c_source.h"
#include "compiler/worker/program.h"

#include <nlohmann/json_fwd.hpp>

namespace loopscope::worker {

bool is_kernel_source(const std::string& form); // "cuda", "opencl"

// Lowered by device_source_passes(), of a program that was loaded for a device. `scalar_loops`: as in LowerOptions.
// `copy_engine`: the language can ask for boxes of arrays.
Result<lower::Program>
lower_for_kernel_source(const LoadedProgram& loaded,
                        std::vector<lower::ScalarLoop>* scalar_loops = nullptr,
                        bool copy_engine = false);

// Of a program that was loaded for a device. Keys: compiler/measure/requests.h, of emit.
Result<codegen::CSource> kernel_source(const LoadedProgram& loaded, const std::string& form,
                                       const nlohmann::json& arguments);

} // namespace loopscope::worker
