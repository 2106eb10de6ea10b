// Shared memory: tiles with barriers, how much a launch must ask for, and places that allocations
// share.
#include "compiler/codegen/nvptx/shared_layout.h"
#include "compiler/lower/gpu/launch.h"
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace {

// C = the transpose of A, 256 by 256, in tiles of 32 by 32 whose rows are padded by `pad`.
std::string transpose(int pad) {
    const auto row = std::to_string(32 + pad);
    return R"(program transpose flat
input A: f32[65536]
output C: f32[65536]
launch transpose on device (A, C) {
    bound block.y for by in 0..8 {
        bound block.x for bx in 0..8 {
            bound thread.y for ty in 0..8 {
                bound thread.x for tx in 0..32 {
                    allocate tile: f32[)" +
           std::to_string(32 * (32 + pad)) + R"(] in shared
                    for i in 0..4 {
                        tile[(i*8 + ty)*)" +
           row + R"( + tx] = A[(by*32 + i*8 + ty)*256 + bx*32 + tx]
                    }
                    barrier block
                    for j in 0..4 {
                        C[(bx*32 + j*8 + ty)*256 + by*32 + tx] = tile[tx*)" +
           row + R"( + j*8 + ty]
                    }
                }
            }
        }
    }
}
)";
}

TEST(Shared, ATileBetweenBarriers) {
    const auto program = compiled(transpose(1));
    const auto& ptx = program.ptx.text;
    EXPECT_EQ(count_of(ptx, "bar.sync"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "st.shared.f32"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "ld.shared.f32"), 1) << ptx;
    EXPECT_LT(ptx.find("st.shared"), ptx.find("bar.sync"));
    EXPECT_LT(ptx.find("bar.sync"), ptx.find("ld.shared"));
    EXPECT_EQ(program.kernels[0].shared_bytes, 32 * 33 * 4 + (128 - 32 * 33 * 4 % 128) % 128);
    EXPECT_EQ(program.kernels[0].dynamic_bytes, 0);
    EXPECT_EQ(program.kernels[0].grid, (std::array<std::int64_t, 3>{8, 8, 1}));
    EXPECT_EQ(program.kernels[0].block, (std::array<std::int64_t, 3>{32, 8, 1}));
    EXPECT_EQ(count_of(ptx, ".maxntid 32, 8, 1"), 1) << ptx;
    expect_runs_everywhere(transpose(1));
}

TEST(Shared, AddressesAre32BitsWide) {
    const auto ptx = ptx_of(transpose(1));
    for (const char* access : {"st.shared.f32", "ld.shared.f32"}) {
        const auto at = ptx.find("[", ptx.find(access));
        EXPECT_EQ(ptx.substr(at, 3), "[%r") << ptx;
        EXPECT_NE(ptx.substr(at, 4), "[%rd") << ptx;
    }
}

std::string one_array(std::int64_t elements) {
    return "program p flat\ninput A: f32[65536]\noutput C: f32[65536]\nlaunch p on device (A, C) "
           "{\n"
           "    bound thread.x for tx in 0..256 {\n        allocate s: f32[" +
           std::to_string(elements) +
           "] in shared\n        s[tx] = A[tx]\n        barrier block\n        C[tx] = s[255 - "
           "tx]\n    }\n}\n";
}

TEST(Shared, MoreThan48KilobytesAreAskedForByTheLaunch) {
    auto least = compiled(one_array(12288));
    EXPECT_EQ(least.kernels[0].shared_bytes, 49152);
    EXPECT_EQ(least.kernels[0].dynamic_bytes, 0);
    EXPECT_EQ(count_of(least.ptx.text, ".extern .shared"), 0);
    auto more = compiled(one_array(12289));
    EXPECT_EQ(more.kernels[0].shared_bytes, 49152 + 128);
    EXPECT_EQ(more.kernels[0].dynamic_bytes, 49152 + 128);
    EXPECT_EQ(count_of(more.ptx.text, ".extern .shared .align 128"), 1) << more.ptx.text;
    expect_runs_everywhere(one_array(12289));
}

TEST(Shared, ThePlacesThatAPassHasPlannedAreKept) {
    const auto program = parsed(R"(program p flat
input A: f32[256]
output C: f32[256]
launch p on device (A, C) {
    bound thread.x for tx in 0..128 {
        allocate a: f32[128] in shared at 0
        a[tx] = A[tx]
        barrier block
        allocate b: f32[128] in shared at 512
        b[tx] = a[127 - tx]
        barrier block
        allocate c: f32[128] in shared at 0
        c[tx] = b[tx ^ 1]
        barrier block
        allocate d: f32[10] in shared
        d[0 where tx == 0] = c[3]
        barrier block
        C[tx] = c[127 - tx] + d[0]
    }
}
)");
    const auto body = lower::launch_shape(program.launches[0])->body;
    codegen::SharedLayout layout(body);
    EXPECT_EQ(layout.offset("a"), 0);
    EXPECT_EQ(layout.offset("b"), 512);
    EXPECT_EQ(layout.offset("c"), 0);
    EXPECT_EQ(layout.offset("d"), 1024); // not planned: behind the others
    EXPECT_EQ(layout.bytes(), lower::shared_bytes(body));
    EXPECT_TRUE(layout.overlap("a", "c"));
    EXPECT_FALSE(layout.overlap("a", "b"));
    EXPECT_FALSE(layout.overlap("d", "c"));
    auto ptx = codegen::compile_ptx(program);
    ASSERT_TRUE(ptx) << format(ptx.errors());
    EXPECT_EQ(ptx->kernels[0].shared_bytes, layout.bytes());
    expect_assembles(*ptx, "sm_80");
}

// Within one thread no barrier stands between: what lies at one place must not be taken for two.
TEST(Shared, AccessesOfOneRoomKeepTheirOrder) {
    const std::string text = R"(program p flat
input A: f32[256]
input I: i32[256]
output C: f32[256]
launch p on device (A, I, C) {
    bound thread.x for tx in 0..128 {
        allocate a: f32[128] in shared at 0
        a[I[tx]] = A[tx]
        C[tx] = a[tx]
        allocate b: f32[128] in shared at 0
        b[I[tx]] = A[tx + 128]
        C[tx + 128] = b[tx]
    }
}
)";
    const auto ptx = ptx_of(text);
    const auto first_load = ptx.find("ld.shared"), first_store = ptx.find("st.shared");
    const auto second_store = ptx.find("st.shared", first_store + 1);
    ASSERT_NE(second_store, std::string::npos) << ptx;
    EXPECT_LT(first_store, first_load) << ptx;
    EXPECT_LT(first_load, second_store) << ptx;
}

TEST(Shared, VectorsOfSharedMemory) {
    const std::string text = R"(program p flat
input A: f32[1024]
output C: f32[1024]
launch p on device (A, C) {
    bound thread.x for tx in 0..128 {
        allocate s: f32[512] in shared
        s[ramp(tx*4, 1, 4)] = A[ramp(tx*4, 1, 4)]
        barrier block
        C[ramp(tx*4, 1, 4)] = s[ramp((127 - tx)*4, 1, 4)]
    }
}
)";
    EXPECT_EQ(count_of(ptx_of(text), "st.shared.v4.f32"), 1) << ptx_of(text);
    EXPECT_EQ(count_of(ptx_of(text), "ld.shared.v4.f32"), 1) << ptx_of(text);
    expect_runs_everywhere(text);
}

TEST(Shared, BarriersOfWarpsNameTheLanesThatThereAre) {
    auto warps = [](int threads) {
        return "program p flat\noutput C: i32[256]\nlaunch p on device (C) {\n"
               "    bound thread.x for tx in 0.." +
               std::to_string(threads) + " {\n        barrier warp\n        C[tx] = 1\n    }\n}\n";
    };
    EXPECT_EQ(count_of(ptx_of(warps(64)), "bar.warp.sync \t-1"), 1) << ptx_of(warps(64));
    EXPECT_EQ(count_of(ptx_of(warps(20)), "bar.warp.sync \t1048575"), 1) << ptx_of(warps(20));
    EXPECT_EQ(count_of(ptx_of(warps(40)), "selp"), 1) << ptx_of(warps(40));
    for (int threads : {20, 40, 64})
        expect_runs_everywhere(warps(threads));
}

} // namespace
} // namespace loopscope::test
