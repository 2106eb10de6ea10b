#pragma once
// Where programs run: the values of "target" in requests (requests.h).

#include "core/base/result.h"

#include <string>
#include <vector>

namespace loopscope::measure {

// "cpu"; "simt", the interpreter of GPU programs; "opencl"; "cuda".
const std::vector<std::string>& targets();

constexpr int kMaxGpus = 1024; // far more than a machine has, by a driver or through OpenCL

struct Target {
    std::string kind; // one of targets()
    // Of "cuda": which GPU, as the driver counts them; of "opencl": which device, GPUs first.
    int number = 0;
};
// Of "cuda:1"; "cuda" is the first GPU, "opencl" the first device.
//
// Errors (kCodeTarget): there is no such target; it is a device that is only described. Whether
// this machine has what the target needs, a GPU's driver or a platform of OpenCL, is for the worker
// to say.
Result<Target> read_target(const std::string& text);
// Is it a device that programs reach through OpenCL?
bool is_opencl(const std::string& target);
std::string opencl_target(std::size_t number); // "opencl:1"

} // namespace loopscope::measure
