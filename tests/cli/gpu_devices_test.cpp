// GPUs at the command line: they are listed, and so far not estimated.
#include "tests/cli/run_cli.h"

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

TEST(GpuDevices, AreNotEstimatedByModelsOfProcessors) {
    auto script = test::write_file("gpu.sched", "schedule for blur\ntarget a100-pcie-40gb\n");
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"--device", "a100-pcie-40gb"},
                                               {"--device", "a100-pcie-40gb", "--model", "all"},
                                               {"-s", script, "--json"}}) {
        std::vector<std::string> line{"estimate", pipeline("blur")};
        line.insert(line.end(), arguments.begin(), arguments.end());
        auto outcome = run_cli(line);
        EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("`a100-pcie-40gb` is a GPU, and the models of this "
                                           "version estimate processors"));
        EXPECT_EQ(outcome.out, "");
    }
}

} // namespace
} // namespace loopscope
