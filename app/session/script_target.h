#pragma once
// The `target` line of a script: the device that the schedule is for.

#include <string>

namespace loopscope::session {

// The device that the script names; empty: none, or its beginning cannot be read.
std::string target_of(const std::string& script);
// The script with that device as its target, on the line that names one already or on a new one
// behind `schedule for`; an empty name: without such a line. Comments stay.
std::string with_target(const std::string& script, const std::string& device);

} // namespace loopscope::session
