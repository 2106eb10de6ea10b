#pragma once
// Where programs run: the values of "target" in requests (requests.h).

#include "core/base/result.h"

#include <string>
#include <vector>

namespace loopscope::measure {

// "cpu"; "simt", the interpreter of GPU programs; "opencl"; "cuda".
const std::vector<std::string>& targets();

// Errors (kCodeTarget): there is no such target; it is a device that is only described. Whether
// this machine has what the target needs, a GPU's driver or a platform of OpenCL, is for the worker
// to say.
Status check_target_name(const std::string& target);

} // namespace loopscope::measure
