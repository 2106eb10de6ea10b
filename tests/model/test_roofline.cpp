#include "model_support.h"

using namespace loopscope;
using namespace loopscope::test;

namespace {

TEST(Roofline, AttainableIsTheLesserOfPeakAndIntensityTimesBandwidth) {
    auto tree = tree_of(kScale, "", {{"H", 2048}, {"W", 2048}});
    ASSERT_TRUE(tree);
    auto e = model::find_model("roofline")->estimate(*tree, machine(), {1});
    ASSERT_EQ(e.kernels.size(), 1u);
    EXPECT_EQ(e.bound, "memory");
    const auto& memory = e.kernels[0].traffic.back();
    EXPECT_EQ(memory.level, "memory");
    // One FLOP for twelve bytes: read, fetch, write back.
    EXPECT_NEAR(memory.intensity, 1.0 / 12, 1e-6);
    EXPECT_NEAR(e.flops / *e.seconds, memory.intensity * 8e9, 1);
}

TEST(Roofline, IgnoresWhatTheScheduleLeavesUnused) {
    auto naive = tree_of(kMatmul, "", {{"M", 32}, {"N", 32}, {"K", 32}});
    ASSERT_TRUE(naive);
    auto e = model::find_model("roofline")->estimate(*naive, machine(), {4});
    EXPECT_DOUBLE_EQ(e.kernels[0].compute_seconds, 2.0 * 32 * 32 * 32 / 128e9);
}

TEST(Roofline, CeilingsOfOneCoreAndOfAll) {
    auto find = [](const std::vector<model::Ceiling>& all, const std::string& name) {
        for (const auto& c : all)
            if (c.name == name)
                return c.value;
        return -1.0;
    };
    auto one = model::roofline_ceilings(machine(), 1), all = model::roofline_ceilings(machine(), 4),
         two = model::roofline_ceilings(machine(), 2);
    EXPECT_EQ(find(one, "f32 FMA, one core"), 32e9);
    EXPECT_EQ(find(one, "f32 vectors without FMA, one core"), 16e9);
    EXPECT_EQ(find(one, "f32 scalar FMA, one core"), 4e9);
    EXPECT_EQ(find(one, "f64 FMA, one core"), 16e9);
    EXPECT_EQ(find(one, "memory, one core"), 8e9);
    EXPECT_EQ(find(all, "f32 FMA, all cores"), 128e9);
    EXPECT_EQ(find(all, "L3, all cores"), 48e9);
    EXPECT_EQ(find(all, "memory, all cores"), 16e9);
    EXPECT_EQ(find(two, "memory, 2 cores"), 16e9);
    EXPECT_EQ(find(two, "L1, 2 cores"), 128e9);
    for (const auto& c : all)
        EXPECT_FALSE(c.source.empty()) << c.name;
    // Sixteen lanes of 16 bits where there are eight of 32, one operation each.
    EXPECT_EQ(find(one, "i32 vectors, one core"), 16e9);
    EXPECT_EQ(find(one, "i16 vectors, one core"), 32e9);
    device::Device unknown;
    EXPECT_TRUE(model::roofline_ceilings(unknown, 1).empty());
}

// A program of integers has a roofline, too: its operations, and not those of its indices.
TEST(Roofline, IntegerOperationsAreThoseOfValues) {
    const std::map<std::string, std::int64_t> small{{"H", 48}, {"W", 80}};
    auto tree = tree_of(kBlur, "", small);
    ASSERT_TRUE(tree);
    const auto e = model::find_model("roofline")->estimate(*tree, machine(), {1});
    double operations = 0;
    for (const auto& kernel : e.kernels) {
        EXPECT_EQ(kernel.flops, 0);
        operations += kernel.integer_operations;
    }
    // Two additions and a division of each value of blur_x, which has two rows more, and of out.
    EXPECT_DOUBLE_EQ(operations, 3.0 * 50 * 80 + 3.0 * 48 * 80);
    auto product = tree_of(kMatmul, "", {{"M", 32}, {"N", 32}, {"K", 32}});
    EXPECT_EQ(model::find_model("roofline")
                  ->estimate(*product, machine(), {1})
                  .kernels[0]
                  .integer_operations,
              0)
        << "what its indices take is none of its values'";
}

// A value that stands twice is counted twice, as FLOPs are: one rule for both.
TEST(Roofline, SharedValuesCountAsOftenAsTheyStand) {
    const auto text = [](const char* type, const char* one) {
        return std::string("pipeline p\ninput a[i]: ") + type + "[64]\nstage out[i]: " + type +
               " = let s = a[i] + a[i] in (s * s) + (a[i] + " + one + ") * (a[i] + " + one +
               ")\noutput out: [64]\n";
    };
    auto floats = tree_of(text("f32", "1.0"));
    auto integers = tree_of(text("i32", "1"));
    ASSERT_TRUE(floats && integers);
    const auto* model = model::find_model("roofline");
    EXPECT_EQ(model->estimate(*floats, machine(), {1}).kernels[0].flops,
              model->estimate(*integers, machine(), {1}).kernels[0].integer_operations);
}

} // namespace
