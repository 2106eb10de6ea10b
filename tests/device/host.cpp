// The host as a device: what hwloc and the processor say, and where measured figures are kept.
#include "compiler/measure/host_device.h"
#include "compiler/protocol/paths.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sched.h>

namespace loopscope::measure {
namespace {

using testing::HasSubstr;

// Sets an environment variable for one test.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name))
            old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> old_;
};

TEST(Host, IsReadFromTheSystem) {
    auto host = read_host();
    EXPECT_EQ(host.name, "host");
    EXPECT_TRUE(host.is_host);
    EXPECT_GE(host.threads, host.cores);
    EXPECT_LE(host.threads, static_cast<int>(std::thread::hardware_concurrency()));
    EXPECT_GT(host.memory_bytes, std::int64_t(1) << 28);
    EXPECT_FALSE(host.description.empty());
    EXPECT_EQ(host.vector_bits, host_vector_bits());
    for (std::size_t i = 1; i < host.caches.size(); ++i)
        EXPECT_GE(host.caches[i].bytes, host.caches[i - 1].bytes);
    EXPECT_FALSE(has_figures(host)) << "figures are measured, never guessed";
}

TEST(Host, VectorWidthAgreesWithTheFeatures) {
    auto features = read_host().features;
    auto has = [&](const char* name) {
        return std::find(features.begin(), features.end(), name) != features.end();
    };
    EXPECT_EQ(host_vector_bits() >= 256, has("avx2"));
    EXPECT_EQ(host_vector_bits() == 512, has("avx512f") && has("avx512vl"));
}

TEST(Host, CountsOnlyProcessorsThatItMayUse) {
    cpu_set_t before, one;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &before)) {
            CPU_SET(i, &one);
            break;
        }
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    auto host = read_host();
    ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
    EXPECT_EQ(host.threads, 1);
    EXPECT_EQ(host.cores, 1);
}

TEST(Host, KeepsFiguresByMachine) {
    Environment cache("XDG_CACHE_HOME", test::scratch_folder());
    auto host = read_host();
    EXPECT_FALSE(has_figures(host_device()));
    auto kept = host;
    kept.flops_per_second[ScalarType::F32] = {5e10, "measured 2026-01-02"};
    kept.memory_bytes_per_second = device::Figure{1e10, "measured 2026-01-02"};
    if (!kept.caches.empty())
        kept.caches.front().bytes_per_second = device::Figure{9e10, "measured 2026-01-02"};
    std::filesystem::create_directories(cache_folder());
    std::ofstream(host_file(host)) << device::to_json(kept).dump();
    auto again = host_device();
    ASSERT_TRUE(has_figures(again));
    EXPECT_EQ(again.flops_per_second.at(ScalarType::F32).source, "measured 2026-01-02");
    if (!again.caches.empty()) {
        EXPECT_EQ(again.caches.front().bytes_per_second->value, 9e10);
    }

    auto other = host;
    other.cores += 1;
    EXPECT_NE(host_file(other), host_file(host)) << "figures of another machine must not be taken";

    std::ofstream(host_file(host)) << "{ half a fi";
    EXPECT_FALSE(has_figures(host_device())) << "a broken file is as good as none";
}

TEST(Host, CacheFolderFollowsTheSpecification) {
    Environment home("HOME", "/home/someone");
    {
        Environment cache("XDG_CACHE_HOME", "/tmp/c");
        EXPECT_EQ(cache_folder(), "/tmp/c/loopscope");
    }
    Environment relative("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(cache_folder(), "/home/someone/.cache/loopscope");
}

TEST(DescribedDevices, AreFoundByNameAndAllReadWithoutError) {
    Environment resources("LOOPSCOPE_RESOURCES", test::source_path("resources"));
    auto names = described_devices();
    EXPECT_THAT(names, testing::Contains("i7-6700"));
    for (const auto& name : names) {
        auto found = find_device(name);
        ASSERT_TRUE(found) << format(found.errors());
        EXPECT_EQ(found->name, name) << "a device is called as its file";
    }
}

TEST(DescribedDevices, SuggestsTheNearestName) {
    Environment resources("LOOPSCOPE_RESOURCES", test::source_path("resources"));
    auto unknown = find_device("i7-670");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(format(unknown.errors()), HasSubstr("did you mean `i7-6700`?"));
    EXPECT_EQ(unknown.errors().front().code, kCodeTarget);
}

} // namespace
} // namespace loopscope::measure
