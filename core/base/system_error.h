#pragma once
// What the system says of a file, as an error.

#include "core/base/result.h"

#include <string>

namespace loopscope {

// The disk, a quota or a limit of the process leaves no room: no fault of what was to be written.
inline constexpr const char* kCodeDiskFull = "disk-full";

// "cannot write 'out.bin': No space left on device". `number`: errno.
Diagnostic system_error(const std::string& doing, const std::string& path, int number);

} // namespace loopscope
