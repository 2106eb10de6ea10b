// Models of processors say nothing of a GPU, and why.
#include "core/device/generic_gpu.h"
#include "tests/model/model_support.h"
#include "tuner/model/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::model {
namespace {

TEST(GpuRefused, ModelsOfProcessorsGiveAReasonAndNoSeconds) {
    auto tree = test::bundled_tree("blur", true, {{"H", 64}, {"W", 64}});
    ASSERT_TRUE(tree);
    for (auto name : {"bottleneck", "roofline"}) {
        auto e = find_model(name)->estimate(*tree, device::generic_gpu(), {});
        EXPECT_FALSE(e.seconds) << name;
        EXPECT_THAT(e.reason, testing::HasSubstr("`gpu` is a GPU")) << name;
        EXPECT_GT(e.stores, 0) << "what does not depend on the device is counted";
    }
}

} // namespace
} // namespace loopscope::model
