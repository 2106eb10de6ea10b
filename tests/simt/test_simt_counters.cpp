// Sectors of global memory and passes of shared memory, on patterns whose figures are known.
#include "tests/simt/simt_support.h"

namespace loopscope {
namespace {

using namespace test;

// One warp that reads `read` of shared memory of a type.
SimtCounts shared_read(const std::string& type, const std::string& read) {
    auto result = run(parsed("program p flat\noutput out: i32[32]\nlaunch p on device (out) {\n"
                             "bound thread.x for t in 0..32 {\nallocate s: " +
                             type + "[2048] in shared\nevaluate s[" + read + "]  @ L/@compute\n" +
                             "out[t] = t\n}\n}\n"),
                      {});
    return counts_of(result, "L/@compute");
}

std::uint64_t passes(const std::string& type, const std::string& read) {
    return shared_read(type, read).shared_passes;
}

TEST(SimtCounters, BanksOfWords) {
    EXPECT_EQ(passes("f32", "t"), 1u);
    EXPECT_EQ(passes("f32", "2*t"), 2u);
    EXPECT_EQ(passes("f32", "4*t"), 4u);
    EXPECT_EQ(passes("f32", "32*t"), 32u);
    EXPECT_EQ(passes("f32", "33*t"), 1u);
    EXPECT_EQ(passes("f32", "7"), 1u);        // all one word
    EXPECT_EQ(passes("f32", "t/2"), 1u);      // pairs share one
    EXPECT_EQ(passes("f32", "t % 2*32"), 2u); // two words of one bank
    EXPECT_EQ(shared_read("f32", "32*t").shared_passes_least, 1u);
    EXPECT_EQ(shared_read("f32", "32*t").shared_bytes, 128u);
    EXPECT_EQ(shared_read("f32", "t where t < 4").shared_bytes, 16u);
}

TEST(SimtCounters, BanksOfOtherWidths) {
    EXPECT_EQ(passes("f16", "t"), 1u); // two threads a word
    EXPECT_EQ(passes("u8", "4*t"), 1u);
    EXPECT_EQ(passes("f16", "64*t"), 32u);
    EXPECT_EQ(passes("f64", "t"), 2u); // by halves of the warp
    EXPECT_EQ(shared_read("f64", "t").shared_passes_least, 2u);
    EXPECT_EQ(passes("f64", "16*t"), 32u);
    EXPECT_EQ(passes("f64", "t/16"), 2u);
}

TEST(SimtCounters, BanksOfVectors) {
    auto four = shared_read("f32", "ramp(4*t, 1, 4)");
    EXPECT_EQ(four.shared_accesses, 1u);
    EXPECT_EQ(four.shared_passes, 4u); // by quarters
    EXPECT_EQ(four.shared_passes_least, 4u);
    EXPECT_EQ(four.shared_bytes, 512u);
    EXPECT_EQ(passes("f32", "ramp(8*t, 1, 4)"), 8u);
    EXPECT_EQ(passes("f32", "ramp(36*t, 1, 4)"), 4u); // rows padded by 16 bytes
    EXPECT_EQ(passes("f32", "ramp(32*t, 1, 4)"), 32u);
    // 8 halves are one access of 16 bytes; 8 floats are two.
    EXPECT_EQ(shared_read("f16", "ramp(8*t, 1, 8)").shared_accesses, 1u);
    EXPECT_EQ(shared_read("f32", "ramp(8*t, 1, 8)").shared_accesses, 2u);
    // Not aligned, or not neighbours: each lane is an access.
    EXPECT_EQ(shared_read("f32", "ramp(4*t + 1, 1, 4)").shared_accesses, 4u);
    EXPECT_EQ(shared_read("f32", "ramp(4*t, 2, 4)").shared_accesses, 4u);
}

// One warp that reads `read` of a global f32 array, or of another type.
SimtCounts global_read(const std::string& read, const std::string& type = "f32") {
    T scalar = T::F32;
    parse_scalar_type(type, scalar);
    auto result = run(parsed("program p flat\ninput A: " + type +
                             "[2048]\noutput out: i32[32]\nlaunch p on device (A, out) {\n"
                             "bound thread.x for t in 0..32 {\nevaluate A[" +
                             read + "]  @ L/@compute\nout[t] = t  @ S/@compute\n}\n}\n"),
                      {{"A", random(scalar, {2048})}});
    EXPECT_EQ(counts_of(result, "S/@compute").global_stores, 1u);
    EXPECT_EQ(counts_of(result, "S/@compute").global_store_sectors, 4u);
    EXPECT_EQ(counts_of(result, "S/@compute").global_store_bytes, 128u);
    return counts_of(result, "L/@compute");
}

TEST(SimtCounters, SectorsOfGlobalMemory) {
    EXPECT_EQ(global_read("t").global_load_sectors, 4u);
    EXPECT_EQ(global_read("t").global_loads, 1u);
    EXPECT_EQ(global_read("t").global_load_bytes, 128u);
    EXPECT_EQ(global_read("t + 1").global_load_sectors, 5u);
    EXPECT_EQ(global_read("31 - t").global_load_sectors, 4u);
    EXPECT_EQ(global_read("2*t").global_load_sectors, 8u);
    EXPECT_EQ(global_read("32*t").global_load_sectors, 32u);
    EXPECT_EQ(global_read("5*t % 32").global_load_sectors, 4u);
    EXPECT_EQ(global_read("100").global_load_sectors, 1u);
    EXPECT_EQ(global_read("100").global_load_bytes, 128u);
    EXPECT_EQ(global_read("t where t % 8 == 0").global_load_sectors, 4u);
    EXPECT_EQ(global_read("t where t % 8 == 0").global_load_bytes, 16u);
    EXPECT_EQ(global_read("t where t < 0").global_loads, 0u);
    EXPECT_EQ(global_read("t", "f16").global_load_sectors, 2u);
    EXPECT_EQ(global_read("t", "f64").global_load_sectors, 8u);
}

TEST(SimtCounters, VectorsOfGlobalMemory) {
    auto four = global_read("ramp(4*t, 1, 4)");
    EXPECT_EQ(four.global_loads, 1u);
    EXPECT_EQ(four.global_load_sectors, 16u);
    EXPECT_EQ(four.global_load_bytes, 512u);
    EXPECT_EQ(global_read("ramp(16*t, 1, 16)").global_loads, 4u);
    EXPECT_EQ(global_read("ramp(16*t, 1, 16)").global_load_sectors, 4u * 32);
    EXPECT_EQ(global_read("ramp(2*t + 1, 1, 2)").global_loads, 2u);
    EXPECT_EQ(global_read("ramp(3*t, 1, 3)").global_loads, 3u);
    EXPECT_EQ(global_read("ramp(8*t, 1, 8)", "f16").global_loads, 1u);
}

TEST(SimtCounters, OperationsAreOfActiveLanes) {
    auto result = run(parsed(on_device("output out: f32[64]", R"(    bound thread.x for t in 0..64 {
        if t < 40 {
            out[t] = f32(t)*2.0 + 1.0  @ C/@compute
        } else {
            for k in 0..t % 2 {
                out[t] = fma(f32(t), 2.0, 1.0)  @ D/@compute
            }
        }
    }
)")),
                      {});
    EXPECT_EQ(counts_of(result, "C/@compute").flops, 80u);
    EXPECT_EQ(counts_of(result, "D/@compute").flops, 24u);
    EXPECT_EQ(counts_of(result, "C/@compute").integer_operations, 0u);
    EXPECT_EQ(counts_of(result, "C/@compute").global_store_bytes, 160u);
    EXPECT_EQ(result.launches[0].total.flops, 104u);
    EXPECT_EQ(result.launches[0].total.integer_operations, 24u); // of the loop's extent
}

} // namespace
} // namespace loopscope
