#pragma once
// What diagnostics of this folder carry in `code`, beside those of
// compiler/protocol/worker_client.h.

#include "core/base/result.h"

namespace loopscope::gpu {

inline constexpr const char* kCodeFault = "gpu-fault"; // a kernel did what the hardware forbids
inline constexpr const char* kCodeHang = "gpu-hang";   // a kernel did not end in time
inline constexpr const char* kCodeNotRunnable = "not-runnable"; // more than the device has
inline constexpr const char* kCodeDriver = "gpu-driver";        // the driver refused something else

// After these the process can use the GPU no more: it has to end, and another one to begin.
bool ends_process(const Diagnostics& diagnostics);

// From then on nothing is given back to the driver: freeing memory waits for kernels, and so for
// ever for one that hangs.
void leave_to_the_system();
bool left_to_the_system();

} // namespace loopscope::gpu
