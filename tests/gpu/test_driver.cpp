// The driver: found or not, our declarations of it, limits, and what becomes of a worker.
#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"
#include "compiler/gpu/limits.h"
#include "compiler/protocol/worker_client.h"
#include "tests/gpu/gpu_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace loopscope {
namespace {

using test::FakeDriver;
using test::pipeline;
using test::run_cli;
using test::run_with_driver;
using testing::HasSubstr;

std::vector<std::string> check_blur() {
    return {"check", pipeline("blur"), "--param", "H=8", "--param", "W=8", "--target", "cuda"};
}

TEST(Driver, AMachineWithoutOneSaysSo) {
    auto outcome = run_cli(check_blur(), "", "export LOOPSCOPE_CUDA_LIBRARY=/nowhere/libcuda.so.1");
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("there is no NVIDIA driver on this machine"));
    EXPECT_THAT(outcome.err, HasSubstr("`--target simt` checks kernels without a GPU"));
}

TEST(Driver, AnotherLibraryIsNoDriver) {
    auto outcome = run_cli(check_blur(), "", "export LOOPSCOPE_CUDA_LIBRARY=libc.so.6");
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("libc.so.6 lacks cuInit, "));
}

TEST(Driver, StatusesOfItsStartAreExplained) {
    auto stub = run_with_driver(check_blur(), {{"FAKE_CUDA_INIT", "34"}});
    EXPECT_EQ(stub.status, 3);
    EXPECT_THAT(stub.err, HasSubstr("is the CUDA toolkit's stub"));
    auto none = run_with_driver(check_blur(), {{"FAKE_CUDA_INIT", "100"}});
    EXPECT_EQ(none.status, 3);
    EXPECT_THAT(none.err, HasSubstr("finds no GPU"));
    none = run_with_driver(check_blur(), {{"FAKE_CUDA_DEVICES", "0"}});
    EXPECT_THAT(none.err, HasSubstr("finds no GPU"));
    auto mismatch = run_with_driver(check_blur(), {{"FAKE_CUDA_INIT", "803"}});
    EXPECT_THAT(mismatch.err, HasSubstr("does not fit the kernel module"));
}

TEST(Driver, TheToolkitsStubIsRecognized) {
    const std::string stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
    if (!std::filesystem::exists(stub))
        GTEST_SKIP() << "no CUDA toolkit here, and so no stub of its driver";
    auto outcome = run_cli(check_blur(), "", "export LOOPSCOPE_CUDA_LIBRARY=" + stub);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("is the CUDA toolkit's stub"));
}

TEST(Driver, TheGpuOfThisMachineChecks) {
    auto outcome = run_cli(check_blur(), "", "unset LOOPSCOPE_CUDA_LIBRARY");
    if (outcome.status == 3)
        GTEST_SKIP() << "no GPU here: " << outcome.err;
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST(Driver, AWorkerGoesOnBehindAFault) {
    measure::WorkerOptions options;
    options.program = test::program_path("loopscope-worker");
    options.environment = {std::string(gpu::kCudaLibraryVariable) + "=" + LOOPSCOPE_FAKE_DRIVER,
                           "FAKE_CUDA_FAULT=700:out"};
    measure::WorkerClient worker(options);
    const nlohmann::json request{
        {"pipeline", {{"name", "blur.loop"}, {"text", test::read_file(pipeline("blur"))}}},
        {"params", {{"H", 8}, {"W", 8}}},
        {"target", "cuda"}};
    for (int time = 0; time < 2; ++time) {
        auto answer = worker.request("check", request);
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.errors().front().code, gpu::kCodeFault);
        EXPECT_THAT(answer.errors().front().message, HasSubstr("ILLEGAL_ADDRESS"));
        auto on_cpu = request;
        on_cpu["target"] = "cpu";
        auto right = worker.request("check", on_cpu);
        ASSERT_TRUE(right) << format(right.errors());
        EXPECT_EQ(right->at("status"), "right");
    }
}

TEST(Driver, AttachedGpusHaveTheirLimits) {
    FakeDriver driver;
    auto gpus = gpu::attached_gpus();
    ASSERT_TRUE(gpus) << format(gpus.errors());
    ASSERT_EQ(gpus->size(), 1u);
    const auto& gpu = gpus->front();
    EXPECT_EQ(gpu.architecture(), "sm_90");
    EXPECT_EQ(gpu.shared_bytes_per_block_optin, 232448);
    EXPECT_EQ(gpu.grid_extents, (std::array<std::int64_t, 3>{2147483647, 65535, 65535}));
    EXPECT_TRUE(gpu.clusters);
}

gpu::AttachedGpu hopper() {
    FakeDriver driver;
    return gpu::attached_gpus()->front();
}

TEST(Limits, PtxOfNewerOrOtherArchitecturesDoesNotRun) {
    const auto gpu = hopper();
    EXPECT_TRUE(gpu::check_architecture(gpu, "sm_80"));
    EXPECT_TRUE(gpu::check_architecture(gpu, "sm_90a"));
    EXPECT_FALSE(gpu::check_architecture(gpu, "sm_100"));
    EXPECT_FALSE(gpu::check_architecture(gpu, "sm_80a")) << "that architecture alone";
    EXPECT_FALSE(gpu::check_architecture(gpu, "pascal"));
}

TEST(Limits, EachExcessIsNamedWithBothFigures) {
    gpu::Plan plan;
    plan.architecture = "sm_80";
    gpu::PlanKernel kernel;
    kernel.name = "k";
    kernel.block = {2048, 1, 1};
    kernel.grid = {1, 70000, 1};
    kernel.shared_bytes = 300000;
    kernel.dynamic_bytes = 300000;
    plan.kernels = {kernel};
    const auto text = format(gpu::check_limits(hopper(), plan));
    for (auto part :
         {"2048 threads in a block, and Fake GPU takes at most 1024", "2048 threads along x",
          "70000 blocks along y",
          "300000 bytes of shared memory in a block, and Fake GPU takes at most 232448"})
        EXPECT_THAT(text, HasSubstr(part));
    kernel = {};
    kernel.name = "k";
    kernel.grid = {7, 1, 1};
    kernel.cluster = {2, 1, 1};
    plan.kernels = {kernel};
    EXPECT_THAT(format(gpu::check_limits(hopper(), plan)),
                HasSubstr("no multiple of its clusters"));
    plan.kernels[0].grid[0] = 8;
    EXPECT_TRUE(gpu::check_limits(hopper(), plan).empty());
}

} // namespace
} // namespace loopscope
