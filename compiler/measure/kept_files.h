#pragma once
// What is found out once and kept for the next start, in the user's cache folder.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace loopscope::measure {

// Whole or not at all: another process that reads never sees half a file. Its folder is made where
// it is missing. Errors: `path` is empty, for there is no cache folder; those of write_whole.
Status keep_file(const std::string& path, const nlohmann::json& value);

std::string today(); // "2026-11-28"

} // namespace loopscope::measure
