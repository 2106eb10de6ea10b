// How many blocks run at once, by hand. The rules, as the vendor's calculator publishes them:
//
//   warps      W = threads / 32, rounded up; at most (warps of a multiprocessor) / W blocks
//   registers  a warp gets r = 32 × registers, rounded up to 256. A quarter of the register file
//              has 16384, hence 16384 / r warps; the multiprocessor four times as many, and that
//              over W blocks
//   shared     a block gets a = bytes + reserved, rounded up to 256 (sm_7x, nothing reserved) or
//              128 (sm_8x and sm_90, 1024 reserved); at most (configured size) / a blocks. The size
//              is the wished percentage of the most, rounded up to one that there is; where a is
//              above it, a rounded up likewise
//   blocks     32, but 16 of sm_75 and sm_86
//   barriers   64 / (those of a block), of sm_90
//
// and the blocks that run are the least of these. All divisions round down where no other is said.
#include "compiler/measure/host_device.h"
#include "core/device/occupancy.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <map>

namespace loopscope::device {
namespace occupancy_table {

constexpr int kNone = -1; // does not limit; no wish

struct Case {
    BlockResources block;
    int warps, registers, shared, blocks, barriers; // blocks that each alone allows
    int runs, active_warps;
};

BlockResources block(int threads, int registers, std::int64_t shared, int carveout = kNone,
                     int barriers = 1) {
    BlockResources b{threads, registers, shared, barriers};
    if (carveout != kNone)
        b.carveout_percent = carveout;
    return b;
}

// 64 warps, 32 blocks, 98304 bytes in units of 256; sizes of 0, 8, 16, 32, 64 and 96 KB.
const std::vector<Case> kSm70{
    // W = 8: 64 / 8 = 8. r = 1024: 16 a quarter, 64 in all, / 8 = 8.
    {block(256, 32, 0), 8, 8, kNone, 32, kNone, 8, 64},
    // 33 × 32 = 1056, r = 1280: 12 a quarter, 48 in all, / 8 = 6.
    {block(256, 33, 0), 8, 6, kNone, 32, kNone, 6, 48},
    // W = 4: 16. r = 2048: 8 a quarter, 32, / 4 = 8. 98304 / 16384 = 6.
    {block(128, 64, 16384), 16, 8, 6, 32, kNone, 6, 24},
    // W = 1: 64. r = 512: 32 a quarter, 128. The number of blocks limits, at half of the warps.
    {block(32, 16, 0), 64, 128, kNone, 32, kNone, 32, 32},
    // W = 32: 2. r = 2048: 32 warps, / 32 = 1.
    {block(1024, 64, 0), 2, 1, kNone, 32, kNone, 1, 32},
    // W = 32: 2. r = 1024: 64 / 32 = 2. 98304 / 49152 = 2. Three limits at once.
    {block(1024, 32, 49152), 2, 2, 2, 32, kNone, 2, 64},
    // W = 2: 32. 255 × 32 = 8160, r = 8192: 2 a quarter, 8, / 2 = 4.
    {block(64, 255, 0), 32, 4, kNone, 32, kNone, 4, 8},
    // W = 3: 21. r = 1280: 48 / 3 = 16. a = 1024: 96.
    {block(96, 40, 1000), 21, 16, 96, 32, kNone, 16, 48},
    // W = 16: 4. r = 1024: 64 / 16 = 4. All of the shared memory: 1.
    {block(512, 32, 98304), 4, 4, 1, 32, kNone, 1, 16},
    // 33 threads are W = 2: 32. No registers. a = 256: 384.
    {block(33, 0, 1), 32, kNone, 384, 32, kNone, 32, 64},
    // Half of 98304 is 49152, rounded up to 65536: / 4096 = 16. W = 4: 16. r = 1024: 64 / 4 = 16.
    {block(128, 32, 4096, 50), 16, 16, 16, 32, kNone, 16, 64},
    // None wished, but a block needs 4096, rounded up to 8192: 2.
    {block(128, 32, 4096, 0), 16, 16, 2, 32, kNone, 2, 8},
};

// 32 warps, 16 blocks, 65536 bytes in units of 256; sizes of 32 and 64 KB.
const std::vector<Case> kSm75{
    // W = 8: 4. r = 1024: 64 / 8 = 8.
    {block(256, 32, 0), 4, 8, kNone, 16, kNone, 4, 32},
    // W = 16: 2. r = 2048: 32 / 16 = 2. 65536 / 2048 = 32. Sioutas, section 6.3, has it too: 100 %.
    {block(512, 64, 2048), 2, 2, 32, 16, kNone, 2, 32},
    // One register more: 2080, r = 2304: 7 a quarter, 28, / 16 = 1.
    {block(512, 65, 2048), 2, 1, 32, 16, kNone, 1, 16},
    // W = 1: 32. r = 1024: 64. 16 blocks are half of the warps.
    {block(32, 32, 0), 32, 64, kNone, 16, kNone, 16, 16},
    // W = 2: 16. r = 4096: 4 a quarter, 16, / 2 = 8. 65536 / 4096 = 16.
    {block(64, 128, 4096), 16, 8, 16, 16, kNone, 8, 16},
    // W = 4: 8. r = 1536: 10 a quarter, 40, / 4 = 10. 65536 / 12288 = 5.
    {block(128, 48, 12288), 8, 10, 5, 16, kNone, 5, 20},
    // W = 32: 1. r = 2048: 32 / 32 = 1. All of the shared memory: 1.
    {block(1024, 64, 65536), 1, 1, 1, 16, kNone, 1, 32},
    // W = 6: 5. r = 2560: 6 a quarter, 24, / 6 = 4. a = 5120: 12.
    {block(192, 80, 5000), 5, 4, 12, 16, kNone, 4, 24},
    // A quarter of 65536 is 16384, rounded up to 32768: a = 3072: 10. W = 2: 16. r = 1024: 32.
    {block(64, 32, 3000, 25), 16, 32, 10, 16, kNone, 10, 20},
    // W = 3: 10. r = 768: 21 a quarter, 84, / 3 = 28.
    {block(96, 24, 0), 10, 28, kNone, 16, kNone, 10, 30},
};

// 64 warps, 32 blocks, 167936 bytes in units of 128 with 1024 reserved; sizes of 0, 8, 16, 32, 64,
// 100, 132 and 164 KB.
const std::vector<Case> kSm80{
    // W = 4: 16. r = 1024: 64 / 4 = 16. a = 1024: 164.
    {block(128, 32, 0), 16, 16, 164, 32, kNone, 16, 64},
    // W = 1: 64. r = 1024: 64.
    {block(32, 32, 0), 64, 64, 164, 32, kNone, 32, 32},
    // W = 8: 8. r = 4096: 4 a quarter, 16, / 8 = 2. a = 50176: 3.
    {block(256, 128, 49152), 8, 2, 3, 32, kNone, 2, 16},
    // W = 4: 16. r = 4096: 16 / 4 = 4. a = 33792: 4, and would be 5 without what is reserved.
    {block(128, 128, 32768), 16, 4, 4, 32, kNone, 4, 16},
    // 126 × 32 = 4032, r = 4096: 4. a = 99328: 1.
    {block(128, 126, 98304), 16, 4, 1, 32, kNone, 1, 4},
    // W = 8: 8. r = 8192: 2 a quarter, 8, / 8 = 1. The most that a block may have, a = 167936: 1.
    {block(256, 255, 166912), 8, 1, 1, 32, kNone, 1, 8},
    // W = 2: 32. r = 1280: 48 / 2 = 24. a = 9216: 18.
    {block(64, 40, 8192), 32, 24, 18, 32, kNone, 18, 36},
    // W = 5: 12. r = 1792: 9 a quarter, 36, / 5 = 7. 3024, a = 3072: 54.
    {block(160, 56, 2000), 12, 7, 54, 32, kNone, 7, 35},
    // W = 32: 2. r = 2048: 1. a = 82944: 2.
    {block(1024, 64, 81920), 2, 1, 2, 32, kNone, 1, 32},
    // W = 16: 4. r = 1024: 4. 1124, a = 1152: 145.
    {block(512, 32, 100), 4, 4, 145, 32, kNone, 4, 64},
    // Half of 167936 is 83968, rounded up to 102400: a = 21504: 4.
    {block(128, 32, 20480, 50), 16, 16, 4, 32, kNone, 4, 16},
    // A tenth is 16793, rounded up to 32768, below a = 41984, which is rounded up to 65536: 1.
    {block(128, 32, 40960, 10), 16, 16, 1, 32, kNone, 1, 4},
};

// 48 warps, 16 blocks, 102400 bytes in units of 128 with 1024 reserved; sizes of 0, 8, 16, 32, 64
// and 100 KB.
const std::vector<Case> kSm86{
    // W = 8: 6. r = 1280: 48 / 8 = 6. a = 1024: 100.
    {block(256, 40, 0), 6, 6, 100, 16, kNone, 6, 48},
    // W = 4: 12. 1344, r = 1536: 10 a quarter, 40, / 4 = 10.
    {block(128, 42, 0), 12, 10, 100, 16, kNone, 10, 40},
    // W = 3: 16. r = 1024: 64 / 3 = 21.
    {block(96, 32, 0), 16, 21, 100, 16, kNone, 16, 48},
    // W = 32: 1, which leaves a third of the warps. r = 1024: 2.
    {block(1024, 32, 0), 1, 2, 100, 16, kNone, 1, 32},
    // W = 4: 12. r = 2048: 32 / 4 = 8. a = 25600: 4.
    {block(128, 64, 24576), 12, 8, 4, 16, kNone, 4, 16},
    // W = 8: 6. r = 2048: 4. The most that a block may have, a = 102400: 1.
    {block(256, 64, 101376), 6, 4, 1, 16, kNone, 1, 8},
    // W = 2: 24. r = 5376: 3 a quarter, 12, / 2 = 6. 7024, a = 7040: 14.
    {block(64, 168, 6000), 24, 6, 14, 16, kNone, 6, 12},
    // 64 percent are 65536: a = 16384: 4. W = 2: 24. r = 1024: 32.
    {block(64, 32, 15360, 64), 24, 32, 4, 16, kNone, 4, 8},
};

// 64 warps, 32 blocks, 64 barriers, 233472 bytes in units of 128 with 1024 reserved; sizes as of
// sm_80, 196 and 228 KB.
const std::vector<Case> kSm90{
    // W = 12: 5. r = 5376: 3 a quarter, 12, / 12 = 1. 201024, a = 201088: 1.
    {block(384, 168, 200000), 5, 1, 1, 32, 64, 1, 12},
    // W = 4: 16. r = 1024: 16. a = 1024: 228.
    {block(128, 32, 0), 16, 16, 228, 32, 64, 16, 64},
    // W = 4: 16. 2880, r = 3072: 5 a quarter, 20, / 4 = 5. a = 74752: 3.
    {block(128, 90, 73728), 16, 5, 3, 32, 64, 3, 12},
    // W = 8: 8. r = 2048: 32 / 8 = 4. a = 57344: 4.
    {block(256, 64, 56320), 8, 4, 4, 32, 64, 4, 32},
    // W = 1: 64. r = 768: 21 a quarter, 84. Four barriers of each block: 16.
    {block(32, 24, 0, kNone, 4), 64, 84, 228, 32, 16, 16, 16},
    // W = 2: 32. r = 1024: 32. a = 3072: 76. Two barriers: 32.
    {block(64, 32, 2048, kNone, 2), 32, 32, 76, 32, 32, 32, 64},
    // A quarter of 233472 is 58368, rounded up to 65536: a = 11264: 5.
    {block(128, 32, 10240, 25), 16, 16, 5, 32, 64, 5, 20},
    // W = 32: 2. r = 2048: 1. The most that a block may have, a = 233472: 1.
    {block(1024, 64, 232448), 2, 1, 1, 32, 64, 1, 32},
};

Device described(const std::string& name) {
    auto device =
        measure::load_device_file(test::source_path("resources/devices/" + name + ".json"));
    EXPECT_TRUE(device) << format(device.errors());
    return device ? *device : Device{};
}

void expect_limit(const OccupancyLimit& limit, const char* name, int blocks, int runs) {
    EXPECT_EQ(limit.name, name);
    EXPECT_EQ(limit.blocks.value_or(kNone), blocks) << name;
    EXPECT_EQ(limit.reached, blocks == runs) << name;
}

int check_table(const std::string& name, const std::vector<Case>& cases) {
    const auto device = described(name);
    for (const auto& c : cases) {
        SCOPED_TRACE(name + ": " + std::to_string(c.block.threads) + " threads, " +
                     std::to_string(c.block.registers_per_thread) + " registers, " +
                     std::to_string(c.block.shared_bytes) + " bytes");
        auto found = occupancy(device, c.block);
        EXPECT_TRUE(found) << format(found.errors());
        if (!found)
            continue;
        EXPECT_EQ(found->blocks, c.runs);
        EXPECT_EQ(found->active_warps, c.active_warps);
        EXPECT_EQ(found->most_warps, device.gpu->limits.warps_per_multiprocessor);
        EXPECT_DOUBLE_EQ(found->share(), static_cast<double>(c.active_warps) / found->most_warps);
        EXPECT_EQ(found->limits.size(), 5u);
        expect_limit(found->limits[0], "warps", c.warps, c.runs);
        expect_limit(found->limits[1], "registers", c.registers, c.runs);
        expect_limit(found->limits[2], "shared memory", c.shared, c.runs);
        expect_limit(found->limits[3], "blocks", c.blocks, c.runs);
        expect_limit(found->limits[4], "barriers", c.barriers, c.runs);
    }
    return static_cast<int>(cases.size());
}

TEST(OccupancyTable, AgreesWithTheRulesByHand) {
    int cases = check_table("v100", kSm70) + check_table("rtx2080ti", kSm75) +
                check_table("a100-sxm-40gb", kSm80) + check_table("rtx3090", kSm86) +
                check_table("h100-sxm", kSm90);
    EXPECT_EQ(cases, 50);
}

// What is set aside: 126 × 32 = 4032, rounded up to 4096, × 4 warps; 20480 + 1024 bytes; 50 percent
// are 100 KB.
TEST(OccupancyTable, SaysWhatIsSetAside) {
    auto found = occupancy(described("a100-pcie-40gb"), block(128, 126, 20480, 50));
    ASSERT_TRUE(found) << format(found.errors());
    EXPECT_EQ(found->warps_per_block, 4);
    EXPECT_EQ(found->registers_per_block, 16384);
    EXPECT_EQ(found->shared_bytes_per_block, 21504);
    EXPECT_EQ(found->shared_bytes, 102400);
}

} // namespace occupancy_table
} // namespace loopscope::device
