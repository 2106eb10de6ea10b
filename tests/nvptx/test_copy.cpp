// Asynchronous copies: how wide they are, when they fill with zeros, and what their waits mean to
// the hardware.
#include "compiler/codegen/nvptx/group_order.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"
#include "tests/nvptx/nvptx_support.h"

namespace loopscope::test {
namespace test_copy {

// One launch of 128 threads that copies from A to shared memory and reads it.
std::string launch(const std::string& type, const std::string& copies) {
    return "program p flat\ninput A: " + type + "[16384]\ninput I: i32[128]\noutput C: " + type +
           "[16384]\nlaunch p on device (A, I, C) {\n    bound thread.x for tx in 0..128 {\n"
           "        allocate s: " +
           type + "[2048] in shared\n" + copies +
           "\n        commit t\n        wait t 0\n        barrier block\n        C[tx] = s[2047 - "
           "tx]\n"
           "    }\n}\n";
}

std::string vector_copy(const std::string& type, int lanes) {
    const auto n = std::to_string(lanes);
    const auto at = lanes == 1 ? std::string("tx") : "ramp(tx*" + n + ", 1, " + n + ")";
    return launch(type, "copy t s[" + at + "] = A[" + at + "]");
}

void expect_assembles_from_ampere_on(const std::string& text) {
    for (const char* architecture : {"sm_80", "sm_90"}) {
        SCOPED_TRACE(architecture);
        expect_assembles(compiled(text, architecture), architecture);
    }
}

TEST(Copy, AreOf4And8And16Bytes) {
    struct Case {
        const char* type;
        int lanes;
        const char* copy;
        int times;
    };
    const Case cases[] = {{"f32", 1, "cp.async.ca.shared.global [", 1},
                          {"f32", 2, "], 8;", 1},
                          {"f32", 4, "cp.async.cg.shared.global [", 1},
                          {"f32", 8, "], 16;", 2},
                          {"f16", 2, "], 4;", 1},
                          {"f16", 4, "], 8;", 1},
                          {"f16", 8, "], 16;", 1},
                          {"f64", 1, "], 8;", 1},
                          {"f64", 2, "], 16;", 1},
                          {"i8", 4, "], 4;", 1},
                          {"i8", 16, "], 16;", 1}};
    for (const auto& c : cases) {
        SCOPED_TRACE(std::string(c.type) + " in " + std::to_string(c.lanes));
        const auto ptx = ptx_of(vector_copy(c.type, c.lanes));
        EXPECT_EQ(count_of(ptx, c.copy), c.times) << ptx;
        EXPECT_EQ(count_of(ptx, "cp.async.c"), c.times + 1) << ptx; // and the commit
        EXPECT_EQ(count_of(ptx, "cp.async.wait_group"), 1) << ptx;
        EXPECT_EQ(count_of(ptx, "ld.global"), 0) << ptx;
        expect_assembles_from_ampere_on(vector_copy(c.type, c.lanes));
    }
}

TEST(Copy, OfWhatTheHardwareCannotCopyArriveAtOnce) {
    for (const auto& text :
         {vector_copy("f16", 1), vector_copy("i8", 2),
          launch("f16", "copy t s[ramp(tx*8, 1, 8)] = A[ramp(tx*8 + 1, 1, 8)]")}) {
        const auto ptx = ptx_of(text);
        EXPECT_EQ(count_of(ptx, "cp.async.ca") + count_of(ptx, "cp.async.cg"), 0) << ptx;
        EXPECT_GE(count_of(ptx, "ld.global.nc"), 1) << ptx;
        EXPECT_GE(count_of(ptx, "st.shared"), 1) << ptx;
        expect_assembles_from_ampere_on(text);
    }
}

TEST(Copy, TakeTheLesserAlignmentOfBothSides) {
    const auto text = launch("f32", "copy t s[ramp(tx*4, 1, 4)] = A[ramp(tx*8 + 2, 1, 4)]");
    EXPECT_EQ(count_of(ptx_of(text), "], 8;"), 2) << ptx_of(text);
    const auto strided = launch("f32", "copy t s[ramp(tx*4, 1, 4)] = A[ramp(tx, 128, 4)]");
    EXPECT_EQ(count_of(ptx_of(strided), "], 4;"), 4) << ptx_of(strided);
    const auto gathered = launch("f32", "copy t s[tx] = A[I[tx]]");
    EXPECT_EQ(count_of(ptx_of(gathered), "], 4;"), 1) << ptx_of(gathered);
    for (const auto& each : {text, strided, gathered})
        expect_assembles_from_ampere_on(each);
}

TEST(Copy, FillWithZerosWhereTheSourceIsMasked) {
    const auto whole = launch(
        "f32", "copy t s[ramp(tx*4, 1, 4)] = A[ramp(tx*4, 1, 4) where broadcast(tx < 100, 4)]");
    EXPECT_EQ(count_of(ptx_of(whole), "], 16, %r"), 1) << ptx_of(whole);
    EXPECT_EQ(count_of(ptx_of(whole), "bra"), 0) << ptx_of(whole);
    const auto each =
        launch("f32", "copy t s[ramp(tx*4, 1, 4)] = A[ramp(tx*4, 1, 4) where ramp(tx*4, 1, 4) < "
                      "broadcast(333, 4)]");
    EXPECT_EQ(count_of(ptx_of(each), "], 4, %r"), 4) << ptx_of(each);
    const auto halves =
        launch("f16", "copy t s[ramp(tx*4, 1, 4)] = A[ramp(tx*4, 1, 4) where ramp(tx*4, 1, 4) < "
                      "broadcast(333, 4)]");
    EXPECT_EQ(count_of(ptx_of(halves), "ld.global.nc"), 4) << ptx_of(halves);
    for (const auto& text : {whole, each, halves})
        expect_assembles_from_ampere_on(text);
}

TEST(Copy, StandInABranchWhereTheStoreIsMasked) {
    const auto text = launch(
        "f32", "copy t s[ramp(tx*4, 1, 4) where broadcast(tx < 100, 4)] = A[ramp(tx*4, 1, 4)]");
    EXPECT_EQ(count_of(ptx_of(text), "], 16;"), 1) << ptx_of(text);
    EXPECT_GE(count_of(ptx_of(text), "bra"), 1) << ptx_of(text);
    expect_assembles_from_ampere_on(text);
}

TEST(Copy, ArrivesAtOnceBelowAmpere) {
    const auto ptx = ptx_of(vector_copy("f32", 4), "sm_75");
    EXPECT_EQ(count_of(ptx, "cp.async"), 0) << ptx;
    EXPECT_EQ(count_of(ptx, "ld.global.nc.v4"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "st.shared.v4"), 1) << ptx;
}

// A tile of A and one of B, each loaded while the one before it is used.
const char* const kDoubleBuffer = R"(program p flat
input A: f32[65536]
input B: f32[65536]
output C: f32[128]
launch p on device (A, B, C) {
    bound thread.x for tx in 0..128 {
        allocate as: f32[1024] in shared
        allocate bs: f32[1024] in shared
        allocate sum: f32[1] in register
        sum[0] = 0.0
        copy a as[ramp(tx*4, 1, 4)] = A[ramp(tx*4, 1, 4)]  @ A_s/@copy
        commit a
        copy b bs[ramp(tx*4, 1, 4)] = B[ramp(tx*4, 1, 4)]
        commit b
        for k in 0..127 {
            acquire a
            copy a as[ramp((k + 1) % 2*512 + tx*4, 1, 4)] = A[ramp((k + 1)*512 + tx*4, 1, 4)]
            commit a
            copy b bs[ramp((k + 1) % 2*512 + tx*4, 1, 4)] = B[ramp((k + 1)*512 + tx*4, 1, 4)]
            commit b
            wait a 1
            barrier block
            sum[0] = sum[0] + as[k % 2*512 + 127 - tx]
            wait b 1
            barrier block
            sum[0] = sum[0] + bs[k % 2*512 + 127 - tx]
            release a
            barrier block
        }
        wait a 0
        wait b 0
        barrier block
        C[tx] = sum[0] + as[512 + 127 - tx] + bs[512 + 127 - tx]
    }
}
)";

std::vector<int> waits_of(const std::string& text) {
    const auto program = parsed(text);
    const auto body = lower::launch_shape(program.launches[0])->body;
    auto waits = codegen::hardware_waits(body);
    std::vector<int> in_order;
    lower::visit_statements(body, [&](const lower::Statement& s) {
        if (s.kind == lower::StatementKind::Wait)
            in_order.push_back(waits.at(&s));
        return true;
    });
    return in_order;
}

TEST(Copy, WaitsOfSeveralTokensCountTheGroupsOfAll) {
    // Before `wait a 1`: a b (a b): the older a has arrived when at most 3 are under way, the older
    // b when at most 2 are.
    EXPECT_EQ(waits_of(kDoubleBuffer), (std::vector<int>{3, 2, 1, 0}));
    expect_assembles_from_ampere_on(kDoubleBuffer);
    const auto ptx = ptx_of(kDoubleBuffer);
    for (const char* n : {"\t0;", "\t1;", "\t2;", "\t3;"})
        EXPECT_EQ(count_of(ptx, std::string("cp.async.wait_group ") + n) +
                      count_of(ptx, std::string("cp.async.wait_group") + n) +
                      count_of(ptx, std::string("cp.async.wait_group ") + (n + 1)),
                  1)
            << n << ptx;
}

std::string steps(const std::string& lines) {
    return "program p flat\nlaunch p on device () {\n    bound block.x for bx in 0..9 {\n" + lines +
           "\n    }\n}\n";
}

TEST(Copy, WaitsOnSeveralPathsTakeTheSafestCount) {
    // One token: what is written is what the hardware counts.
    EXPECT_EQ(
        waits_of(steps("commit a\ncommit a\nfor k in 0..9 {\nwait a 1\ncommit a\n}\nwait a 0")),
        (std::vector<int>{1, 0}));
    // Fewer groups of b are there than may be under way: there is nothing to wait for.
    EXPECT_EQ(waits_of(steps("commit a\ncommit a\nwait b 1")), (std::vector<int>{1}));
    // On one path another token's group is younger, on the other it is not.
    EXPECT_EQ(waits_of(steps("commit a\nif bx < 5 {\ncommit b\n}\nwait a 0")),
              (std::vector<int>{0}));
    EXPECT_EQ(waits_of(steps("commit a\nif bx < 5 {\ncommit b\n} else {\ncommit b\n}\nwait a 0")),
              (std::vector<int>{1}));
    // The first iteration comes from before the loop, others from its end.
    EXPECT_EQ(
        waits_of(steps(
            "commit a\ncommit b\ncommit b\nfor k in 0..9 {\nwait a 0\ncommit a\ncommit b\n}")),
        (std::vector<int>{1}));
}

} // namespace test_copy
} // namespace loopscope::test
