// The GPUs that the resources describe: what every file says agrees with itself and with its
// architecture.
#include "compiler/measure/host_device.h"
#include "core/device/generic_gpu.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace loopscope::device {
namespace gpu_devices {

const std::vector<std::string> kNames{"v100",           "rtx2080ti", "agx-xavier", "a100-sxm-40gb",
                                      "a100-pcie-40gb", "rtx3090",   "h100-sxm",   "h200"};

Device described(const std::string& name) {
    auto device =
        measure::load_device_file(test::source_path("resources/devices/" + name + ".json"));
    EXPECT_TRUE(device) << format(device.errors());
    return device ? *device : Device{};
}

class DescribedGpu : public testing::TestWithParam<std::string> {
protected:
    const Device device = described(GetParam());
    const Gpu& gpu = *device.gpu;
};

TEST_P(DescribedGpu, IsAGpuCalledAsItsFile) {
    EXPECT_EQ(device.kind, "gpu");
    EXPECT_EQ(device.name, GetParam());
    EXPECT_GT(device.memory_bytes, std::int64_t(8) << 30);
    auto again = from_json(to_json(device), "again");
    ASSERT_TRUE(again) << format(again.errors());
    EXPECT_EQ(to_json(*again), to_json(device));
}

// Multiply-adds of f32 that a multiprocessor begins in a clock: CUDA C++ Programming Guide,
// throughput of arithmetic instructions. With multiprocessors and clock they make the peak that the
// datasheet gives.
TEST_P(DescribedGpu, PeakFollowsFromClockAndMultiprocessors) {
    const std::map<ComputeCapability, double> lanes{{{7, 0}, 64}, {{7, 2}, 64},  {{7, 5}, 64},
                                                    {{8, 0}, 64}, {{8, 6}, 128}, {{9, 0}, 128}};
    ASSERT_TRUE(gpu.boost_clock_hertz);
    const double peak =
        2 * lanes.at(gpu.capability()) * gpu.multiprocessors * gpu.boost_clock_hertz->value;
    EXPECT_NEAR(gpu.flops_per_second.at(ScalarType::F32).value / peak, 1, 0.01);
    EXPECT_NEAR(gpu.shared_bytes_per_clock->value,
                gpu.limits.shared_banks * gpu.limits.shared_bank_bytes, 0);
}

TEST_P(DescribedGpu, LevelsOfMemoryAreFasterInwards) {
    const double shared =
        gpu.shared_bytes_per_clock->value * gpu.boost_clock_hertz->value * gpu.multiprocessors;
    if (gpu.l2_bytes_per_second) {
        EXPECT_LT(gpu.l2_bytes_per_second->value, shared);
        EXPECT_LT(gpu.dram_bytes_per_second->value, gpu.l2_bytes_per_second->value);
    }
    if (gpu.l2_latency_clocks && gpu.shared_latency_clocks) {
        EXPECT_LT(gpu.shared_latency_clocks->value, gpu.l2_latency_clocks->value);
        EXPECT_LT(gpu.l2_latency_clocks->value, gpu.dram_latency_clocks->value);
    }
    EXPECT_LT(gpu.dram_bytes_per_second->value, shared);
}

// What PTX names for an architecture, and nothing that a later one brought.
TEST_P(DescribedGpu, CapabilitiesAreThoseOfItsArchitecture) {
    const auto capability = gpu.capability();
    auto since = [&](const char* name, ComputeCapability first) {
        EXPECT_EQ(gpu.has(name), capability >= first) << name;
    };
    since("wmma", {7, 0});
    since("ldmatrix", {7, 5});
    since("asynchronous_copy", {8, 0});
    since("barrier_objects", {8, 0});
    for (auto name : {"clusters", "bulk_copy", "bulk_tensor_copy", "warpgroup_mma", "stmatrix"})
        since(name, {9, 0});
    auto intrinsic_since = [&](const char* name, ComputeCapability first) {
        EXPECT_EQ(gpu.has_intrinsic(name), capability >= first) << name;
    };
    intrinsic_since("wmma_m16n16k16_f16", {7, 0});
    intrinsic_since("wmma_m16n16k16_s8", {7, 2});
    intrinsic_since("mma_m16n8k8_f16", {7, 5});
    intrinsic_since("mma_m16n8k16_bf16", {8, 0});
    intrinsic_since("wgmma_m64nNk16_f16", {9, 0});
    EXPECT_EQ(gpu.limits.blocks_per_cluster > 0, gpu.has("clusters"));
    EXPECT_EQ(gpu.limits.shared_bytes_reserved_per_block, capability.major >= 8 ? 1024 : 0);
}

// An operand that has a rate has an instruction.
TEST_P(DescribedGpu, TensorRatesHaveInstructions) {
    for (const auto& [type, figure] : gpu.tensor_flops_per_second) {
        const auto ending = "_" + (type == "i8" ? std::string("s8") : type);
        bool found = false;
        for (const auto& name : gpu.tensor_intrinsics)
            found = found || name.ends_with(ending);
        EXPECT_TRUE(found) << type;
        EXPECT_GT(figure.value, gpu.flops_per_second.at(ScalarType::F64).value);
    }
}

INSTANTIATE_TEST_SUITE_P(All, DescribedGpu, testing::ValuesIn(kNames), [](const auto& info) {
    auto name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(DescribedGpus, AreThoseOfThePapers) {
    auto expect = [](const char* name, const char* architecture, int multiprocessors,
                     std::int64_t shared_kilobytes_per_block) {
        const auto device = described(name);
        EXPECT_EQ(device.gpu->architecture, architecture) << name;
        EXPECT_EQ(device.gpu->multiprocessors, multiprocessors) << name;
        EXPECT_EQ(device.gpu->limits.shared_bytes_per_block, shared_kilobytes_per_block << 10)
            << name;
    };
    expect("v100", "sm_70", 80, 96);
    expect("rtx2080ti", "sm_75", 68, 64); // Sioutas, table 6.2
    expect("agx-xavier", "sm_72", 8, 48); // likewise
    expect("a100-sxm-40gb", "sm_80", 108, 163);
    expect("a100-pcie-40gb", "sm_80", 108, 163);
    expect("rtx3090", "sm_86", 82, 99);
    expect("h100-sxm", "sm_90a", 132, 227);
    expect("h200", "sm_90a", 132, 227);
}

TEST(DescribedGpus, TheGenericOneIsAnA100WithoutFigures) {
    auto a100 = to_json(described("a100-sxm-40gb")).at("gpu");
    const auto generic = to_json(generic_gpu()).at("gpu");
    a100["limits"].erase("source");
    auto limits = generic.at("limits");
    limits.erase("source");
    EXPECT_EQ(limits, a100.at("limits"));
    for (auto key : {"architecture", "multiprocessors", "capabilities", "tensor_intrinsics"})
        EXPECT_EQ(generic.at(key), a100.at(key)) << key;
}

} // namespace gpu_devices
} // namespace loopscope::device
