#include "compiler/gpu/codes.h"

#include <algorithm>
#include <atomic>

namespace loopscope::gpu {

namespace {
std::atomic<bool> left = false; // what the process holds of the driver ends with the process
}

void leave_to_the_system() { left = true; }
bool left_to_the_system() { return left; }

bool ends_process(const Diagnostics& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
        return d.code == kCodeFault || d.code == kCodeHang;
    });
}

} // namespace loopscope::gpu
