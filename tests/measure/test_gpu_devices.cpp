// GPUs that a driver shows as devices.
#include "compiler/measure/gpu_devices.h"

#include "compiler/measure/host_device.h"
#include "compiler/measure/kept_files.h"
#include "compiler/measure/targets.h"
#include "compiler/protocol/worker_client.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace loopscope::measure {
namespace {

using nlohmann::json;
using test::must;
using testing::HasSubstr;

// What the worker says of an H100.
json h100() {
    return {{"ordinal", 0},
            {"name", "NVIDIA H100 80GB HBM3"},
            {"pci", "0000:1b:00.0"},
            {"architecture", "sm_90"},
            {"driver_version", 13000},
            {"multiprocessors", 132},
            {"memory_bytes", 85028896768},
            {"l2_bytes", 52428800},
            {"clock_hertz", 1.98e9},
            {"memory_clock_hertz", 2.619e9},
            {"memory_bus_bits", 5120},
            {"limits",
             {{"threads_per_block", 1024},
              {"block_extents", {1024, 1024, 64}},
              {"grid_extents", {2147483647, 65535, 65535}},
              {"registers_per_block", 65536},
              {"shared_bytes_per_block", 232448},
              {"shared_bytes_per_block_static", 49152},
              {"shared_bytes_reserved_per_block", 1024},
              {"threads_per_multiprocessor", 2048},
              {"blocks_per_multiprocessor", 32},
              {"registers_per_multiprocessor", 65536},
              {"shared_bytes_per_multiprocessor", 233472},
              {"clusters", true}}}};
}

// An RTX 4090 in what matters: a generation that is described, a capability that is not.
json another() {
    auto gpu = h100();
    gpu["ordinal"] = 1;
    gpu["name"] = "NVIDIA GeForce RTX 4090";
    gpu["architecture"] = "sm_89";
    gpu["multiprocessors"] = 128;
    gpu["clock_hertz"] = 2.52e9;
    gpu["memory_clock_hertz"] = 10.501e9;
    gpu["memory_bus_bits"] = 384;
    auto& limits = gpu["limits"];
    limits["threads_per_multiprocessor"] = 1536;
    limits["blocks_per_multiprocessor"] = 24;
    limits["shared_bytes_per_block"] = 101376;
    limits["shared_bytes_per_multiprocessor"] = 102400;
    limits["clusters"] = false;
    return gpu;
}

class GpuDevices : public testing::Test {
protected:
    void SetUp() override {
        cache_ = test::scratch_folder();
        ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    }
    std::string cache_;
};

TEST_F(GpuDevices, OneOfADescribedModelIsThatDevice) {
    const auto device = must(device_of_gpu(h100()));
    const auto described = must(find_device("h100-sxm"));
    EXPECT_EQ(device.name, "h100-sxm");
    EXPECT_EQ(device.target, "cuda:0");
    EXPECT_TRUE(device.is_here());
    EXPECT_FALSE(described.is_here());
    EXPECT_EQ(device.memory_bytes, 85028896768) << "of this card";
    EXPECT_EQ(device.gpu->architecture, "sm_90a");
    EXPECT_EQ(device.gpu->tensor_flops_per_second.at("f16").value,
              described.gpu->tensor_flops_per_second.at("f16").value);
    EXPECT_EQ(device.gpu->limits.shared_carveouts_bytes,
              described.gpu->limits.shared_carveouts_bytes);
}

TEST_F(GpuDevices, WhatWasMeasuredOfItTakesThePlaceOfItsDescription) {
    auto gpu = h100();
    gpu["ceilings"] = {{"copy_bytes_per_second", 2.9e12},
                       {"l2_copy_bytes_per_second", 5e12},
                       {"flops_per_second", {{"f32", 6.1e13}}},
                       {"tensor_flops_per_second", {{"f16", 8e14}}},
                       {"tensor_instruction", "wgmma"}};
    ASSERT_TRUE(keep_ceilings(gpu).ok());
    auto again = h100();
    read_kept_ceilings(again);
    const auto device = must(device_of_gpu(again));
    EXPECT_EQ(device.gpu->dram_bytes_per_second->value, 2.9e12);
    EXPECT_EQ(device.gpu->dram_bytes_per_second->source, "measured " + today());
    EXPECT_EQ(device.gpu->flops_per_second.at(ScalarType::F32).value, 6.1e13);
    EXPECT_EQ(device.gpu->tensor_flops_per_second.at("f16").value, 8e14);
    EXPECT_THAT(device.gpu->tensor_flops_per_second.at("tf32").source, HasSubstr("whitepaper"));
    again["pci"] = "0000:2b:00.0";
    again.erase("ceilings");
    read_kept_ceilings(again);
    EXPECT_FALSE(again.contains("ceilings")) << "of another card";
}

TEST_F(GpuDevices, KeptFiguresThatAreNoneCountAsNone) {
    auto gpu = h100();
    gpu["ceilings"] = {{"copy_bytes_per_second", 1.0}};
    ASSERT_TRUE(keep_ceilings(gpu).ok());
    std::string file;
    for (const auto& entry : std::filesystem::directory_iterator(cache_ + "/loopscope"))
        file = entry.path();
    for (const char* text :
         {"", "{", "[]", "3", "{\"flops_per_second\": 3}",
          "{\"flops_per_second\": {}, \"tensor_flops_per_second\": {\"f16\": \"many\"},"
          "\"copy_bytes_per_second\": 1, \"l2_copy_bytes_per_second\": 1}"}) {
        std::ofstream(file) << text;
        auto read = h100();
        read_kept_ceilings(read);
        EXPECT_FALSE(read.contains("ceilings")) << text;
    }
}

TEST_F(GpuDevices, AnotherTakesWhatItsDriverDoesNotSayFromTheNearest) {
    const auto device = must(device_of_gpu(another()));
    const auto base = must(find_device("rtx3090")); // 8.6, the greatest below 8.9
    EXPECT_EQ(device.name, "nvidia-geforce-rtx-4090");
    EXPECT_EQ(device.target, "cuda:1");
    EXPECT_EQ(device.gpu->architecture, "sm_89");
    EXPECT_EQ(device.gpu->tensor_intrinsics, base.gpu->tensor_intrinsics);
    const auto clocks = 2.52e9 / base.gpu->boost_clock_hertz->value;
    EXPECT_NEAR(device.gpu->flops_per_second.at(ScalarType::F32).value,
                base.gpu->flops_per_second.at(ScalarType::F32).value * clocks * 128 / 82, 1e9);
    EXPECT_NEAR(device.gpu->dram_bytes_per_second->value, 1.008e12, 1e9);
    EXPECT_EQ(device.gpu->limits.threads_per_multiprocessor, 1536);
    EXPECT_EQ(device.gpu->limits.warps_per_multiprocessor, 48);
    EXPECT_THAT(device.description, HasSubstr("is taken from rtx3090"));
}

TEST_F(GpuDevices, ScriptsCanNameItWhereItWasAttachedOnce) {
    EXPECT_FALSE(find_device("nvidia-geforce-rtx-4090"));
    Diagnostics left_out;
    const auto devices = devices_of_gpus(json::array({h100(), another()}), left_out);
    EXPECT_TRUE(left_out.empty()) << format(left_out);
    ASSERT_EQ(devices.size(), 2u);
    const auto kept = must(find_device("nvidia-geforce-rtx-4090"));
    EXPECT_EQ(device::to_json(kept), device::to_json(devices[1]));
    EXPECT_FALSE(kept.is_here());
    EXPECT_FALSE(std::filesystem::exists(kept_device_file("h100-sxm")))
        << "its description is in the resources";
    const auto known = known_devices();
    EXPECT_EQ(known.size(), described_devices().size() + 1);
}

TEST_F(GpuDevices, WhatNoDescriptionFitsIsLeftOutWithTheReason) {
    auto unknown = another();
    unknown["name"] = "NVIDIA GeForce GTX 1080";
    unknown["architecture"] = "sm_61";
    auto impossible = h100();
    impossible["multiprocessors"] = 0;
    Diagnostics left_out;
    EXPECT_TRUE(devices_of_gpus(json::array({unknown, impossible}), left_out).empty());
    ASSERT_EQ(left_out.size(), 2u) << format(left_out);
    EXPECT_EQ(left_out[0].code, kCodeTarget);
    EXPECT_THAT(left_out[0].message, HasSubstr("GTX 1080 is of an architecture, sm_61"));
    EXPECT_THAT(left_out[1].message, HasSubstr("multiprocessors"));
}

TEST_F(GpuDevices, NamesAreThoseThatScriptsCanSay) {
    EXPECT_EQ(device_name_of("NVIDIA GeForce RTX 4090"), "nvidia-geforce-rtx-4090");
    EXPECT_EQ(device_name_of("  Quadro (Max-Q)  "), "quadro-max-q");
    EXPECT_EQ(device_name_of("V100"), "v100-here") << "not the one that is described";
    EXPECT_EQ(device_name_of("™"), "gpu");
    EXPECT_EQ(device_name_of("a/../../b"), "a-b");
}

TEST(Targets, ACertainGpuHasANumber) {
    EXPECT_EQ(must(read_target("cuda")).number, 0);
    EXPECT_EQ(must(read_target("cuda:3")).kind, "cuda");
    EXPECT_EQ(must(read_target("cuda:3")).number, 3);
    for (const char* text : {"cuda:", "cuda:-1", "cuda:x", "cuda:1 ", "cuda:99999", "cuda:1x"}) {
        auto read = read_target(text);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(format(read.errors()), HasSubstr("`cuda:0` is the first GPU")) << text;
    }
    EXPECT_FALSE(read_target("cpu:0"));
}

} // namespace
} // namespace loopscope::measure
