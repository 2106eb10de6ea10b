#pragma once
// How much memory a process may have here: the machine's, what control groups of either version
// allow it and those around it, what its own limits (ulimit) allow.

#include <cstdint>
#include <string>

namespace loopscope {

struct MemoryLimit {
    std::int64_t bytes = 0;
    std::string cause;  // "this machine has", "a control group allows", "`ulimit -v` allows"
    std::string reason; // of a limit that we set, the text of the one that it follows from
    // "a control group allows 2048 MiB"
    // "the worker may use 1843 MiB, for a control group allows 2048 MiB"
    std::string text() const;
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

// Limits this process's addresses, so that an allocation beyond is an error of the program where
// the system's own shortage would kill at random, and is what memory_limit() gives from then on.
// Under sanitizers, which reserve terabytes of addresses, there is no such limit.
void limit_own_memory(const MemoryLimit& limit);

// "out of memory: this machine has 24000 MiB", for who has just caught std::bad_alloc.
std::string out_of_memory_text();

} // namespace loopscope
