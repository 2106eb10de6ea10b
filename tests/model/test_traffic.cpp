// Traffic between cache levels, worked out by hand on the test machine: of L1 24 KiB, of L2 192
// KiB, of L3 3 MiB count.

#include "model_support.h"

using namespace loopscope;
using namespace loopscope::test;

namespace test_traffic {

double bytes_at(const ScheduleTree& tree, const std::string& level, int threads = 1) {
    auto estimate = model::find_model("bottleneck")->estimate(tree, machine(), {threads});
    double sum = 0;
    for (const auto& kernel : estimate.kernels)
        for (const auto& t : kernel.traffic)
            if (t.level == level)
                sum += t.bytes;
    return sum;
}

// 256³ in tiles of 32³. A tile of each operand is 4 KiB: 32 rows of two lines.
const char* const kTiled = "C.tile(i, j, io, jo, ii, ji, 32, 32)\nC.split(k, ko, ki, 32)\n"
                           "C.reorder(io, jo, ko, ii, ki, ji)\n";

TEST(Traffic, TiledMatmulByHand) {
    auto tree = tree_of(kMatmul, kTiled, {{"M", 256}, {"N", 256}, {"K", 256}});
    ASSERT_TRUE(tree);
    // L1 holds three tiles but not the panels of a whole ko loop: per (io, jo) the panels of A and
    // B come in, 32 KiB each, and the tile of C once, when it is initialised, and goes out once.
    EXPECT_DOUBLE_EQ(bytes_at(*tree, "L2"), 64 * (32768.0 + 32768 + 4096 + 4096));
    // L2 holds one iteration of jo (68 KiB), not all (320 KiB): per io the panel of A once, all of
    // B, and C's row of tiles.
    EXPECT_DOUBLE_EQ(bytes_at(*tree, "L3"), 8 * (32768.0 + 262144 + 32768 + 32768));
    // L3 holds everything: each array once, and C back.
    EXPECT_DOUBLE_EQ(bytes_at(*tree, "memory"), 4 * 262144.0);
}

TEST(Traffic, ColumnsAreWholeLines) {
    // Every element of a column of B is in a line of its own: 256 lines a sum, which L1 cannot keep
    // beside a row of A for the next column (the loop over k moves through 16 KiB + 1 KiB; the loop
    // over j through all of B).
    auto tree = tree_of(kMatmul, "", {{"M", 512}, {"N", 512}, {"K", 512}});
    ASSERT_TRUE(tree);
    // k: 512 lines of B and 32 of A are 34 KiB, more than L1's 24: every sum loads them all, each
    // step one line of B and a sixteenth of one of A; and C's element is fetched when it is
    // initialised and goes back.
    double sums = 512.0 * 512;
    EXPECT_DOUBLE_EQ(bytes_at(*tree, "L2"), sums * (512 * 64 + 64 + 511 * 4 + 64 + 64));
}

// A streaming store fetches nothing: two images move where an ordinary store moves three, at each
// level.
TEST(Traffic, WhatStreamsIsNotFetched) {
    double image = 2048.0 * 2048 * 4;
    auto plain = tree_of(kScale, "", {{"H", 2048}, {"W", 2048}}),
         streams = tree_of(kScale, "out.non_temporal()\n", {{"H", 2048}, {"W", 2048}});
    ASSERT_TRUE(plain && streams);
    for (const char* level : {"L2", "L3", "memory"}) {
        EXPECT_DOUBLE_EQ(bytes_at(*plain, level), 3 * image);
        EXPECT_DOUBLE_EQ(bytes_at(*streams, level), 2 * image);
    }
    EXPECT_EQ(model::find_model("bottleneck")->estimate(*streams, machine(), {1}).stores,
              2048.0 * 2048);
}

// What streams leaves the caches to others, and is not there when it is read afterwards: C, of 256
// KiB, fits L3.
TEST(Traffic, WhatStreamsIsInNoCacheAfterwards) {
    const std::string two = "pipeline two\ninput img[y, x]: f32[256, 256]\n"
                            "stage first[y, x] = img[y, x] * 2.0\n"
                            "stage out[y, x] = first[255 - y, x] + 1.0\noutput out: [256, 256]\n";
    double image = 256.0 * 256 * 4;
    auto plain = tree_of(two, "out.parallel(y)\n"),
         streams = tree_of(two, "out.parallel(y)\nfirst.non_temporal()\n");
    ASSERT_TRUE(plain && streams);
    // img in; first in and out, found by out; out in and out.
    EXPECT_DOUBLE_EQ(bytes_at(*plain, "memory"), 5 * image);
    // img in; first out, and in again; out in and out.
    EXPECT_DOUBLE_EQ(bytes_at(*streams, "memory"), 5 * image);
    EXPECT_DOUBLE_EQ(bytes_at(*streams, "L3"), bytes_at(*plain, "L3") - image);
}

TEST(Traffic, AStencilsOverlapStays) {
    // Rows of out need three rows of blur_x; two of them are there from the row before.
    auto tree = tree_of(kBlur, "blur_x.compute_root()\n", {{"H", 2048}, {"W", 2048}});
    ASSERT_TRUE(tree);
    double image = 2048.0 * 2048 * 2, row = 2048 * 2;
    double in_blur_x = 2050.0 * 2050 * 2, out_blur_x = image + 2 * row;
    // blur_x: img comes in, blur_x comes in (to be written) and goes out. out: blur_x in, out in
    // and out.
    double expected = in_blur_x + 2 * out_blur_x + out_blur_x + 2 * image;
    EXPECT_NEAR(bytes_at(*tree, "memory"), expected, expected * 0.001);
}

TEST(Traffic, AnIntermediateInATileStaysInTheCache) {
    auto tree =
        tree_of(kBlur, "out.tile(y, x, yo, xo, yi, xi, 32, 512)\nblur_x.compute_at(out, xo)\n",
                {{"H", 2048}, {"W", 2048}});
    ASSERT_TRUE(tree);
    double image = 2048.0 * 2048 * 2;
    // 34 rows of 1 KiB of blur_x stay in L2 and L3. img's tile is 34 rows for 32: its halo is
    // loaded twice.
    double most = image * (34.0 / 32) * 1.06 + 2 * image;
    EXPECT_GE(bytes_at(*tree, "memory"), 3 * image);
    EXPECT_LE(bytes_at(*tree, "memory"), most);
    auto whole = tree_of(kBlur, "", {{"H", 2048}, {"W", 2048}});
    EXPECT_GT(bytes_at(*whole, "memory"), 1.8 * bytes_at(*tree, "memory"));
}

TEST(Traffic, AConsumerFindsWhatItsProducerLeft) {
    // 56 KiB of u16 each: L2 holds all three, L1 none.
    auto tree = tree_of(kBlur, "", {{"H", 112}, {"W", 256}});
    ASSERT_TRUE(tree);
    double img = 114 * 258 * 2, blur_x = 114 * 256 * 2, out = 112 * 256 * 2;
    EXPECT_NEAR(bytes_at(*tree, "L3"), img + 2 * blur_x + 2 * out, 128)
        << "blur_x is not fetched again";
    EXPECT_GT(bytes_at(*tree, "L2"), img + 3 * blur_x + 2 * out - 128) << "from L1 it is";
}

TEST(Traffic, ThreadsLoadWhatTheyShareIntoEachPrivateCache) {
    auto tree = tree_of(kMatmul, "C.parallel(i)\n", {{"M", 64}, {"N", 64}, {"K", 64}});
    ASSERT_TRUE(tree);
    // B, 16 KiB, is used by all rows: once per private cache, and once into the shared one.
    double a = 64 * 64 * 4, c = 2.0 * a, b = a;
    EXPECT_DOUBLE_EQ(bytes_at(*tree, "L2", 1), a + b + c);
    EXPECT_DOUBLE_EQ(bytes_at(*tree, "L2", 4), a + 4 * b + c);
    EXPECT_DOUBLE_EQ(bytes_at(*tree, "memory", 4), a + b + c);
}

TEST(Traffic, RegistersKeepWhatALoopDoesNotMove) {
    auto naive = tree_of(kMatmul, "", {{"M", 64}, {"N", 64}, {"K", 64}});
    ASSERT_TRUE(naive);
    double points = 64 * 64 * 64, sums = 64 * 64;
    // The accumulator stays: A and B are loaded at every step, C is stored when it is initialised,
    // and loaded and stored around the sum.
    EXPECT_DOUBLE_EQ(bytes_at(*naive, "L1"), 8 * points + 4 * sums + 8 * sums);
    // 4 × 16 accumulators are 8 vectors; a step loads two vectors of B and four values of A.
    auto tiled =
        tree_of(kMatmul,
                "C.tile(i, j, io, jo, ii, ji, 4, 16)\nC.reorder(io, jo, k, ii, ji)\nC.unroll(ii)\n"
                "C.vectorize(ji)\n",
                {{"M", 64}, {"N", 64}, {"K", 64}});
    ASSERT_TRUE(tiled);
    double steps = points / (4 * 16);
    EXPECT_DOUBLE_EQ(bytes_at(*tiled, "L1"), steps * (2 * 32 + 4 * 4) + 4 * sums + 8 * sums);
    // 16 × 16 would need 32 registers, which this machine has not: they spill to memory at every
    // step.
    auto spilled =
        tree_of(kMatmul,
                "C.tile(i, j, io, jo, ii, ji, 16, 16)\nC.reorder(io, jo, k, ii, ji)\nC.unroll(ii)\n"
                "C.vectorize(ji)\n",
                {{"M", 64}, {"N", 64}, {"K", 64}});
    ASSERT_TRUE(spilled);
    EXPECT_GT(bytes_at(*spilled, "L1"), 8 * points);
}

// What a level is asked for is what the one before it misses: beyond L1, where all move whole
// lines, traffic never grows. What L1 fetches is bounded by its lines: one in and one out for each
// that an access touches.
TEST(Traffic, NeverGrowsOutwardsBeyondLines) {
    auto crowded = machine(); // a thread's part of L3 is smaller than its L2
    crowded.caches[2].bytes = 512 << 10;
    int grown = 0;
    for (const char* name : {"matmul", "blur", "harris", "transpose", "softmax", "unsharp",
                             "conv_relu", "iir_blur", "max_filter", "histogram_equalise"})
        for (bool shipped : {false, true}) {
            auto tree = bundled_tree(name, shipped, {});
            ASSERT_TRUE(tree) << name;
            for (const auto& device : {machine(), crowded})
                for (int threads : {1, 4}) {
                    auto a = model::analyse(*tree, device, {threads});
                    for (const auto& kernel : a.kernels) {
                        EXPECT_LE(kernel.bytes[1],
                                  2 * (kernel.bytes[0] + 2 * 64 * kernel.instructions))
                            << name;
                        grown += kernel.bytes[1] > kernel.bytes[0];
                        for (std::size_t l = 2; l < kernel.bytes.size(); ++l)
                            EXPECT_LE(kernel.bytes[l], kernel.bytes[l - 1] * (1 + 1e-9))
                                << name << (shipped ? " as shipped, " : ", ") << threads
                                << " threads, " << a.levels[l].name;
                    }
                }
        }
    EXPECT_GT(grown, 10) << "whole lines for a few bytes of each are no rarity";
}

// Four threads, each with tiles that its L2 keeps, and a quarter of L3 that would not: L3 is not
// asked again for them.
TEST(Traffic, ASharedCacheIsAskedOnlyForWhatPrivateOnesMiss) {
    auto tree = tree_of(kMatmul, "C.split(i, io, ii, 64)\nC.parallel(io)\n",
                        {{"M", 256}, {"N", 128}, {"K", 256}});
    ASSERT_TRUE(tree);
    auto crowded = machine();
    crowded.caches[2].bytes = 512 << 10;
    auto bytes = [&](const device::Device& device) {
        return model::analyse(*tree, device, {4}).kernels.at(0).bytes;
    };
    const auto roomy = bytes(machine()), tight = bytes(crowded);
    EXPECT_DOUBLE_EQ(tight[2], roomy[2]) << "L2's misses do not depend on L3";
    EXPECT_GE(tight[3], roomy[3]);
    EXPECT_LE(tight[3], tight[2]);
}

// 512 elements of a column, a line each, are the L1 of 32 KiB: where rows lie 4 KiB apart they fall
// into one set of eight lines, and none stays for the next column.
TEST(Traffic, RowsAPowerOfTwoApartPushEachOtherOut) {
    auto bytes = [](std::int64_t width, int ways) {
        auto device = machine();
        device.caches[0].ways = ways;
        auto tree = tree_of(kMatmul, "C.contract()\n", {{"M", 4}, {"N", width}, {"K", 256}});
        return tree ? model::analyse(*tree, device, {1}).kernels[0].bytes[1] : 0;
    };
    EXPECT_GT(bytes(1024, 8), 8 * bytes(1040, 8));
    EXPECT_NEAR(bytes(1024, 0), bytes(1040, 0), 0.1 * bytes(1040, 0)) << "ways unknown";
}

} // namespace test_traffic
