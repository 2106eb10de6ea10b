#pragma once
// Codes of this folder's diagnostics, beside those of compiler/protocol/worker_client.h.

#include "core/base/result.h"

namespace loopscope::gpu {

inline constexpr const char* kCodeFault = "gpu-fault"; // a kernel did what the hardware forbids
inline constexpr const char* kCodeHang = "gpu-hang";   // a kernel did not end in time
inline constexpr const char* kCodeNotRunnable = "not-runnable"; // more than the device has
inline constexpr const char* kCodeDriver = "gpu-driver";        // the driver refused something else
// To the machine with the GPU (compiler/remote): it had been there.
inline constexpr const char* kCodeConnection = "connection-lost";

// Do the diagnostics mean that the process can use the GPU no more? It has to end, and another one
// to begin.
bool ends_process(const Diagnostics& diagnostics);

// Stops giving back memory to the driver: freeing waits for kernels, and for ever for one that
// hangs.
void leave_to_the_system();
bool left_to_the_system();

} // namespace loopscope::gpu
