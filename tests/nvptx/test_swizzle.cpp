// Swizzled shared memory: accesses stay 16 bytes wide, memory is aligned to what the pattern
// repeats after.
#include "compiler/codegen/nvptx/shared_layout.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/passes.h"
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace {

// 32 rows of 64 halves, copied ahead, read by matrices and stored whole; `layout` follows the
// allocation's scope.
std::string copied(const std::string& layout) {
    return R"(program p
input A: f16[32, 64]
output B: f16[32, 64]
output C: f16[32, 4]
launch p on device (A, B, C) {
    bound thread.x for t in 0..32 {
        allocate before: f32[5] in shared at 0
        before[t where t < 5] = 1.0
        allocate s: f16[32, 64] in shared )" +
           layout + R"(
        allocate r: f16[8] in register
        for i in 0..8 {
            copy s.copies s[4*i + t/8, ramp(t%8*8, 1, 8)] = A[4*i + t/8, ramp(t%8*8, 1, 8)]
        }
        commit s.copies
        wait s.copies 0
        barrier block
        intrinsic ldmatrix_x4_b16 r[0], s[t%16, t/16*8 + 16]
        for j in 0..8 {
            B[4*j + t/8, ramp(t%8*8, 1, 8)] = s[4*j + t/8, ramp(t%8*8, 1, 8)]
        }
        for k in 0..4 {
            C[t, k] = r[k]
        }
    }
}
)";
}

lower::Program swizzled(const std::string& text) {
    auto program = parsed(text);
    for (auto* pass : {lower::swizzle, lower::flatten, lower::simplify})
        program = pass(program, {});
    return program;
}

codegen::PtxProgram ptx_program(const lower::Program& program) {
    auto ptx = codegen::compile_ptx(program);
    EXPECT_TRUE(ptx) << format(ptx.errors());
    return ptx ? std::move(*ptx) : codegen::PtxProgram{};
}

TEST(Swizzled, AccessesAreAsWideAsBefore) {
    const auto plain = swizzled(copied("at 1024")),
               program = swizzled(copied("align 1024 swizzle 128 at 1024"));
    const auto before = ptx_program(plain), after = ptx_program(program);
    for (const char* access : {"cp.async.cg.shared.global", "ldmatrix.sync.aligned.m8n8.x4",
                               "ld.shared.v4", "st.global.v4"})
        EXPECT_EQ(count_of(after.ptx.text, access), count_of(before.ptx.text, access)) << access;
    EXPECT_GT(count_of(after.ptx.text, "cp.async.cg.shared.global"), 0) << after.ptx.text;
    EXPECT_GT(count_of(after.ptx.text, "ld.shared.v4"), 0) << after.ptx.text;
    EXPECT_GT(count_of(after.ptx.text, "xor.b32"), 0) << after.ptx.text;
    EXPECT_EQ(count_of(after.ptx.text, ".shared .align 1024"), 1) << after.ptx.text;
    EXPECT_EQ(count_of(before.ptx.text, ".shared .align 128"), 1) << before.ptx.text;
    expect_assembles(after, "sm_80");
}

TEST(Swizzled, RoomsBeginWhereThePatternDoes) {
    const auto program = parsed(copied("align 1024 swizzle 128"));
    const auto planned = lower::reuse_storage(program, {});
    codegen::SharedLayout layout(planned.launches[0].body);
    EXPECT_EQ(layout.offset("s") % 1024, 0);
    EXPECT_EQ(layout.alignment(), 1024);
    EXPECT_EQ(layout.bytes(), lower::shared_bytes(planned.launches[0].body));
    // Not planned: each at a place of its own, aligned as it asks for.
    codegen::SharedLayout unplanned(program.launches[0].body);
    EXPECT_EQ(unplanned.offset("s") % 1024, 0);
    EXPECT_EQ(unplanned.bytes(), lower::shared_bytes(program.launches[0].body));
}

} // namespace
} // namespace loopscope::test
