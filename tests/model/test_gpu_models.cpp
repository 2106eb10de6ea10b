// Roofline and bottleneck of GPUs: hand-checked times, and what holds of every schedule.
#include "core/device/generic_gpu.h"
#include "gpu_support.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace loopscope;
using namespace loopscope::test;
using model::Estimate;
using testing::HasSubstr;

namespace test_gpu_models {

const std::vector<std::string> kModels{"bottleneck", "roofline"};
const char* const kTile = "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n";

double term(const Estimate& e, const std::string& name) {
    const auto* found = find_term(e, name);
    EXPECT_TRUE(found) << name;
    return found ? found->value : 0;
}

// 2 × 64 MiB at 1.555 TB/s; nothing else takes as long.
TEST(GpuModels, ACopyIsBoundByDram) {
    auto tree = bundled_gpu_tree("copy", kTile);
    ASSERT_TRUE(tree);
    for (const auto& name : kModels) {
        const auto e = estimate(name, *tree);
        ASSERT_TRUE(e.seconds) << e.reason;
        EXPECT_EQ(e.bound, "DRAM");
        EXPECT_TRUE(e.described);
        EXPECT_DOUBLE_EQ(*e.seconds, 134217728 / 1.555e12);
        EXPECT_DOUBLE_EQ(term(e, "bytes_DRAM"), 134217728);
        EXPECT_DOUBLE_EQ(term(e, "T_L2"), 134217728 / 7.22e12);
        EXPECT_EQ(e.threads, 864 * 256);
        ASSERT_EQ(e.kernels.size(), 1u);
        EXPECT_EQ(e.kernels[0].name, "out");
        EXPECT_EQ(e.kernels[0].traffic.back().level, "DRAM");
    }
}

// 2 × 1024³ operations. At the peak of multiply-adds 110 µs; a product and a sum that are not one
// take twice the instructions, and both take as long as a multiply-add.
TEST(GpuModels, AProductByUnits) {
    const std::map<std::string, std::int64_t> size{{"M", 1024}, {"N", 1024}, {"K", 1024}};
    auto separate = bundled_gpu_tree("matmul", kTiledMatmul, size),
         fused = bundled_gpu_tree("matmul", "C.contract()\n" + std::string(kTiledMatmul), size);
    ASSERT_TRUE(separate && fused);
    const double peak = 2.0 * 1024 * 1024 * 1024 / 19.5e12;
    EXPECT_NEAR(term(estimate("roofline", *separate), "T_f32"), peak, 1e-9 * peak);
    EXPECT_NEAR(term(estimate("bottleneck", *separate), "T_f32"), 2 * peak, 1e-9 * peak);
    EXPECT_NEAR(term(estimate("bottleneck", *fused), "T_f32"), peak, 1e-9 * peak);
    // Two passes for each access of As and Bs: 128 bytes each, of 108 × 128 a clock.
    const auto e = estimate("bottleneck", *separate);
    const double stores = 256.0 * 64 * 4 * 8, loads = 256.0 * 1024 * 4 * 8;
    EXPECT_NEAR(term(e, "T_shared"), (2 * stores + 2 * 5 * loads) * 128 / (108 * 128 * 1.41e9),
                1e-12);
    EXPECT_EQ(e.bound, "shared");
    // Some multiprocessors have 3 blocks, on average they have 256/108.
    EXPECT_NEAR(term(e, "T_waves"), (3 * 108 / 256.0 - 1) * term(e, "T_shared"), 1e-12);
    EXPECT_NEAR(*e.seconds, term(e, "T_shared") + term(e, "T_waves"), 1e-12);
    EXPECT_EQ(estimate("roofline", *separate).kernels[0].traffic.size(), 4u);
    // Threads of a warp read two rows of As, which begin at one bank, and one row of Bs, which
    // padding would not change.
    ASSERT_EQ(e.advice.size(), 1u);
    EXPECT_THAT(e.advice[0], HasSubstr("`As.pad_storage(k, 1)`"));
}

TEST(GpuModels, BanksAndLinesDecideATranspose) {
    auto strided = bundled_gpu_tree("transpose", "out.gpu_tile(y, x, by, bx, ty, tx, 1, 256)\n");
    ASSERT_TRUE(strided);
    // A line for each element that is read, and one for 32 that are written.
    const double lines = 4096.0 * 4096 * (1 + 1.0 / 32);
    const auto e = estimate("bottleneck", *strided);
    EXPECT_NEAR(term(e, "T_L1"), lines * 128 / (108 * 128 * 1.41e9), 1e-12);
    EXPECT_EQ(e.bound, "L1");
    EXPECT_EQ(estimate("roofline", *strided).bound, "DRAM");
    const std::string tile = "t = out.cache_read(img, shared)\n"
                             "out.tile(y, x, by, bx, ty, tx, 32, 32)\nout.split(ty, tv, tt, 8)\n"
                             "out.bind(by, block.y)\nout.bind(bx, block.x)\n"
                             "out.bind(tt, thread.y)\nout.bind(tx, thread.x)\n"
                             "t.compute_at(out, bx)\n";
    auto plain = bundled_gpu_tree("transpose", tile),
         padded = bundled_gpu_tree("transpose", tile + "t.pad_storage(x, 1)\n");
    const auto conflicting = estimate("bottleneck", *plain), even = estimate("bottleneck", *padded);
    EXPECT_EQ(conflicting.bound, "shared");
    EXPECT_EQ(even.bound, "DRAM");
    EXPECT_GT(term(conflicting, "T_shared"), 16 * term(even, "T_shared"));
    ASSERT_EQ(conflicting.advice.size(), 1u);
    EXPECT_THAT(conflicting.advice[0], HasSubstr("`t.pad_storage(x, 1)`"));
    EXPECT_TRUE(even.advice.empty());
}

TEST(GpuModels, KernelsAreAddedUp) {
    auto tree = bundled_gpu_tree("blur", std::string(kTile) +
                                             "blur_x.gpu_tile(y, x, by, bx, ty, tx, 2, 32)\n");
    ASSERT_TRUE(tree);
    auto device = gpu_named("h200");
    const auto e = estimate("bottleneck", *tree, device);
    ASSERT_EQ(e.kernels.size(), 2u);
    EXPECT_DOUBLE_EQ(*e.seconds, e.kernels[0].seconds + e.kernels[1].seconds);
    EXPECT_DOUBLE_EQ(term(e, "T_DRAM"), find_term(e.kernels[0], "T_DRAM")->value +
                                            find_term(e.kernels[1], "T_DRAM")->value);
    // blur_x, 4802 × 6400 u16, goes to memory and comes back. The second level has no room for all:
    // a wave of 1056 blocks, 5.28 rows of 200, reads two rows of pixels beside its 5.28 × 8.
    const double between = 4802.0 * 6400 * 2;
    EXPECT_NEAR(term(e, "bytes_DRAM"), e.compulsory_bytes + between + between * 44.24 / 42.24,
                1e-3 * e.compulsory_bytes);
    EXPECT_DOUBLE_EQ(e.nodes.at({}).seconds_subtree, *e.seconds);
    device.parallel_overhead_seconds = device::Figure{3e-6, "made up"};
    const auto late = estimate("bottleneck", *tree, device);
    EXPECT_DOUBLE_EQ(*late.seconds, *e.seconds + 6e-6);
    EXPECT_DOUBLE_EQ(term(late, "T_launch"), 6e-6);
}

TEST(GpuModels, WithoutBindingsOneThreadDoesAll) {
    auto tree = bundled_gpu_tree("matmul", "", {{"M", 64}, {"N", 64}, {"K", 64}});
    ASSERT_TRUE(tree);
    const auto e = estimate("bottleneck", *tree, gpu_named("h200"));
    ASSERT_TRUE(e.seconds);
    EXPECT_EQ(e.threads, 1);
    EXPECT_EQ(e.bound, "issue");
    // At least the two loads, the product and the sum of each of 64³ steps, one a clock.
    EXPECT_GT(*e.seconds, 4 * 64.0 * 64 * 64 / 1.98e9);
    ASSERT_EQ(e.advice.size(), 1u);
    EXPECT_EQ(e.advice[0],
              "`C` binds no loop and runs in one thread; `C.gpu_tile(i, j, io, jo, ii, "
              "ji, 8, 32)` gives it blocks of 256");
    auto advised = bundled_gpu_tree("matmul", "C.gpu_tile(i, j, io, jo, ii, ji, 8, 32)\n",
                                    {{"M", 64}, {"N", 64}, {"K", 64}});
    EXPECT_LT(*estimate("bottleneck", *advised, gpu_named("h200")).seconds, *e.seconds / 50);
}

TEST(GpuModels, FiguresThatAreNotKnownGiveNoSeconds) {
    auto tree = bundled_gpu_tree("copy", kTile);
    ASSERT_TRUE(tree);
    const auto e = estimate("bottleneck", *tree, device::generic_gpu());
    EXPECT_FALSE(e.seconds);
    EXPECT_EQ(e.reason, "the bandwidth of DRAM of `gpu` is not known");
    EXPECT_EQ(e.kernels[0].gpu->occupancy->blocks, 8);
    // A level without a bandwidth takes no part.
    auto device = gpu_named("a100-sxm-40gb");
    device.gpu->l2_bytes_per_second.reset();
    device.gpu->dram_bytes_per_second->value = 1e13;
    const auto fast = estimate("bottleneck", *tree, device);
    EXPECT_EQ(fast.bound, "DRAM");
    EXPECT_TRUE(find_term(fast, "bytes_unused_L2"));
}

TEST(GpuModels, AreNotForProcessors) {
    auto tree = bundled_gpu_tree("copy", kTile);
    ASSERT_TRUE(tree);
    for (const auto& name : kModels) {
        const auto* model = model::find_model(name, gpu_named("h200"));
        EXPECT_STREQ(model->kind, "gpu");
        EXPECT_NE(model, model::find_model(name));
        const auto e = model->estimate(*tree, machine(), {});
        EXPECT_FALSE(e.seconds);
        EXPECT_EQ(e.reason, "`test machine` is no GPU, and this model is one of GPUs");
    }
    EXPECT_EQ(model::models_for(machine()).size() + model::models_for(gpu_named("h200")).size(),
              model::models().size());
}

TEST(GpuModels, CeilingsAreThoseOfUnitsAndLevels) {
    std::map<std::string, double> found;
    for (const auto& c : model::roofline_ceilings(gpu_named("a100-sxm-40gb"), 0)) {
        found[c.name] = c.value;
        EXPECT_FALSE(c.source.empty()) << c.name;
    }
    EXPECT_EQ(found["f32 FMA"], 19.5e12);
    EXPECT_EQ(found["f32 without FMA"], 19.5e12 / 2);
    EXPECT_EQ(found["f16 tensor cores"], 312e12);
    EXPECT_DOUBLE_EQ(found["shared"], 108 * 128 * 1.41e9);
    EXPECT_EQ(found["L2"], 7.22e12);
    EXPECT_EQ(found["DRAM"], 1.555e12);
}

TEST(GpuModels, JsonNamesWhatALaunchTakes) {
    auto tree = bundled_gpu_tree("copy", kTile);
    ASSERT_TRUE(tree);
    const auto kernel = model::to_json(estimate("bottleneck", *tree)).at("kernels").at(0);
    EXPECT_EQ(kernel.at("gpu").at("grid"), nlohmann::json({128, 512, 1}));
    EXPECT_EQ(kernel.at("gpu").at("block"), nlohmann::json({32, 8, 1}));
    EXPECT_EQ(kernel.at("gpu").at("blocks_per_multiprocessor"), 8);
    EXPECT_EQ(kernel.at("gpu").at("limited_by"), nlohmann::json({"warps"}));
    EXPECT_EQ(kernel.at("gpu").at("waves"), 76);
    EXPECT_GT(kernel.at("terms").size(), 4u);
}

struct Schedule {
    std::string program, lines;
};
void PrintTo(const Schedule& s, std::ostream* out) { *out << s.program << "\n" << s.lines; }

class EveryGpuSchedule : public testing::TestWithParam<Schedule> {
protected:
    std::vector<device::Device> devices() const {
        std::vector<device::Device> out;
        for (const auto* name : {"a100-sxm-40gb", "h200", "rtx2080ti", "rtx3090", "v100"})
            out.push_back(gpu_named(name));
        return out;
    }
    ScheduleTreePtr tree(const device::Device& device) const {
        return bundled_gpu_tree(GetParam().program, GetParam().lines, {}, device);
    }
};

TEST_P(EveryGpuSchedule, IsFiniteAndPositiveAndTheRooflineBoundsIt) {
    for (const auto& device : devices()) {
        auto t = tree(device);
        ASSERT_TRUE(t);
        const auto e = estimate("bottleneck", *t, device), bound = estimate("roofline", *t, device);
        ASSERT_TRUE(e.seconds && bound.seconds) << device.name << e.reason;
        EXPECT_TRUE(std::isfinite(*e.seconds) && *e.seconds > 0);
        EXPECT_LE(*bound.seconds, *e.seconds * (1 + 1e-9)) << device.name;
        EXPECT_GE(e.recompute_factor, 1 - 1e-12);
        double dram = 0;
        for (const auto& kernel : e.kernels) {
            EXPECT_GE(kernel.gpu->waves, 1);
            double before = std::numeric_limits<double>::infinity();
            for (const auto& t : kernel.traffic) {
                EXPECT_TRUE(std::isfinite(t.bytes) && t.bytes > 0 && std::isfinite(t.seconds) &&
                            std::isfinite(t.intensity))
                    << kernel.name << " " << t.level;
                if (t.level == "DRAM") {
                    dram += t.bytes;
                    EXPECT_LE(t.bytes, before * (1 + 1e-9)) << kernel.name;
                }
                before = t.bytes;
            }
        }
        EXPECT_GE(dram, 0.999 * e.compulsory_bytes) << device.name;
    }
}

TEST_P(EveryGpuSchedule, MoreOfAnythingNeverSlows) {
    const auto device = gpu_named("a100-sxm-40gb");
    auto t = tree(device);
    ASSERT_TRUE(t);
    auto twice = [](std::optional<device::Figure>& f) { f->value *= 2; };
    for (const auto& name : kModels) {
        const double before = *estimate(name, *t, device).seconds;
        auto expect = [&](const char* what, auto change) {
            auto faster = device;
            change(*faster.gpu);
            EXPECT_LE(*estimate(name, *t, faster).seconds, before) << name << " " << what;
        };
        expect("DRAM", [&](device::Gpu& g) { twice(g.dram_bytes_per_second); });
        expect("L2", [&](device::Gpu& g) { twice(g.l2_bytes_per_second); });
        expect("size of L2", [&](device::Gpu& g) { twice(g.l2_bytes); });
        expect("shared", [&](device::Gpu& g) { twice(g.shared_bytes_per_clock); });
        expect("clock", [&](device::Gpu& g) { twice(g.boost_clock_hertz); });
    }
}

INSTANTIATE_TEST_SUITE_P(
    Bundled, EveryGpuSchedule,
    testing::Values(Schedule{"copy", kTile}, Schedule{"copy", ""}, Schedule{"transpose", kTile},
                    Schedule{"blur", std::string(kTile) + "blur_x.compute_at(out, bx)\n"},
                    Schedule{"blur", kTile}, Schedule{"blur", ""},
                    Schedule{"blur", std::string(kTile) + "blur_x.compute_at(out, tx)\n"},
                    Schedule{"matmul", kTiledMatmul}, Schedule{"matmul", ""},
                    Schedule{"matmul", std::string(kTiledMatmul) + "As.pipeline(3)\n"},
                    Schedule{"matmul", "C.gpu_tile(i, j, io, jo, ii, ji, 16, 16)\n"},
                    Schedule{"unsharp", ""}, Schedule{"harris", ""}, Schedule{"softmax", ""},
                    Schedule{"histogram_equalise", ""}, Schedule{"iir_blur", ""},
                    Schedule{"bilateral_grid", ""}, Schedule{"matmul_f16", ""},
                    Schedule{"matmul_s8", ""}, Schedule{"camera_pipe", ""}));

} // namespace test_gpu_models
