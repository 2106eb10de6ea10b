// devices: the GPUs that are attached.
#include "app/cli/gpus.h"
#include "tests/gpu/gpu_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sstream>

namespace loopscope {
namespace {

using test::run_cli;
using test::run_with_driver;
using testing::HasSubstr;

TEST(Devices, AMachineWithoutADriverSaysThatItHasNone) {
    auto outcome = run_cli({"devices"}, "", "export LOOPSCOPE_CUDA_LIBRARY=/nowhere");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                HasSubstr("no GPU to run on (--target cuda): there is no NVIDIA driver"));
    auto json = run_cli({"devices", "--json"}, "", "export LOOPSCOPE_CUDA_LIBRARY=/nowhere");
    EXPECT_TRUE(nlohmann::json::parse(json.out).at("gpus").empty());
}

TEST(Devices, AttachedGpusHaveLimitsAndMeasuredCeilings) {
    auto outcome = run_with_driver({"devices"}, {{"FAKE_CUDA_DEVICES", "2"}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (auto part :
         {"cuda:0: Fake GPU\n  sm_90, 132 multiprocessors, 1.98 GHz, 8 GiB of memory, 50 MiB of L2",
          "cuda:1: Fake GPU",
          "of a block: 1 024 threads, 227 KiB of shared memory (48 KiB without asking)",
          "ceilings: not measured yet; `loopscope-cli devices --probe` does"})
        EXPECT_THAT(outcome.out, HasSubstr(part));
}

std::string listed(const cli::Options& options) {
    std::ostringstream out, err;
    auto gpus = cli::attached_gpus(options, {out, err});
    if (!gpus)
        return format(gpus.errors());
    cli::print_gpus(*gpus, out);
    return out.str() + err.str();
}

// What `devices --probe` does of GPUs. It measures this machine as well, which takes minutes where
// caches are large and is checked elsewhere (tests/cli).
TEST(Devices, ProbeMeasuresCeilingsAndKeepsThem) {
    const test::FakeDriver driver(
        {{"FAKE_CUDA_MEMORY", "268435456"}, {"FAKE_CUDA_KERNEL_US", "1000"}});
    ::setenv("XDG_CACHE_HOME", test::scratch_folder().c_str(), 1); // of this process, by itself
    cli::Options options;
    EXPECT_THAT(listed(options), HasSubstr("ceilings: not measured yet"));
    options.probe = true;
    const auto measured = listed(options);
    EXPECT_THAT(measured, HasSubstr("f16 tensor cores, by wgmma"));
    EXPECT_THAT(measured, HasSubstr("f64 tensor cores, by mma.sync"));
    EXPECT_THAT(measured, testing::ContainsRegex("copy, read and written +134 GB/s"));
    options.probe = false;
    EXPECT_THAT(listed(options), testing::ContainsRegex("copy, read and written +134 GB/s"))
        << "kept";
}

} // namespace
} // namespace loopscope
