#pragma once
// Members of a request's arguments. Each throws nlohmann::json::exception, which the server answers
// with, where one is of another type or beyond its limits: the library itself would wrap a number.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace loopscope::worker {

// A whole number from `least` to `most`; `otherwise` where it may be missing, and is.
int whole_of(const nlohmann::json& arguments, const char* key, int least, int most);
int whole_or(const nlohmann::json& arguments, const char* key, int otherwise, int least, int most);
// Seconds, above 0; `otherwise` where they are missing.
double seconds_or(const nlohmann::json& arguments, const char* key, double otherwise);
std::optional<double> tolerance_of(const nlohmann::json& arguments); // 0 or more
std::uint64_t seed_of(const nlohmann::json& arguments);
std::map<std::string, std::int64_t> params_of(const nlohmann::json& arguments);

} // namespace loopscope::worker
