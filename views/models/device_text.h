#pragma once
// Devices in a person's words, for lists that they are chosen from.

#include "core/device/device.h"

#include <QString>

namespace loopscope::views {

// What a device is good for, by the ceilings that the roofline draws of it: "32 cores, AVX-512, f32
// 1.2 TFLOP/s, memory 80 GB/s", "f16 tensor cores 990 TFLOP/s, f32 67 TFLOP/s, memory 4.8 TB/s".
// What is not known is said, never left out.
QString good_for(const device::Device& device);

// A long name by its beginning and its end, for where there is room for so many characters.
QString shortened(const QString& name, int characters);

} // namespace loopscope::views
