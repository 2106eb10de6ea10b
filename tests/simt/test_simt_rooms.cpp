// Shared memory that is planned: allocations at one place are one memory.
#include "tests/simt/simt_support.h"

namespace loopscope {
namespace {

using namespace test;

const std::string kRooms = on_device("output out: i32[64]", R"(    bound block.x for b in 0..1 {
        bound thread.x for t in 0..64 {
            allocate r: i32[1] in register
            r[0] = 0
            for k in 0..3 {
                allocate first: i32[64] in shared at 0
                allocate other: i32[64] in shared at 256
                allocate second: f16[64] in shared at 0
                first[t] = t + k  @ A/@compute
                barrier block
                r[0] = r[0] + first[63 - t]  @ A/@use
                barrier block  @ A/k
                second[t] = 1.0f16  @ B/@compute
                other[t] = 1  @ O/@compute
                barrier block
                r[0] = r[0] + i32(second[63 - t]) + other[63 - t]  @ B/@use
                barrier block  @ B/k
            }
            out[t] = r[0]
        }
    }
)");

TEST(SimtRooms, UsedOneAfterTheOther) {
    auto result = run(kRooms);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(values<std::int32_t>(result, "out").at(0), 3 * 63 + 3 + 6);
    EXPECT_EQ(result.launches.at(0).shared_bytes, 512);
}

TEST(SimtRooms, AMissingBarrierBetweenTheirUses) {
    auto result = run(replaced(kRooms, "                barrier block  @ A/k\n", ""));
    expect_only(result, Kind::Race, "A/@use B/@compute", "at the same place");
    EXPECT_EQ(result.findings[0].buffer, "first");
    expect_only(run(replaced(kRooms, "                barrier block  @ B/k\n", "")), Kind::Race,
                "B/@use A/@compute", "and second[");
}

TEST(SimtRooms, InUseAtOnce) {
    auto result = run(replaced(kRooms, "i32[64] in shared at 256", "i32[64] in shared at 128"));
    EXPECT_TRUE(result.findings.empty()) << format(result.findings); // second ends where it begins
    auto late = replaced(kRooms, "i32(second[63 - t])", "i32(second[63 - t]) + first[0]");
    expect_only(run(late), Kind::UninitializedRead, "B/@use",
                "reads first[0], which nothing has written since its place was another's");
}

TEST(SimtRooms, CopiesThatAreUnderWay) {
    const std::string text =
        on_device("input A: f32[64]\noutput out: f32[64]", R"(    bound thread.x for t in 0..64 {
        allocate first: f32[64] in shared at 0
        allocate second: f32[64] in shared at 0
        first[t] = 1.0
        barrier block
        copy tok second[t] = A[t]  @ As/@compute
        commit tok
        out[t] = first[63 - t]  @ C/@compute
        wait tok 0
        barrier block
        out[t] = second[63 - t]  @ D/@compute
    }
)");
    auto result = run(text, {{"A", random(T::F32, {64})}});
    expect_only(result, Kind::ReadBeforeArrival, "C/@compute As/@compute",
                "at the same place, is under way");
}

} // namespace
} // namespace loopscope
