#pragma once
// Running a program of the CUDA toolkit in a directory of its own, with a limit of time.

#include "core/base/private_directory.h"

#include <string>
#include <vector>

namespace loopscope::codegen {

struct ToolEnd {
    int status = 0;     // what it exited with, or 128 + the signal that ended it
    std::string output; // standard output and standard error together
};

// Runs a program. Errors: it cannot be started; it took more than `seconds` (code "time-limit"),
// and was ended with all that it started.
Result<ToolEnd> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                         const PrivateDirectory& directory, double seconds);

} // namespace loopscope::codegen
