#pragma once
// What a command writes must not take the place of what it reads.

#include "app/cli/command.h"
#include "core/base/result.h"

namespace loopscope::cli {

// Holds the files of `-o` and `--output` against the pipeline, the schedule, the arrays of
// `--input`, and `device_file` (empty: the device has none). Errors: one of them is written too, by
// whatever name.
Status check_overwrites(const Options& options, const std::string& device_file);

} // namespace loopscope::cli
