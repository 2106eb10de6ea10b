#pragma once
// Starting another program, and its end. By posix_spawn, never fork: the caller may have threads.

#include "core/base/result.h"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace loopscope::measure {

// Descriptors of the caller that become the program's standard streams; below 0: nothing to read,
// and nowhere to write.
struct SpawnStreams {
    int input = -1, output = -1, errors = -1;
};

// Starts the program with default signals, whatever the caller blocks or ignores, and in a process
// group of its own: Ctrl-C in a terminal reaches the caller, who ends the group in order.
// `environment`: "NAME=VALUE" each, beside the caller's own or in its place.
// Errors: the program cannot be started, with the system's reason.
Result<pid_t> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const SpawnStreams& streams, const std::vector<std::string>& environment = {});

struct ProcessEnd {
    bool in_time = true; // else it was killed
    bool by_signal = false;
    int signal = 0;
    int status = 0;
    std::string text() const; // "was ended by signal 11 SIGSEGV (Segmentation fault)"
};

// Waits for the end of what `spawn` started. After so many seconds it is killed with its group.
// None: it cannot be waited for, and errno says why.
std::optional<ProcessEnd> end_of(pid_t pid, double seconds);

} // namespace loopscope::measure
