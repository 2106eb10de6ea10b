#pragma once
// Sizes at which the interpreter of SIMT programs checks a schedule: it takes a microsecond for
// what a GPU does in a clock, and the sizes that people schedule for would take it days.

#include "core/base/result.h"
#include "core/device/device.h"
#include "core/ir/pipeline.h"

#include <cstdint>
#include <map>
#include <string>

namespace loopscope::session {

// The params of the pipeline's text, smaller, so that the script still applies, is still runnable,
// and takes the interpreter seconds; where it can be they are no multiples of tiles, so that tails
// are checked too. The given ones where those are small enough or nothing smaller applies.
std::map<std::string, std::int64_t> check_sizes(const std::string& name, const std::string& text,
                                                const std::map<std::string, std::int64_t>& params,
                                                const std::string& script,
                                                const device::Device& device);

} // namespace loopscope::session
