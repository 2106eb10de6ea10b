#pragma once
// Devices that programs reach through OpenCL as devices like others: what OpenCL says of them, with
// what was measured of them.
//
// One of a model that the resources describe, by the name that its driver calls it, has that one's
// figures. Another GPU has those of the described one that is nearest by units and memory, scaled
// by units and clocks, which is a guess; of a processor nothing is guessed, and nothing estimated
// before its peaks are measured. OpenCL C has no tensor instructions: none of these devices has.
// Each description is kept as a file, so that scripts can name it, and other processes know it.

#include "compiler/opencl/device.h"
#include "compiler/opencl/peaks.h"
#include "core/base/result.h"
#include "core/device/device.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope::measure {

struct OpenclFound {
    opencl::Device device;
    std::optional<opencl::Peaks> peaks;
};
// `found`: all of a machine, as OpenCL counts them, which their targets do ("opencl:1"). What
// cannot be a device is said in `left_out`, and what could not be kept.
std::vector<device::Device> devices_of_opencl(const std::vector<OpenclFound>& found,
                                              Diagnostics& left_out);

// What was measured of a device is kept in the user's cache folder, for one version of its
// platform. Errors: the file cannot be written.
Status keep_peaks(const opencl::Device& device, const opencl::Peaks& peaks);
std::optional<opencl::Peaks> kept_peaks(const opencl::Device& device); // nothing: none, or broken

} // namespace loopscope::measure
