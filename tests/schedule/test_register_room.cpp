// Memory in scope register that is larger than registers are.
#include "core/schedule/register_room.h"

#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/schedule/scheduling.h"

#include <algorithm>

namespace loopscope::test {
namespace test_register_room {

// Rows of 1 MiB.
PipelinePtr two_stages() {
    return parsed("pipeline p\ninput A[i, j]: f32[64, 262144]\nstage B[i, j] = 2.0*A[i, j]\n"
                  "stage C[i, j] = B[i, j] + 1.0\noutput C: [64, 262144]\n");
}

std::optional<RegisterExcess> excess(const std::string& lines, const device::Device& device) {
    const auto tree = tree_of(scheduled(two_stages(), lines));
    return beyond_registers(*tree->find({"B", -1, "@storage"}), device);
}

// The reason that speaks of memory of a thread's own; empty: there is none.
std::string reason(const std::string& lines) {
    const auto tree = tree_of(scheduled(two_stages(), lines));
    for (const auto& each : not_runnable(*tree, *device::generic_gpu().gpu))
        if (each.message.find("a thread has at most") != std::string::npos)
            return each.message + "; " + each.remedy;
    return {};
}

TEST(RegisterRoom, IsThatOfVectorsOnAProcessor) {
    device::Device device;
    device.vector_bits = 256;
    EXPECT_EQ(register_bytes(device), 16 * 32);
    device.vector_bits = 512;
    device.features = {"avx2", "avx512f"};
    EXPECT_EQ(register_bytes(device), 32 * 64);
    const auto whole = excess("B.scope(register)\n", device);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->bytes, 64 * 262144 * 4);
    EXPECT_EQ(whole->room, 2048);
    EXPECT_FALSE(excess("", device)) << "it is to lie in memory";
    EXPECT_FALSE(
        excess("C.split(j, jo, ji, 512)\nB.compute_at(C, jo)\nB.scope(register)\n", device))
        << "2048 bytes are all of them";
    EXPECT_TRUE(
        excess("C.split(j, jo, ji, 520)\nB.compute_at(C, jo)\nB.scope(register)\n", device));
}

TEST(RegisterRoom, IsThatOfAThreadOnAGpu) {
    const auto& gpu = device::generic_gpu();
    EXPECT_EQ(register_bytes(gpu), 4 * 255);
    const std::string blocks = "C.split(j, jo, ji, 256)\nC.bind(i, block.x)\nB.scope(register)\n";
    const auto tile = excess(blocks + "B.compute_at(C, jo)\n", gpu);
    ASSERT_TRUE(tile);
    EXPECT_EQ(tile->bytes, 1024);
    EXPECT_EQ(reason(blocks + "B.compute_at(C, jo)\n"), "") << "local memory takes what is over";
    EXPECT_EQ(reason(blocks + "B.compute_at(C, i)\n"),
              "B takes 1048576 bytes of register memory, which each thread has for itself, and a "
              "thread has at most 524288; B.compute_at(…) further inside, or smaller tiles of a "
              "thread");
    EXPECT_EQ(reason("C.bind(i, block.x)\nB.compute_at(C, i)\nB.scope(shared)\n"), "");
}

} // namespace test_register_room
} // namespace loopscope::test
