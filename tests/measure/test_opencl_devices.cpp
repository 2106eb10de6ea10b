// What OpenCL says of devices, as devices.
#include "compiler/measure/opencl_devices.h"

#include "compiler/measure/host_device.h"
#include "compiler/measure/targets.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace loopscope::measure {
namespace opencl_devices_test {

using test::must;
using testing::HasSubstr;
using testing::StartsWith;

opencl::Device processor() {
    opencl::Device d;
    d.name = "cpu-skylake Intel(R) Xeon(R)";
    d.platform = "Portable Computing Language";
    d.version = "OpenCL 3.0 PoCL";
    d.kind = "processor";
    d.units = 2;
    d.clock_hertz = 2.6e9;
    d.most_items = 4096;
    d.item_extents = {4096, 4096, 4096};
    d.local_bytes = 512 << 10;
    d.memory_bytes = std::int64_t{8} << 30;
    d.largest_memory = std::int64_t{2} << 30;
    d.doubles = true;
    return d;
}

opencl::Device card(const std::string& name) {
    auto d = processor();
    d.name = name;
    d.platform = "A platform";
    d.kind = "gpu";
    d.units = 66;
    d.clock_hertz = 1.98e9;
    d.most_items = 1024;
    d.item_extents = {1024, 1024, 64};
    d.local_bytes = 48 << 10;
    return d;
}

class OpenclDevices : public testing::Test {
protected:
    void SetUp() override { ::setenv("XDG_CACHE_HOME", test::scratch_folder().c_str(), 1); }
    std::vector<device::Device> devices_of(std::vector<OpenclFound> found) {
        left_out_.clear();
        return devices_of_opencl(found, left_out_);
    }
    Diagnostics left_out_;
};

TEST_F(OpenclDevices, OfAProcessorNothingIsGuessed) {
    const auto devices = devices_of({{processor(), {}}});
    ASSERT_EQ(devices.size(), 1u) << format(left_out_);
    const auto& device = devices[0];
    EXPECT_EQ(device.target, "opencl:0");
    EXPECT_EQ(device.name, "opencl-cpu-skylake-intel-r-xeon-r");
    EXPECT_EQ(device.gpu->multiprocessors, 2);
    EXPECT_EQ(device.gpu->limits.threads_per_block, 4096);
    EXPECT_EQ(device.gpu->limits.shared_bytes_per_block, 512 << 10);
    EXPECT_EQ(device.gpu->boost_clock_hertz->value, 2.6e9);
    EXPECT_FALSE(device.gpu->dram_bytes_per_second);
    EXPECT_TRUE(device.gpu->flops_per_second.empty());
    EXPECT_TRUE(device.gpu->tensor_intrinsics.empty());
    EXPECT_THAT(device.description, HasSubstr("what it reaches OpenCL does not say"));
    EXPECT_THAT(device.description, HasSubstr("a processor through OpenCL"));
    // Another process knows it by the name that scripts say.
    EXPECT_EQ(must(find_device(device.name)).gpu->limits.threads_per_block, 4096);
}

TEST_F(OpenclDevices, AGpuOfADescribedModelHasItsFigures) {
    const auto devices = devices_of({{card("NVIDIA H200"), {}}});
    ASSERT_EQ(devices.size(), 1u) << format(left_out_);
    const auto described = must(find_device("h200"));
    EXPECT_EQ(devices[0].gpu->flops_per_second.at(ScalarType::F32).value,
              described.gpu->flops_per_second.at(ScalarType::F32).value);
    EXPECT_TRUE(devices[0].gpu->tensor_flops_per_second.empty()) << "OpenCL C has no such thing";
    EXPECT_EQ(devices[0].gpu->limits.shared_bytes_per_block, 48 << 10) << "what OpenCL gives";
}

TEST_F(OpenclDevices, AnotherGpuSaysThatItsFiguresAreAGuess) {
    auto lesser = card("Some GPU");
    lesser.doubles = false;
    const auto devices = devices_of({{lesser, {}}});
    ASSERT_EQ(devices.size(), 1u) << format(left_out_);
    const auto& gpu = *devices[0].gpu;
    EXPECT_THAT(gpu.flops_per_second.at(ScalarType::F32).source, StartsWith("a guess: that of "));
    EXPECT_EQ(gpu.flops_per_second.count(ScalarType::F64), 0u);
    EXPECT_THAT(devices[0].description, HasSubstr("guessed from"));
}

TEST_F(OpenclDevices, MeasuredPeaksTakeThePlaceOfGuesses) {
    const opencl::Peaks peaks{80e9, 1.2e12, 0.6e12, "2026-11-29"};
    const auto gpu = card("Some GPU");
    EXPECT_FALSE(kept_peaks(gpu));
    ASSERT_TRUE(keep_peaks(gpu, peaks).ok());
    const auto kept = kept_peaks(gpu);
    ASSERT_TRUE(kept);
    const auto devices = devices_of({{gpu, kept}});
    ASSERT_EQ(devices.size(), 1u) << format(left_out_);
    const auto& of = *devices[0].gpu;
    EXPECT_EQ(of.dram_bytes_per_second->value, 80e9);
    EXPECT_EQ(of.dram_bytes_per_second->source, "measured 2026-11-29");
    EXPECT_EQ(of.flops_per_second.size(), 2u) << "no guess is left";
    EXPECT_EQ(of.flops_per_second.at(ScalarType::F64).value, 0.6e12);
    EXPECT_FALSE(kept_peaks(card("Another"))) << "of another device";
}

TEST_F(OpenclDevices, RatesThatNoDeviceHasCountAsNone) {
    const opencl::Peaks peaks{1e300, -1, {}, "2026-11-29"};
    const auto devices = devices_of({{processor(), peaks}});
    ASSERT_EQ(devices.size(), 1u) << format(left_out_);
    EXPECT_FALSE(devices[0].gpu->dram_bytes_per_second);
}

TEST_F(OpenclDevices, SeveralAreToldApart) {
    auto of_another_platform = card("A card");
    of_another_platform.platform = "Another platform";
    const auto devices = devices_of(
        {{card("A card"), {}}, {card("A card"), {}}, {of_another_platform, {}}, {processor(), {}}});
    ASSERT_EQ(devices.size(), 4u) << format(left_out_);
    EXPECT_EQ(devices[0].name, "opencl-a-card");
    EXPECT_EQ(devices[1].name, "opencl-a-card") << "an equal one: by its target alone";
    EXPECT_EQ(devices[2].name, "opencl-a-card-another-platform");
    for (std::size_t i = 0; i < devices.size(); ++i)
        EXPECT_EQ(devices[i].target, opencl_target(i));
}

TEST_F(OpenclDevices, WhatIsNoDeviceIsSaid) {
    auto wrong = card("Wrong");
    wrong.local_bytes = 0;
    const auto devices = devices_of({{wrong, {}}, {processor(), {}}});
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_EQ(devices[0].target, "opencl:1") << "numbers are OpenCL's";
    EXPECT_THAT(format(left_out_), HasSubstr("Wrong"));
}

TEST(OpenclTargets, ADeviceHasANumber) {
    EXPECT_EQ(must(read_target("opencl")).number, 0);
    EXPECT_EQ(must(read_target("opencl:2")).kind, "opencl");
    EXPECT_EQ(must(read_target("opencl:2")).number, 2);
    EXPECT_TRUE(is_opencl("opencl") && is_opencl("opencl:2"));
    EXPECT_FALSE(is_opencl("cuda:0") || is_opencl("") || is_opencl("opencl-a-card"));
    for (const char* text : {"opencl:", "opencl:-1", "opencl:x", "opencl:99999", "opencl:1x"}) {
        auto read = read_target(text);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(format(read.errors()), HasSubstr("`opencl:0` is the first device")) << text;
    }
}

} // namespace opencl_devices_test
} // namespace loopscope::measure
