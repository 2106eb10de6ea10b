// How fast it is: printed, and not asserted.
#include "tests/simt/simt_support.h"

#include <chrono>
#include <cstdio>

namespace loopscope {
namespace {

using namespace test;

TEST(SimtSpeed, TiledMatrixProduct) {
    auto program = parsed(R"(
program matmul flat
input A: f32[16384]
input B: f32[16384]
output C: f32[16384]
launch matmul on device (A, B, C) {
    bound block.y for by in 0..4 {
        bound block.x for bx in 0..4 {
            bound thread.y for ty in 0..8 {
                bound thread.x for tx in 0..32 {
                    allocate As: f32[1024] in shared
                    allocate Bs: f32[1024] in shared
                    allocate acc: f32[4] in register
                    for z in 0..4 {
                        acc[z] = 0.0
                    }
                    for ko in 0..4 {
                        for y in 0..4 {
                            As[32*ty + 256*y + tx] = A[128*(32*by + ty + 8*y) + 32*ko + tx]
                            Bs[32*ty + 256*y + tx] = B[128*(32*ko + ty + 8*y) + 32*bx + tx]
                        }
                        barrier block
                        for ki in 0..32 {
                            for i in 0..4 {
                                acc[i] = acc[i] + As[32*ty + 256*i + ki]*Bs[32*ki + tx]
                            }
                        }
                        barrier block
                    }
                    for o in 0..4 {
                        C[128*(32*by + ty + 8*o) + 32*bx + tx] = acc[o]
                    }
                }
            }
        }
    }
}
)");
    std::map<std::string, Buffer> inputs{{"A", random(T::F32, {16384}, 1)},
                                         {"B", random(T::F32, {16384}, 2)}};
    auto begin = std::chrono::steady_clock::now();
    auto result = run(program, inputs);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    const auto& c = result.launches.at(0).total;
    auto accesses = (c.global_load_bytes + c.global_store_bytes + c.shared_bytes) / 4;
    auto operations = c.flops + c.integer_operations + accesses;
    std::printf("%.3f s; %.1f million lane operations a second (%.1f million of them accesses to "
                "global and shared memory)\n",
                seconds.count(), 1e-6 * static_cast<double>(operations) / seconds.count(),
                1e-6 * static_cast<double>(accesses) / seconds.count());
}

} // namespace
} // namespace loopscope
