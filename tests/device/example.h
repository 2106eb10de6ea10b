#pragma once
// A description that has every key, and what reading a changed one says.

#include "core/device/device.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {

device::Device example();
std::string errors_of(const nlohmann::json& value); // "no error" if there is none

} // namespace loopscope::test
