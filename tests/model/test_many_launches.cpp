// A pipeline of many launches: what an estimate does grows as they do.
#include "core/base/work.h"
#include "tests/model/gpu_support.h"
#include "tests/model/model_support.h"

namespace loopscope::test {
namespace {

std::string chain_of(int stages) {
    std::string text = "pipeline chain\ninput a: f32[64, 64]\n", before = "a";
    for (int n = 0; n < stages; ++n) {
        const auto name = "s" + std::to_string(n);
        text += "stage " + name + "[y, x] = " + before + "[y, x] + 1\n";
        before = name;
    }
    return text + "output " + before + ": [64, 64]\n";
}

// Steps of an estimate for a GPU, each stage a launch of its own.
std::int64_t steps_of(int stages) {
    const auto device = gpu_named("a100-sxm-40gb");
    const auto tree = tree_of(chain_of(stages), "target a100-sxm-40gb");
    const auto steps = [] {
        return work_of_thread(Work::LaunchParts) + work_of_thread(Work::NodesVisited);
    };
    const auto before = steps();
    const auto estimate = model::find_model("bottleneck", device)->estimate(*tree, device, {});
    EXPECT_EQ(estimate.kernels.size(), static_cast<std::size_t>(stages)) << estimate.reason;
    return steps() - before;
}

TEST(ManyLaunches, EstimatesGrowAsTheyDo) {
    const auto few = steps_of(100), many = steps_of(400);
    EXPECT_GT(few, 100);
    EXPECT_LE(many, 5 * few);
}

} // namespace
} // namespace loopscope::test
