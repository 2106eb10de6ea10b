#pragma once
// A process of this program that runs one job.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace loopscope::agent {

// Starts this program again and waits for it, at most so many seconds; then it is killed. What it
// gives on standard output; or "status": "failed" with "errors" that say how it ended.
nlohmann::json run_child(const std::vector<std::string>& arguments, double seconds);

} // namespace loopscope::agent
