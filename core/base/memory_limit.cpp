#include "core/base/memory_limit.h"

#include "core/base/sanitized.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace loopscope {

namespace {

std::optional<std::int64_t> number_in(const std::string& path) {
    std::ifstream file(path);
    std::int64_t value = 0;
    if (file >> value)
        return value;
    return std::nullopt; // also "max"
}

// The number behind a key: "MemAvailable: 123 kB", "inactive_file 4096".
std::int64_t number_behind(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string word; file >> word;)
        if (word == key) {
            std::int64_t value = 0;
            file >> value;
            return value;
        }
    return 0;
}

struct Group {
    std::int64_t limit = 0, used = 0; // used: without what the system would drop
};

// Names of a version's files.
struct Version {
    const char *controller, *folder; // of /proc/self/cgroup; below the cgroups' folder
    const char *limit, *used, *dropped;
};
constexpr Version kVersions[] = {
    {"", "", "memory.max", "memory.current", "inactive_file"},
    {"", "/unified", "memory.max", "memory.current", "inactive_file"},
    {"memory", "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

// The process's group under a controller: "4:memory:/a/b", "0::/a/b".
std::optional<std::string> group_of(const SystemFiles& files, const std::string& controller) {
    std::ifstream file(files.proc + "/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const auto names = "," + line.substr(first + 1, second - first - 1) + ",";
        if (controller.empty() ? names == ",," : names.find("," + controller + ",") != names.npos)
            return line.substr(second + 1);
    }
    return std::nullopt;
}

// Those around the process that have a limit. A container sees its own group as the root.
std::vector<Group> groups(const SystemFiles& files) {
    std::vector<Group> found;
    for (const auto& version : kVersions) {
        auto path = group_of(files, version.controller);
        if (!path)
            continue;
        for (;;) {
            const auto folder = files.cgroup + version.folder + *path + "/";
            if (auto limit = number_in(folder + version.limit); limit && *limit > 0) {
                const auto used = number_in(folder + version.used).value_or(0);
                const auto dropped = number_behind(folder + "memory.stat", version.dropped);
                found.push_back({*limit, std::max<std::int64_t>(used - dropped, 0)});
            }
            const auto slash = path->rfind('/');
            if (path->empty() || slash == std::string::npos)
                break;
            path->erase(slash);
        }
    }
    return found;
}

// What limit_own_memory was given.
MemoryLimit& set_limit() {
    static MemoryLimit limit;
    return limit;
}

std::int64_t own_limit(int resource) {
    rlimit limit{};
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return kMost;
    return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, kMost));
}

// Bytes of addresses that the process has.
std::int64_t own_addresses(const SystemFiles& files) {
    return number_in(files.proc + "/self/statm").value_or(0) * ::sysconf(_SC_PAGESIZE);
}

} // namespace

std::string MemoryLimit::text() const {
    return cause + " " + std::to_string(bytes >> 20) + " MiB" +
           (reason.empty() ? "" : ", for " + reason);
}

MemoryLimit memory_limit(const SystemFiles& files) {
    MemoryLimit least{std::int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE),
                      "this machine has", ""};
    const auto hold = [&](std::int64_t bytes, const char* cause) {
        if (bytes >= least.bytes)
            return;
        if (bytes == set_limit().bytes)
            least = set_limit();
        else
            least = {bytes, cause, ""};
    };
    for (const auto& group : groups(files))
        hold(group.limit, "a control group allows");
    hold(own_limit(RLIMIT_AS), "`ulimit -v` allows");
    hold(own_limit(RLIMIT_DATA), "`ulimit -d` allows");
    return least;
}

std::int64_t available_memory(const SystemFiles& files) {
    auto least = number_behind(files.proc + "/meminfo", "MemAvailable:") * 1024;
    if (least <= 0)
        least = memory_limit(files).bytes;
    for (const auto& group : groups(files))
        least = std::min(least, group.limit - group.used);
    const auto addresses = std::min(own_limit(RLIMIT_AS), own_limit(RLIMIT_DATA));
    if (addresses != std::numeric_limits<std::int64_t>::max())
        least = std::min(least, addresses - own_addresses(files));
    return std::max<std::int64_t>(least, 0);
}

void limit_own_memory([[maybe_unused]] const MemoryLimit& limit) {
#if !defined(LOOPSCOPE_SANITIZED)
    rlimit addresses{};
    ::getrlimit(RLIMIT_AS, &addresses);
    // Not the greatest that may be set: a GPU's driver must be able to reserve addresses
    // (compiler/gpu/cuda_library.h).
    addresses.rlim_cur = std::min(static_cast<rlim_t>(limit.bytes), addresses.rlim_max);
    ::setrlimit(RLIMIT_AS, &addresses);
    set_limit() = limit;
#endif
}

std::string out_of_memory_text() try {
    return "out of memory: " + memory_limit().text();
} catch (const std::bad_alloc&) {
    return "out of memory"; // which is short enough to need none
}

} // namespace loopscope
