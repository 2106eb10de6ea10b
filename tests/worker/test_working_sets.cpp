// The probe takes what memory there is, and says where that is too little for its figures.
#include "compiler/worker/working_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace loopscope::worker {
namespace test_working_sets {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kKiB = 1 << 10, kMiB = 1 << 20, kGiB = 1 << 30;

// A server: 48 KiB and 2 MiB a core, and 480 MiB of all.
device::Device server(int cores) {
    device::Device host;
    host.cores = host.threads = cores;
    for (const auto& [bytes, sharing] :
         {std::pair<std::int64_t, int>{48 * kKiB, 1}, {2 * kMiB, 1}, {480 * kMiB, cores}}) {
        device::CacheLevel level;
        level.bytes = bytes;
        level.shared_by_cores = sharing;
        host.caches.push_back(level);
    }
    return host;
}

TEST(WorkingSets, FitEachLevelAndThenNone) {
    const auto one = working_sets(server(2), 1, 64 * kGiB);
    EXPECT_THAT(one.bytes, ElementsAre(24 * kKiB, kMiB, 240 * kMiB, 1024 * kMiB));
    EXPECT_EQ(one.remark, "");
    const auto both = working_sets(server(2), 2, 64 * kGiB);
    EXPECT_THAT(both.bytes, ElementsAre(24 * kKiB, kMiB, 120 * kMiB, 512 * kMiB));
}

// Four times such a cache for each of its threads would be terabytes.
TEST(WorkingSets, TakeAGigabyteAtMost) {
    for (int threads : {1, 2, 7, 64, 384, 4096}) {
        const auto sets = working_sets(server(threads), threads, 1024 * kGiB);
        for (auto bytes : sets.bytes)
            EXPECT_LE(bytes * threads, kGiB) << threads;
        EXPECT_EQ(sets.remark, "") << "nothing is short of what the machine could give";
    }
}

TEST(WorkingSets, ShrinkToTheMemoryThatThereIs) {
    const auto sets = working_sets(server(2), 2, 1600 * kMiB);
    EXPECT_THAT(sets.bytes, ElementsAre(24 * kKiB, kMiB, 120 * kMiB, 200 * kMiB));
    EXPECT_EQ(sets.remark, ", on at most 204800 KiB a thread, for memory is short");
    for (std::int64_t available : {std::int64_t(0), kMiB, 100 * kMiB, 2 * kGiB})
        for (int threads : {1, 2, 64}) {
            const auto few = working_sets(server(threads), threads, available);
            for (auto bytes : few.bytes) {
                EXPECT_GE(bytes, 8 * kKiB) << "something is measured";
                EXPECT_LE(bytes * threads, std::max(available / 4, threads * 8 * kKiB));
            }
            EXPECT_THAT(few.remark, HasSubstr("for memory is short"));
        }
}

} // namespace test_working_sets
} // namespace loopscope::worker
