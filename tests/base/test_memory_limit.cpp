// Memory as control groups of either version say it, and the process's own limits.
#include "core/base/memory_limit.h"
#include "core/base/sanitized.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace loopscope {
namespace {

class System {
public:
    System() : folder_(test::scratch_folder()) {
        files.proc = folder_ + "/proc";
        files.cgroup = folder_ + "/cgroup";
        write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n");
        write("proc/self/statm", "100 50 20\n");
    }
    void write(const std::string& path, const std::string& text) const {
        const auto place = std::filesystem::path(folder_) / path;
        std::filesystem::create_directories(place.parent_path());
        std::ofstream(place) << text;
    }
    SystemFiles files;

private:
    std::string folder_;
};

constexpr std::int64_t kMiB = 1 << 20;

TEST(MemoryLimit, OfTheFirstVersion) {
    System system;
    system.write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/outer/inner\n0::/\n");
    system.write("cgroup/memory/outer/inner/memory.limit_in_bytes", "9223372036854771712\n");
    system.write("cgroup/memory/outer/memory.limit_in_bytes", std::to_string(200 * kMiB) + "\n");
    system.write("cgroup/memory/outer/memory.usage_in_bytes", std::to_string(150 * kMiB) + "\n");
    system.write("cgroup/memory/outer/memory.stat",
                 "cache 1\ntotal_inactive_file " + std::to_string(30 * kMiB) + "\n");
    const auto limit = memory_limit(system.files);
    EXPECT_EQ(limit.bytes, 200 * kMiB);
    EXPECT_EQ(limit.text(), "a control group allows 200 MiB");
    EXPECT_EQ(available_memory(system.files), 80 * kMiB) << "what is dropped counts as free";
}

TEST(MemoryLimit, OfTheSecondVersion) {
    System system;
    system.write("proc/self/cgroup", "0::/user/app\n");
    system.write("cgroup/user/app/memory.max", "max\n");
    system.write("cgroup/user/memory.max", std::to_string(100 * kMiB) + "\n");
    system.write("cgroup/user/memory.current", std::to_string(90 * kMiB) + "\n");
    system.write("cgroup/user/memory.stat", "anon 5\ninactive_file 0\n");
    EXPECT_EQ(memory_limit(system.files).bytes, 100 * kMiB);
    EXPECT_EQ(available_memory(system.files), 10 * kMiB);
}

// A container sees its own group as the root, whatever its name is outside.
TEST(MemoryLimit, OfAContainersRoot) {
    System system;
    system.write("proc/self/cgroup", "0::/\n");
    system.write("cgroup/memory.max", std::to_string(64 * kMiB) + "\n");
    EXPECT_EQ(memory_limit(system.files).bytes, 64 * kMiB);
}

// Which a process sets for itself: in a child.
TEST(MemoryLimit, OfItsOwnNamesWhatItFollowsFrom) {
#if defined(LOOPSCOPE_SANITIZED)
    GTEST_SKIP() << "sanitizers reserve terabytes of addresses, and no limit is set";
#endif
    const auto child = ::fork();
    if (child == 0) {
        limit_own_memory({512 * kMiB, "the worker may use", "a control group allows 600 MiB"});
        const bool named = out_of_memory_text() ==
                           "out of memory: the worker may use 512 MiB, for a control "
                           "group allows 600 MiB";
        const bool held = ::mmap(nullptr, 600 * kMiB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                 0) == MAP_FAILED;
        ::_exit(named && held ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// As `ulimit -v` has set it.
TEST(MemoryLimit, OfTheProcess) {
#if defined(LOOPSCOPE_SANITIZED)
    GTEST_SKIP() << "sanitizers reserve terabytes of addresses, and could map no more";
#endif
    const System system;
    const auto half = memory_limit(system.files).bytes / 2, page = ::sysconf(_SC_PAGESIZE);
    system.write("proc/self/statm", std::to_string((half - 100 * kMiB) / page) + " 50 20\n");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
    auto less = before;
    less.rlim_cur = static_cast<rlim_t>(half);
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
    const auto limit = memory_limit(system.files);
    const auto available = available_memory(system.files);
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_EQ(limit.text(), "`ulimit -v` allows " + std::to_string(half >> 20) + " MiB");
    EXPECT_NEAR(static_cast<double>(available), 100 * kMiB, 2.0 * static_cast<double>(page));
}

TEST(MemoryLimit, WithoutGroupsItIsTheMachines) {
    const System system;
    const auto limit = memory_limit(system.files);
    EXPECT_GT(limit.bytes, 100 * kMiB);
    EXPECT_LE(available_memory(system.files), 4096 * kMiB);
}

} // namespace
} // namespace loopscope
