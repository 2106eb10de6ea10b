#include "model_support.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace loopscope;
using namespace loopscope::test;
using model::Estimate;

namespace {

Estimate bottleneck(const ScheduleTree& tree, int threads = 1,
                    const device::Device& device = machine()) {
    return model::find_model("bottleneck")->estimate(tree, device, {threads});
}

const char* const kRegisterTile =
    "C.tile(i, j, io, jo, ii, ji, 6, 16)\nC.reorder(io, jo, k, ii, ji)\nC.unroll(ii)\n"
    "C.vectorize(ji)\n";

TEST(Bottleneck, ARegisterTileRunsNearThePeak) {
    std::map<std::string, std::int64_t> size{{"M", 96}, {"N", 96}, {"K", 96}};
    auto contracted = tree_of(kMatmul, std::string(kRegisterTile) + "C.contract()\n", size);
    auto separate = tree_of(kMatmul, kRegisterTile, size);
    ASSERT_TRUE(contracted && separate);
    auto fused = bottleneck(*contracted);
    double peak_seconds = fused.flops / 32e9;
    ASSERT_TRUE(fused.seconds);
    EXPECT_EQ(fused.bound, "compute");
    EXPECT_GE(*fused.seconds, peak_seconds);
    EXPECT_LE(*fused.seconds, 1.4 * peak_seconds)
        << "loops and the initialisation are little beside twelve fmas a step";
    // Twelve vectors of a multiplication and an addition: twice the instructions.
    EXPECT_GT(*bottleneck(*separate).seconds, 1.6 * *fused.seconds);
}

TEST(Bottleneck, ASumThatWaitsForItselfIsBoundByLatency) {
    auto naive = tree_of(kMatmul, "C.contract()\n", {{"M", 32}, {"N", 32}, {"K", 32}});
    ASSERT_TRUE(naive);
    auto e = bottleneck(*naive);
    // 32768 steps of eight slots of half a nanosecond.
    EXPECT_EQ(e.bound, "compute");
    EXPECT_NEAR(e.kernels[0].compute_seconds, 32768 * 8 * 0.5e-9, 0.05 * 32768 * 8 * 0.5e-9);
}

TEST(Bottleneck, VectorsDivideTheInstructions) {
    auto scalar = tree_of(kScale), vector = tree_of(kScale, "out.vectorize(x, native)\n");
    ASSERT_TRUE(scalar && vector);
    EXPECT_NEAR(bottleneck(*scalar).kernels[0].compute_seconds /
                    bottleneck(*vector).kernels[0].compute_seconds,
                8, 0.5);
}

TEST(Bottleneck, VectorsAcrossRowsGather) {
    auto rows = tree_of(kScale, "out.vectorize(x, native)\n"),
         columns = tree_of(kScale, "out.reorder(x, y)\nout.vectorize(y, native)\n");
    ASSERT_TRUE(rows && columns);
    EXPECT_GT(bottleneck(*columns).kernels[0].compute_seconds,
              4 * bottleneck(*rows).kernels[0].compute_seconds);
}

// Data choose the row, the vector runs along it: whole vectors are loaded, as without data.
TEST(Bottleneck, VectorsAtAPlaceThatDataChooseAreLoadedWhole) {
    const char* table = R"(pipeline table
input place[y, x]: u8[64, 64]
input t[v, k]: f32[256, 8]
stage S[y, x, k]: f32 = t[i32(place[y, x]), k]
output S: [64, 64, 8]
)";
    auto along = tree_of(table, "S.vectorize(k, 8)\n"),
         across = tree_of(table, "S.vectorize(x, 8)\n");
    ASSERT_TRUE(along && across);
    auto gathers = [](const ScheduleTree& tree) {
        return model::analyse(tree, machine(), {1}).times.back().gathers;
    };
    EXPECT_EQ(gathers(*along), 0);
    EXPECT_GT(gathers(*across), 0);
    EXPECT_GT(bottleneck(*across).kernels[0].compute_seconds,
              4 * bottleneck(*along).kernels[0].compute_seconds);
}

// A condition that tiles decide is asked outside of them, and what it leaves out takes no time.
TEST(Bottleneck, ConditionsOfBlocksLeaveTilesOut) {
    std::string triangle = kMatmul;
    triangle.replace(triangle.find("0..K"), 4, "0..K where j/48 <= i/48");
    std::map<std::string, std::int64_t> size{{"M", 480}, {"N", 480}, {"K", 64}};
    auto schedule = std::string(kRegisterTile) + "C.contract()\n";
    auto all = tree_of(kMatmul, schedule, size), half = tree_of(triangle, schedule, size);
    ASSERT_TRUE(all && half);
    double share = 10.0 * 11 / 2 / 100;
    auto whole = bottleneck(*all), part = bottleneck(*half);
    EXPECT_DOUBLE_EQ(part.flops, share * whole.flops);
    EXPECT_NEAR(*part.seconds / *whole.seconds, share, 0.1 * share);
    // A condition that lanes decide masks them: all vectors run.
    triangle.replace(triangle.find("j/48 <= i/48"), 12, "j <= i");
    auto masked = tree_of(triangle, schedule, size);
    ASSERT_TRUE(masked);
    EXPECT_GT(*bottleneck(*masked).seconds, *whole.seconds);
}

TEST(Bottleneck, FunctionsCostWhatTheirDefinitionsDo) {
    std::string exponential = kScale;
    exponential.replace(exponential.find("img[y, x] * 2.0"), 15, "exp(img[y, x])");
    auto scale = tree_of(kScale, "out.vectorize(x, native)\n"),
         function = tree_of(exponential, "out.vectorize(x, native)\n");
    ASSERT_TRUE(scale && function);
    EXPECT_GT(bottleneck(*function).kernels[0].compute_seconds,
              8 * bottleneck(*scale).kernels[0].compute_seconds);
}

// From a maximum to the next it takes a comparison and two blends; to count on, a cycle.
TEST(Bottleneck, AChainIsAsLongAsItsStep) {
    auto seconds = [](const char* reduction, const char* type) {
        auto tree = tree_of(std::string("pipeline chain\ninput a[y, x]: ") + type +
                            "[64, 256]\nstage s[y] = " + reduction +
                            "[x in 0..256](a[y, x])\noutput s: [64]\n");
        return tree ? bottleneck(*tree).kernels[0].compute_seconds : 0;
    };
    EXPECT_NEAR(seconds("max", "f32") / seconds("sum", "f32"), 2, 0.1);
    EXPECT_LT(seconds("sum", "i32"), 0.7 * seconds("sum", "f32"));
    EXPECT_GT(seconds("argmax", "f32"), 1.4 * seconds("max", "f32")) << "NaNs and ranks too";
}

TEST(Bottleneck, StreamingIsBoundByMemoryAndFollowsItsBandwidth) {
    auto tree = tree_of(kScale, "out.vectorize(x, native)\n", {{"H", 2048}, {"W", 2048}});
    ASSERT_TRUE(tree);
    auto e = bottleneck(*tree);
    // 16 MiB in, 16 MiB fetched to be written, 16 MiB back, at 8 GB/s.
    EXPECT_EQ(e.bound, "memory");
    EXPECT_NEAR(*e.seconds, 3 * 2048.0 * 2048 * 4 / 8e9, 1e-5);
    EXPECT_EQ(e.compulsory_bytes, 2 * 2048.0 * 2048 * 4);
}

TEST(Bottleneck, ImbalanceOfParallelTasksCosts) {
    auto even = tree_of(kScale, "out.parallel(y)\n", {{"H", 8}}),
         odd = tree_of(kScale, "out.parallel(y)\n", {{"H", 5}});
    ASSERT_TRUE(even && odd);
    EXPECT_EQ(bottleneck(*even, 4).kernels[0].parallelism, 4);
    EXPECT_EQ(bottleneck(*odd, 4).kernels[0].parallelism, 2.5) << "two rounds for five rows";
}

TEST(Bottleneck, StartingAParallelLoopCosts) {
    auto inner = tree_of(kScale, "out.parallel(x)\n"), outer = tree_of(kScale, "out.parallel(y)\n");
    ASSERT_TRUE(inner && outer);
    auto many = bottleneck(*inner, 4), once = bottleneck(*outer, 4);
    EXPECT_EQ(many.bound, "overhead");
    EXPECT_NEAR(*many.seconds - *once.seconds, 63 * 1e-5, 1e-6)
        << "64 starts of 10 µs instead of one";
    ASSERT_NE(find_term(many, "T_overhead"), nullptr);
    EXPECT_NEAR(find_term(many, "T_overhead")->value, 64e-5, 1e-12);
}

TEST(Bottleneck, RecomputationIsCountedPerStage) {
    auto tree =
        tree_of(kBlur, "out.tile(y, x, yo, xo, yi, xi, 16, 32)\nblur_x.compute_at(out, xo)\n");
    ASSERT_TRUE(tree);
    auto e = bottleneck(*tree);
    double once = 66 * 128, tiles = 16.0 * 18 * 32;
    EXPECT_DOUBLE_EQ(e.stage_recompute.at("blur_x"), tiles / once);
    EXPECT_DOUBLE_EQ(e.stage_recompute.at("out"), 1);
    EXPECT_DOUBLE_EQ(e.recompute_factor, (tiles + 64 * 128) / (once + 64 * 128))
        << "of points: there are no FLOPs";
}

TEST(Bottleneck, InlinedStagesAreRecomputedAtEachUse) {
    auto tree = tree_of(kBlur, "blur_x.inline()\n");
    ASSERT_TRUE(tree);
    EXPECT_DOUBLE_EQ(bottleneck(*tree).stage_recompute.at("blur_x"), 3.0 * 64 * 128 / (66 * 128));
    auto harris = bundled_tree("harris", true, {{"H", 64}, {"W", 256}});
    ASSERT_TRUE(harris);
    auto e = bottleneck(*harris);
    EXPECT_GT(e.recompute_factor, 2);
    EXPECT_DOUBLE_EQ(e.recompute_factor, e.flops / e.useful_flops);
    auto once = bundled_tree("harris", false, {{"H", 64}, {"W", 256}});
    ASSERT_TRUE(once);
    EXPECT_DOUBLE_EQ(bottleneck(*once).recompute_factor, 1);
    EXPECT_DOUBLE_EQ(bottleneck(*once).flops, e.useful_flops);
}

TEST(Bottleneck, HarrisHasAKernelForEachStageAtRoot) {
    auto tree = bundled_tree("harris", true, {{"H", 256}, {"W", 512}});
    ASSERT_TRUE(tree);
    auto e = bottleneck(*tree, 4);
    ASSERT_EQ(e.kernels.size(), 2u);
    EXPECT_EQ(e.kernels[0].name, "out");
    EXPECT_EQ(e.kernels[1].name, "corners");
    EXPECT_DOUBLE_EQ(e.kernels[0].seconds + e.kernels[1].seconds, *e.seconds);
    EXPECT_DOUBLE_EQ(e.kernels[0].flops + e.kernels[1].flops, e.flops);
}

TEST(Bottleneck, NodesShareTheSecondsOfTheirKernels) {
    for (bool shipped : {false, true}) {
        auto tree = bundled_tree("unsharp", shipped, {{"H", 200}, {"W", 300}});
        ASSERT_TRUE(tree);
        auto e = bottleneck(*tree, 4);
        double own = 0;
        for (const auto& [id, node] : e.nodes) {
            EXPECT_GE(node.seconds_own, 0) << id.text();
            own += node.seconds_own;
        }
        EXPECT_NEAR(own, *e.seconds, 1e-9 * *e.seconds + 1e-15);
        EXPECT_NEAR(e.nodes.at(NodeId{}).seconds_subtree, *e.seconds, 1e-12);
        for (const auto& kernel : e.kernels)
            EXPECT_NEAR(e.nodes.at(kernel.node).seconds_subtree, kernel.seconds, 1e-12)
                << kernel.name;
    }
}

TEST(Bottleneck, ADeviceWithoutMeasurementsGivesAReasonAndNoSeconds) {
    auto tree = tree_of(kScale);
    ASSERT_TRUE(tree);
    auto device = machine();
    device.flops_per_second.clear();
    device.flops_per_second_all.clear();
    auto e = bottleneck(*tree, 1, device);
    EXPECT_FALSE(e.seconds);
    EXPECT_THAT(e.reason, ::testing::HasSubstr("peak FLOP/s of `test machine` is not known"));
    EXPECT_EQ(e.flops, 64 * 128) << "counts hold whatever the device";
    auto json = model::to_json(e);
    device.is_host = true;
    EXPECT_EQ(bottleneck(*tree, 1, device).reason,
              "this machine's peak FLOP/s is not measured yet");
    EXPECT_TRUE(json["seconds"].is_null());
    EXPECT_EQ(json["reason"], e.reason);
    device = machine();
    device.memory_bytes_per_second.reset();
    device.memory_bytes_per_second_all.reset();
    EXPECT_FALSE(bottleneck(*tree, 1, device).seconds);
}

TEST(Bottleneck, ALevelWithoutAFigureTakesNoPartAndSaysSo) {
    auto tree = tree_of(kScale);
    ASSERT_TRUE(tree);
    auto device = machine();
    device.caches[1].bytes_per_second.reset();
    device.caches[1].bytes_per_second_all.reset();
    auto e = bottleneck(*tree, 1, device);
    ASSERT_TRUE(e.seconds);
    ASSERT_NE(find_term(e, "bytes_unused_L2"), nullptr);
    EXPECT_THAT(find_term(e, "bytes_unused_L2")->formula, ::testing::HasSubstr("not known"));
}

TEST(Bottleneck, JsonHasTheStableKeys) {
    auto tree = tree_of(kMatmul);
    ASSERT_TRUE(tree);
    auto json = model::to_json(bottleneck(*tree));
    EXPECT_EQ(json["model"], "bottleneck");
    EXPECT_GT(json["seconds"].get<double>(), 0);
    EXPECT_TRUE(json["bound"].is_string());
    ASSERT_EQ(json["kernels"].size(), 1u);
    EXPECT_EQ(json["kernels"][0]["name"], "C");
    EXPECT_EQ(json["kernels"][0]["traffic"][0]["level"], "L1");
    EXPECT_FALSE(json["terms"].empty());
    for (const auto& term : json["terms"]) {
        EXPECT_FALSE(term["formula"].get<std::string>().empty());
        EXPECT_FALSE(term["source"].get<std::string>().empty());
    }
}

// Properties, over the bundled programs and their schedules.
class EveryProgram : public ::testing::TestWithParam<const char*> {
protected:
    std::vector<ScheduleTreePtr> trees() {
        std::string name = GetParam();
        std::map<std::string, std::int64_t> size{{"H", 150}, {"W", 600}};
        if (name == "matmul")
            size = {{"M", 90}, {"N", 130}, {"K", 70}};
        if (name == "conv_relu")
            size = {{"N", 2}, {"H", 20}, {"W", 30}, {"CI", 16}, {"CO", 32}};
        return {bundled_tree(name, false, size), bundled_tree(name, true, size)};
    }
};

// Work that approximations save is not useful, so that no schedule recomputes less than nothing.
TEST(Bottleneck, UsefulWorkIsCountedByTheSchedulesOwnFunctions) {
    const std::string text = "pipeline p\ninput a[i]: f32[4096]\nstage e[i] = exp(a[i])\n"
                             "stage s[i] = e[i]*tanh(a[i])\noutput s: [4096]\n";
    double exact = bottleneck(*tree_of(text)).flops;
    for (std::string lines : {"*.fast_math()\n", "e.inline()\ns.fast_math()\n", "s.fast_math()\n",
                              "e.fast_math()\n*.vectorize(i, 8)\n"}) {
        auto e = bottleneck(*tree_of(text, lines));
        EXPECT_LT(e.flops, exact) << lines;
        EXPECT_DOUBLE_EQ(e.recompute_factor, 1) << lines;
    }
    EXPECT_DOUBLE_EQ(bottleneck(*tree_of(text, "e.inline()\n")).recompute_factor, 1);
}

TEST_P(EveryProgram, EstimatesAreFiniteAndPositiveInEveryModel) {
    for (const auto& tree : trees())
        for (const auto* model : model::models_for(machine()))
            for (int threads : {1, 4}) {
                auto e = model->estimate(*tree, machine(), {threads});
                ASSERT_TRUE(e.seconds) << e.reason;
                EXPECT_TRUE(std::isfinite(*e.seconds) && *e.seconds > 0) << model->name;
                EXPECT_GE(e.recompute_factor, 1 - 1e-12);
                for (const auto& kernel : e.kernels)
                    for (const auto& t : kernel.traffic)
                        EXPECT_TRUE(std::isfinite(t.bytes) && std::isfinite(t.seconds) &&
                                    std::isfinite(t.intensity) && t.bytes >= 0);
            }
}

TEST_P(EveryProgram, TheRooflineIsALowerBound) {
    for (const auto& tree : trees()) {
        auto bound = model::find_model("roofline")->estimate(*tree, machine(), {1});
        EXPECT_LE(*bound.seconds, *bottleneck(*tree, 1).seconds * (1 + 1e-9));
    }
}

TEST_P(EveryProgram, MoreBandwidthNeverSlows) {
    for (const auto& tree : trees())
        for (int level = 0; level < 4; ++level) {
            auto faster = machine();
            auto twice = [](std::optional<device::Figure>& f) { f->value *= 2; };
            twice(level < 3 ? faster.caches[static_cast<std::size_t>(level)].bytes_per_second
                            : faster.memory_bytes_per_second);
            twice(level < 3 ? faster.caches[static_cast<std::size_t>(level)].bytes_per_second_all
                            : faster.memory_bytes_per_second_all);
            for (const auto* model : model::models_for(machine()))
                EXPECT_LE(*model->estimate(*tree, faster, {4}).seconds,
                          *model->estimate(*tree, machine(), {4}).seconds)
                    << model->name;
        }
}

TEST_P(EveryProgram, MoreThreadsNeverSlowAtEqualTraffic) {
    auto device = machine();
    device.caches.clear(); // registers and memory only: traffic does not depend on who runs it
    device.parallel_overhead_seconds->value = 0;
    for (const auto& tree : trees()) {
        double before = *bottleneck(*tree, 1, device).seconds;
        for (int threads = 2; threads <= 4; ++threads) {
            double now = *bottleneck(*tree, threads, device).seconds;
            EXPECT_LE(now, before * (1 + 1e-12)) << threads;
            before = now;
        }
    }
}

TEST_P(EveryProgram, NoLevelMovesLessThanWhatMustMove) {
    for (const auto& tree : trees()) {
        auto e = bottleneck(*tree);
        double memory = 0;
        for (const auto& kernel : e.kernels)
            for (const auto& t : kernel.traffic)
                memory += t.level == "memory" ? t.bytes : 0;
        EXPECT_GE(memory, e.compulsory_bytes * 0.999);
    }
}

INSTANTIATE_TEST_SUITE_P(Bundled, EveryProgram,
                         ::testing::Values("copy", "blur", "unsharp", "harris",
                                           "histogram_equalise", "iir_blur", "matmul", "conv_relu"),
                         [](const auto& info) { return std::string(info.param); });

} // namespace
