#pragma once
// What the worker is told of a program: the present revision's pipeline and params, and a script.

#include "app/document/document.h"
#include "core/device/device.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace loopscope::session {

nlohmann::json program_arguments(const Document& document, const std::string& script,
                                 const device::Device& device);

} // namespace loopscope::session
