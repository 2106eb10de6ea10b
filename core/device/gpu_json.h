#pragma once
// A GPU's description as JSON, in the form that gpu_reader.h reads.

#include "core/device/device.h"

#include <nlohmann/json.hpp>

namespace loopscope::device {

nlohmann::json gpu_json(const Gpu& gpu); // the value of "gpu"
// The values of "levels" and "scopes": what the device adds to those of the schedule language.
nlohmann::json own_levels_json(const Device& device);
nlohmann::json own_scopes_json(const Device& device);

} // namespace loopscope::device
