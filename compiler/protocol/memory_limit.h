#pragma once
// How much memory a process may have here: the machine's, what control groups of either version
// allow it and those around it, what its own limits (ulimit) allow.

#include <cstdint>
#include <string>

namespace loopscope::measure {

struct MemoryLimit {
    std::int64_t bytes = 0;
    std::string cause;        // "this machine has", "a control group allows", "`ulimit -v` allows"
    std::string text() const; // "a control group allows 2048 MiB"
};

// Where the system says so; other folders in tests.
struct SystemFiles {
    std::string proc = "/proc";
    std::string cgroup = "/sys/fs/cgroup";
};

// The least of them.
MemoryLimit memory_limit(const SystemFiles& files = {});

// What of it can be had now, by what is in use already: caches of files that the system would drop
// count as free.
std::int64_t available_memory(const SystemFiles& files = {});

} // namespace loopscope::measure
