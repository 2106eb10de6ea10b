#pragma once
// NVIDIA's driver, found at run time: libcuda.so.1, or what LOOPSCOPE_CUDA_LIBRARY names (a path,
// for tests and for drivers in unusual places). A machine without one is an error like another.

#include "compiler/gpu/cuda_api.h"
#include "core/base/result.h"

#include <string>

namespace loopscope::gpu {

inline constexpr const char* kCudaLibraryVariable = "LOOPSCOPE_CUDA_LIBRARY";

// Loads and initialises the driver; later calls give the same. Errors, with code
// measure::kCodeTarget: there is no driver, or it is the toolkit's stub, lacks functions, or finds
// no device. Lifts the process's limit of addresses, if it has one, to one of memory: the driver
// reserves more addresses than any machine has memory.
Result<const CudaApi*> cuda_api();

// The table of functions of one library, not initialised; `library` is a handle of dlopen. Errors:
// functions that it lacks.
Result<CudaApi> functions_of(void* library, const std::string& path);

// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
std::string status_text(const CudaApi& api, CuResult status);
// Is the status a fault of kernel code, after which the context is of no use?
bool is_fault(CuResult status);
// `doing`: "allocating 12 bytes for A".
Diagnostic driver_error(const CudaApi& api, CuResult status, const std::string& doing);
// success(), or driver_error.
Status succeed(const CudaApi& api, CuResult status, const std::string& doing);

} // namespace loopscope::gpu
