// devices: the GPUs that are attached.
#include "tests/gpu/gpu_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
    const test::Settings small{{"FAKE_CUDA_MEMORY", "268435456"}, {"FAKE_CUDA_KERNEL_US", "1000"}};
    outcome = run_with_driver({"devices", "--probe"}, small);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("f16 tensor cores, by wgmma"));
    EXPECT_THAT(outcome.out, HasSubstr("f64 tensor cores, by mma.sync"));
    EXPECT_THAT(outcome.out, testing::ContainsRegex("copy, read and written +134 GB/s"));
    outcome = run_with_driver({"devices"}, small);
    EXPECT_THAT(outcome.out, testing::ContainsRegex("copy, read and written +134 GB/s")) << "kept";
}

} // namespace
} // namespace loopscope
