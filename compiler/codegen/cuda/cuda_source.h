#pragma once
// Launches of loop programs as CUDA C++: a kernel for each, and a function that launches them in
// order; on request a host program that runs them on files, or checks and times them. It is one
// file, for people to read and take away, and gives the bits of the compiled program: products,
// quotients and roots of floats say how they round, 16-bit floats are converted by integer code.
// The running driver describes boxes of arrays to the tensor memory accelerator (TMA); the file
// asks the runtime for the driver's entry, and links no driver.
//
// Expected: a program for a device after device_source_passes(); that of device_passes() works as
// well. Errors: what CUDA or the architecture does not have, named with the statement it stands in.

#include "compiler/codegen/c/c_source.h"
#include "compiler/codegen/kernel_source/kernel_options.h"

namespace loopscope::codegen {

struct CudaOptions : KernelOptions {
    std::string architecture = "sm_80"; // "sm_75", "sm_80", "sm_90", …
};

// The source's `function`: cudaError_t FUNCTION(symbols…, arguments…, [memory,] stream), with
// pointers of the device.
Result<CSource> cuda_source(const lower::Program& program, const CudaOptions& options = {});

} // namespace loopscope::codegen
