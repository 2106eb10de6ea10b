// S.swizzle(): what may be said of which stage, how chunks of rows lie, and what makes it not
// runnable.
#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/gpu/swizzling.h"
#include "tests/schedule/scheduling.h"

#include <set>

namespace loopscope::test {
namespace {

TEST(Swizzle, IsForStorageThatIsOurs) {
    EXPECT_EQ(
        refusal(matmul(), "out.swizzle()\n"),
        "1:1 out is an output: it lies in memory as the caller has it; lay out a stage that it "
        "reads, or a copy of one by cache_read");
    EXPECT_EQ(refusal(matmul(), "C.swizzle()\n"), "applied");
    expect_round_trip("C.swizzle()");
}

// PTX ISA, "Tensor Swizzling Modes": bits of the address.
std::int64_t hardware(std::int64_t pattern, std::int64_t address) {
    const auto mask = pattern / 16 - 1;
    return address ^ ((address >> 7 & mask) << 4);
}

TEST(Swizzle, RowsOfAPatternLieAsTheHardwareHasThem) {
    for (const std::int64_t row : {32, 64, 128}) {
        const auto pattern = swizzling(row, 64);
        ASSERT_TRUE(pattern);
        EXPECT_EQ(pattern->bytes(), row);
        EXPECT_EQ(pattern->alignment(), 8 * row);
        for (std::int64_t byte = 0; byte < 64 * row; ++byte)
            ASSERT_EQ(pattern->place(byte), hardware(row, byte)) << row << " " << byte;
    }
}

// Eight chunks one below the other, which an instruction for matrices loads, are in all banks; so
// is what is stored in a row.
TEST(Swizzle, ChunksOfEightRowsAreInDifferentBanks) {
    for (const std::int64_t row : {32, 64, 128, 256, 384, 1024}) {
        constexpr std::int64_t kRows = 24;
        const auto pattern = swizzling(row, kRows);
        ASSERT_TRUE(pattern) << row;
        for (std::int64_t chunk = 0; chunk < row / 16; ++chunk) {
            std::set<std::int64_t> below;
            for (std::int64_t r = 0; r < 8; ++r)
                below.insert(pattern->place(r * row + chunk * 16) % 128);
            EXPECT_EQ(below.size(), 8u) << row << " " << chunk;
        }
        std::set<std::int64_t> places;
        for (std::int64_t byte = 0; byte < kRows * row; ++byte) {
            const auto place = pattern->place(byte);
            // Which panel, and which row of it.
            EXPECT_EQ(place / pattern->bytes(), byte % row / pattern->bytes() * kRows + byte / row);
            EXPECT_EQ(place % 16, byte % 16);
            EXPECT_EQ(pattern->origin(place), byte);
            places.insert(place);
        }
        EXPECT_EQ(places.size(), static_cast<std::size_t>(kRows * row));
        EXPECT_EQ(*places.rbegin(), kRows * row - 1);
    }
}

TEST(Swizzle, OtherRowsHaveNoPattern) {
    for (const std::int64_t row : {0, 4, 16, 24, 48, 80, 96, 112, 120, 160, 192})
        EXPECT_FALSE(swizzling(row, 8)) << row;
}

// A copy of rows of so many f16 elements, in memory of a block.
std::string reason(const std::string& lines, int columns = 64, const std::string& type = "f16") {
    const auto extent = std::to_string(columns);
    const auto pipeline =
        parsed("pipeline p\ninput A[i, k]: " + type + "[64, " + extent +
               "]\nstage C[i, k]: " + type + " = A[i, k]\noutput C: [64, " + extent + "]\n");
    const auto tree = tree_of(scheduled(
        pipeline, "As = C.cache_read(A, shared)\nC.split(i, io, ii, 8)\nC.bind(io, block.x)\n"
                  "As.compute_at(C, io)\n" +
                      lines));
    const auto reasons = not_runnable(*tree, *device::generic_gpu().gpu);
    return reasons.empty() ? "runs" : reasons[0].message + "; " + reasons[0].remedy;
}

TEST(Swizzle, RunsWithRowsOfAPattern) {
    for (int columns : {16, 32, 64, 128, 192})
        EXPECT_EQ(reason("As.swizzle()\n", columns), "runs") << columns;
    EXPECT_EQ(reason("As.swizzle()\n", 16, "f64"), "runs");
    EXPECT_EQ(reason("As.swizzle()\n", 32, "u8"), "runs");
    EXPECT_EQ(reason("As.pad_storage(k, 4)\nAs.swizzle()\n", 60), "runs");
    EXPECT_EQ(reason("As.reorder_storage(k, i)\nAs.swizzle()\n", 20, "f32"), "runs")
        << "rows of 8 elements along i";
}

TEST(Swizzle, IsRefusedWithOtherRows) {
    EXPECT_EQ(reason("As.swizzle()\n", 40),
              "As is swizzled, and its rows along k are of 80 bytes: chunks of 16 change places in "
              "rows of 32, 64 or a multiple of 128; As.pad_storage(k, 24) makes rows of 128 bytes; "
              "or leave out As.swizzle()");
    EXPECT_EQ(reason("As.pad_storage(k, 1)\nAs.swizzle()\n"),
              "As is swizzled, and its rows along k are of 130 bytes, no multiple of the chunks of "
              "16 that change places; As.pad_storage(k, 64) makes rows of 256 bytes; or leave out "
              "As.swizzle()");
    EXPECT_EQ(reason("As.swizzle()\n", 8),
              "As is swizzled, and its rows along k are of 16 bytes: one chunk, which has none to "
              "change places with; As.pad_storage(k, 8) makes rows of 32 bytes; or leave out "
              "As.swizzle()");
    EXPECT_EQ(reason("As.pad_storage(k, 24)\nAs.swizzle()\n", 40), "runs") << "as it was told";
}

TEST(Swizzle, IsRefusedOutsideOfSharedMemory) {
    EXPECT_EQ(reason("As.scope(local)\nAs.swizzle()\n"),
              "As is swizzled and lies in local memory: only what the threads of a block share has "
              "banks; As.scope(shared) inside of the loops that are bound to blocks, or leave out "
              "As.swizzle()");
}

// On a CPU it is a hint.
TEST(Swizzle, LeavesTheTreeAsItIs) {
    const auto lines = std::string("As = C.cache_read(A, shared)\nAs.compute_at(C, i)\n");
    const auto without = tree_of(scheduled(matmul(), lines)),
               with = tree_of(scheduled(matmul(), lines + "As.swizzle()\n"));
    EXPECT_EQ(without->root->hash, with->root->hash);
}

} // namespace
} // namespace loopscope::test
