// What devices reach through OpenCL, and which of them kernels run on.
#include "compiler/opencl/peaks.h"

#include "tests/opencl/opencl_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace loopscope::opencl {
namespace peaks_test {

using testing::HasSubstr;

TEST(OpenclPeaks, AreMeasured) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto& client = test::opencl_client();
    const auto device = client.devices().value().front();
    auto peaks = measure_peaks(client, device, 0, {});
    ASSERT_TRUE(peaks) << format(peaks.errors());
    EXPECT_GT(peaks->copy_bytes_per_second, 0);
    EXPECT_GT(peaks->floats_per_second, 0);
    EXPECT_EQ(peaks->doubles_per_second.has_value(), device.doubles);
}

TEST(OpenclPeaks, AreCancelled) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    Client client(test::opencl_options());
    const auto device = client.devices().value().front();
    const std::atomic<bool> cancel = true;
    measure::RequestOptions options;
    options.cancel = &cancel;
    auto peaks = measure_peaks(client, device, 0, options);
    ASSERT_FALSE(peaks);
    EXPECT_EQ(peaks.errors().front().code, measure::kCodeCancelled);
}

TEST(OpenclNumbers, ADeviceThatIsNotThereIsRefused) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto& client = test::opencl_client();
    const auto devices = client.devices().value();
    EXPECT_GT(devices.front().most_items, 0);
    EXPECT_GT(devices.front().item_extents[0], 0);
    Program program;
    program.source = "__kernel void f(__global int *a) { a[get_global_id(0)] = 1; }\n";
    program.launches = {{"f", {1, 1, 1}, {1, 1, 1}, {0}, 0}};
    program.memories = {4};
    const auto last = static_cast<int>(devices.size()) - 1;
    auto there = client.prepare(program, 1, {}, last);
    ASSERT_TRUE(there) << format(there.errors());
    EXPECT_EQ(there->device.name, devices.back().name);
    EXPECT_TRUE(client.run(*there, {}, {0}).ok());
    auto beyond = client.prepare(program, 1, {}, last + 1);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.errors().front().code, measure::kCodeTarget);
    EXPECT_THAT(beyond.errors().front().message, HasSubstr("OpenCL has no device"));
}

} // namespace peaks_test
} // namespace loopscope::opencl
