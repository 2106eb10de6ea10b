#pragma once
// How ssh is called, and what its failures mean.

#include "core/base/result.h"

#include <string>
#include <vector>

namespace loopscope::remote {

struct CommandLine {
    std::string program;
    std::vector<std::string> arguments;
};
// That runs a script of the POSIX shell on the host, whatever the person's shell is there; empty:
// here. Errors: there is no ssh (kCodeTarget).
Result<CommandLine> command_of(const std::string& host, const std::string& script);

constexpr int kSshFailed = 255; // ssh's status where the connection and not the command failed

// What ssh said, as an error with a remedy: kCodeTarget where there was no connection,
// gpu::kCodeConnection where there was one.
Diagnostic ssh_failure(const std::string& host, const std::string& said);

} // namespace loopscope::remote
