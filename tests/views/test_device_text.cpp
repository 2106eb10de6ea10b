// What each device is good for, as lists of devices say it.

#include "views/models/device_text.h"

#include "core/base/source.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <QFontMetrics>
#include <QGuiApplication>

#include <filesystem>

namespace loopscope::views {
namespace device_text_test {

device::Device shipped(const std::filesystem::path& file) {
    return test::must(device::read_device(
        std::make_shared<SourceFile>(file.filename().string(), test::read_file(file.string()))));
}

std::string good_for_text(const device::Device& device) {
    return good_for(device).replace(QChar(0x202f), ' ').replace(QChar(0xa0), ' ').toStdString();
}

TEST(DeviceText, EveryShippedDeviceHasOneThatFits) {
    int devices = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::source_path("resources/devices"))) {
        if (entry.path().extension() != ".json")
            continue;
        ++devices;
        const auto text = good_for(shipped(entry.path()));
        EXPECT_TRUE(text.contains("f32 ") && text.contains("memory ")) << text.toStdString();
        EXPECT_FALSE(text.contains("not known")) << text.toStdString();
        EXPECT_LT(QFontMetrics(QGuiApplication::font()).horizontalAdvance(text), 700)
            << text.toStdString();
    }
    EXPECT_GT(devices, 5);
}

TEST(DeviceText, SaysTheRooflinesNumbers) {
    const auto folder = std::filesystem::path(test::source_path("resources/devices"));
    const auto h200 = shipped(folder / "h200.json");
    const auto text = good_for_text(h200);
    EXPECT_NE(text.find("f16 tensor cores 99"), std::string::npos) << text;
    EXPECT_NE(text.find("f32 67"), std::string::npos) << text;
    EXPECT_NE(text.find("memory 4.8"), std::string::npos) << text;
    const auto i7 = good_for_text(shipped(folder / "i7-6700.json"));
    EXPECT_EQ(i7.rfind("4 cores, AVX2, f32 ", 0), 0u) << i7;
    EXPECT_NE(i7.find("memory 34.1"), std::string::npos) << i7;
    auto faster = h200;
    faster.gpu->flops_per_second[ScalarType::F32].value = 1e15;
    EXPECT_NE(good_for_text(faster), text) << "from the description, not from its name";
}

TEST(DeviceText, WhatIsNotKnownIsSaid) {
    device::Device host;
    host.cores = 1;
    host.features = {"sse4.2", "avx", "avx2", "avx512f"};
    EXPECT_EQ(good_for_text(host), "1 core, AVX-512, peaks not known");
    host.features.clear();
    host.cores = 32;
    host.memory_bytes_per_second_all = device::Figure{80e9, "a test"};
    const auto text = good_for_text(host);
    EXPECT_EQ(text.rfind("32 cores, vectors of 128 bits, f32 not known, memory 80", 0), 0u) << text;
    device::Device through_opencl;
    through_opencl.kind = "gpu";
    through_opencl.gpu.emplace();
    through_opencl.gpu->multiprocessors = 2;
    EXPECT_EQ(good_for_text(through_opencl), "2 units, peaks not known");
}

TEST(DeviceText, LongNamesKeepTheirEnds) {
    EXPECT_EQ(shortened("short", 5), "short");
    const auto text = shortened("cpu-skylake-Intel Xeon 2.60GHz", 17);
    EXPECT_EQ(text.size(), 17);
    EXPECT_TRUE(text.startsWith("cpu-sky") && text.endsWith(".60GHz")) << text.toStdString();
}

} // namespace device_text_test
} // namespace loopscope::views
