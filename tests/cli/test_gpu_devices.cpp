// GPUs at the command line: they are listed, and schedules for them estimated.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_cli;
using testing::HasSubstr;

TEST(GpuDevices, AreListedWithLimitsAndCeilings) {
    auto text = run_cli({"devices"});
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_EQ(text.err, "");
    for (auto part :
         {"h200: NVIDIA H200", "sm_90a, 132 multiprocessors, 1.98 GHz, 141 GiB of memory",
          "of a block: 1 024 threads, 255 registers a thread, 227 KiB of shared memory (48 KiB "
          "without asking), clusters of 8",
          "of a multiprocessor: 2 048 threads in 64 warps, 32 blocks, 65 536 registers, 228 KiB",
          "bf16 tensor cores", "rtx2080ti: ", "agx-xavier: "})
        EXPECT_THAT(text.out, HasSubstr(part));
    for (auto line :
         {"f32 multiply-adds +67.0 TFLOP/s", "i8 tensor cores +1.98 POP/s",
          "L2 +60 MiB +6.92 TB/s +263 clocks", "memory +141 GiB +4.80 TB/s +479 clocks"})
        EXPECT_THAT(text.out, testing::ContainsRegex(line));
}

TEST(GpuDevices, JsonHasTheFormOfTheirFiles) {
    auto all = nlohmann::json::parse(run_cli({"devices", "--json"}).out).at("devices");
    int gpus = 0;
    for (const auto& device : all) {
        EXPECT_EQ(device.contains("gpu"), device.at("kind") == "gpu");
        EXPECT_EQ(device.contains("cores"), device.at("kind") == "cpu");
        gpus += device.contains("gpu");
        if (device.at("name") == "rtx3090") {
            EXPECT_EQ(device.at("gpu").at("limits").at("blocks_per_multiprocessor"), 16);
            EXPECT_THAT(device.at("file").get<std::string>(), testing::EndsWith("rtx3090.json"));
        }
    }
    EXPECT_GE(gpus, 8);
}

TEST(GpuDevices, ATargetLineMayNameOne) {
    auto script = test::write_file("gpu.sched", "schedule for blur\ntarget h200\n"
                                                "out.vectorize(x, native)\n");
    auto tree = run_cli({"tree", pipeline("blur"), "-s", script});
    EXPECT_EQ(tree.status, 0) << tree.err;
    EXPECT_THAT(tree.out, HasSubstr("x_v 8 vectorised")) << "what a thread loads at once: u16";
}

TEST(GpuDevices, AFileOfOnesOwnIsOneToo) {
    auto text = test::read_file(test::source_path("resources/devices/h200.json"));
    const std::string name = "\"name\": \"h200\"", few = "\"name\": \"half\"";
    ASSERT_NE(text.find(name), std::string::npos);
    auto mine = text;
    mine.replace(text.find(name), name.size(), few);
    const auto script = test::source_path("resources/pipelines/matmul_f16.gpu.sched");
    auto estimate = [&](const std::string& device) {
        return run_cli({"estimate", pipeline("matmul_f16"), "-s", script, "--device", device});
    };
    auto outcome = estimate(test::write_file("my gpu.json", mine));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("on half (described; not this machine)"));

    const std::string count = "\"multiprocessors\": 132";
    ASSERT_NE(text.find(count), std::string::npos);
    auto broken = text;
    broken.replace(text.find(count), count.size(), "\"multiprocessors\": -1");
    outcome = estimate(test::write_file("broken.json", broken));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, testing::ContainsRegex("broken.json:[0-9]+:[0-9]+: error: .*"
                                                    "multiprocessors"));
    outcome = estimate(test::write_file("cut.json", text.substr(0, text.size() / 2)));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("not a JSON text"));
    outcome = estimate(test::scratch_folder() + "/none.json");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("No such file"));
}

TEST(GpuDevices, AreEstimatedLaunchByLaunch) {
    auto script = test::write_file("gpu.sched", "schedule for blur\ntarget a100-pcie-40gb\n"
                                                "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n"
                                                "blur_x.compute_at(out, bx)\n");
    auto text = run_cli({"estimate", pipeline("blur"), "-s", script});
    EXPECT_EQ(text.status, 0) << text.err;
    for (auto part :
         {"bottleneck on a100-pcie-40gb (described; not this machine): ", "bound by DRAM",
          "200 × 600", "32 × 8", "640 B", "100 %: 8 blocks, limited by warps", "waves", "T_waves"})
        EXPECT_THAT(text.out, HasSubstr(part));
    auto json = run_cli({"estimate", pipeline("blur"), "-s", script, "--model", "all", "--json"});
    EXPECT_EQ(json.status, 0) << json.err;
    auto estimates = nlohmann::json::parse(json.out).at("estimates");
    ASSERT_EQ(estimates.size(), 2u);
    for (const auto& estimate : estimates) {
        EXPECT_GT(estimate.at("seconds"), 0);
        EXPECT_EQ(estimate.at("kernels").at(0).at("gpu").at("shared_bytes"), 640);
    }
}

TEST(GpuDevices, WithoutBindingsOneThreadIsEstimatedAndAdvised) {
    auto outcome = run_cli({"estimate", pipeline("matmul"), "--device", "h200"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("bound by issue; 1 thread\n"));
    EXPECT_THAT(outcome.out, HasSubstr("`C` binds no loop and runs in one thread; `C.gpu_tile("));
}

TEST(GpuDevices, WhatIsNotRunnableHasResourcesAndNoSeconds) {
    auto script = test::write_file("gpu.sched", "schedule for blur\ntarget h200\n"
                                                "out.gpu_tile(y, x, by, bx, ty, tx, 64, 32)\n");
    auto text = run_cli({"estimate", pipeline("blur"), "-s", script});
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("no estimate: a block has 2048 threads"));
    EXPECT_THAT(text.out, HasSubstr("not runnable"));
    auto json =
        nlohmann::json::parse(run_cli({"estimate", pipeline("blur"), "-s", script, "--json"}).out);
    EXPECT_TRUE(json.at("estimates").at(0).at("seconds").is_null());
}

} // namespace
} // namespace loopscope
