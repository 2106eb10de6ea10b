// The text form: what is printed is read back to the same program, types and origins included.
#include "compiler/lower/statements.h"
#include "lower_support.h"

#include <map>

namespace loopscope::lower {
namespace {

const char* const kEverything = R"(
program everything
symbol L = 128
input A: f32[512, 2*L + 1]
input u: u8[16]
input d: f64[]
output out: f32[514, 512] from [-1, 0] window [512, 512]
output wide: i64[16]
output flags: bool[1]
launch everything on host (A, u, d, out, wide, flags) {
    parallel for C.io in 0..64 {  @ C/io
        let C.t = C.io*2 + 1  @ C/@compute
        allocate tmp.0: f32[8, 16] in register align 32 rotate 2  @ tmp/@storage
        vectorised for v in 0..8 {  @ C/v
            tmp.0[v, 0] = 0.0  @ C/@init
        }
        for k: i64 in 2..10 {  @ H.update(0)/k
            if C.t < 8 and k > 2 {  @ H.update(0)/@compute
                out[C.t, ramp(0, 1, 8)] = A[C.t, ramp(0, 1, 8)]*broadcast(2.5, 8)
            } else {
                out[C.t, ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(5, 8)] = A[0, ramp(C.t, -1, 8) where ramp(0, 2, 8) >= broadcast(C.t, 8)]
            }
            wide[k] = 7
        }
        for n in C.t..+C.t*2 {
            evaluate let q = u[n] in select(not q < 3, q >> 1, ~q & 15)
        }
        bound block.x for b in 0..4 {
            unrolled for j in 3..5 {
                wide[j] = i64(fma(A[0, 0], 1.5, -0.25)) - (-1i64) % max(wide[0], 3)
            }
        }
        if d[] == 0.1 or abs(d[]) != 2e+30 {
            let w = inff64 {
                evaluate w/(-d[])
            }
            evaluate bits(f32, 0x7fc00001) + nan
            evaluate from_bits(f32, bits(A[0, 0]) & 255u32) + exp(A[0, 1]) + fast_pow(A[0, 2], 0.5)
            atomic out[0, 1] += 1.0  @ C/@compute
            atomic wide[ramp(0, 1, 4) where ramp(0, 1, 4) < broadcast(3, 4)] max= broadcast(2, 4)
            atomic wide[0] min= 7
            atomic wide[0] *= 7
            atomic flags[0] and= u[0] == 1
            atomic flags[0] or= true
            evaluate -(-(3)) - 2*i32(5u8 == 6u8 and true == false and 1.5f64 < 2.5f64)
        }
    }
}
)";

TEST(Text, EverythingRoundTripsWithOrigins) {
    auto program = test::parsed(kEverything);
    auto printed = to_text_with_origins(program);
    auto again = parse_program(printed);
    ASSERT_TRUE(again) << format(again.errors()) << printed;
    EXPECT_TRUE(equal(program, *again)) << printed << to_text_with_origins(*again);
    EXPECT_EQ(printed, to_text_with_origins(*again));
    EXPECT_NE(printed.find("@ H.update(0)/k"), std::string::npos);
}

// Who shares memory is part of the text where the scope's name alone does not say it: of a device's
// own.
TEST(Text, ScopesOfADevicesOwnSayWhoSharesThem) {
    const std::string text = "program p\noutput out: f32[4]\nlaunch p on device (out) {\n"
                             "    allocate a: f32[4] in scratch of block\n"
                             "    allocate b: f32[4] in near\n"
                             "    allocate c: f32[4] in shared\n"
                             "    evaluate 1\n}\n";
    const auto program = test::parsed(text);
    EXPECT_EQ(to_text(program), text);
    std::map<std::string, device::Unit> shared_by;
    visit_statements(program.launches[0].body, [&](const Statement& s) {
        if (s.kind == StatementKind::Allocate)
            shared_by[s.storage->scope.name] = s.storage->scope.shared_by;
        return true;
    });
    EXPECT_EQ(shared_by.at("scratch"), device::Unit::Block);
    EXPECT_EQ(shared_by.at("near"), device::Unit::Thread);
    EXPECT_EQ(shared_by.at("shared"), device::Unit::Block);
    const auto wrong = parse_program("program p\nlaunch p on host () {\n"
                                     "    allocate a: f32[4] in scratch of row\n}\n");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.errors()[0].message, "there is no unit row");
}

TEST(Text, LinesCarryTheOriginsOfTheirStatements) {
    auto program = test::parsed(test::on_host("output out: f32[4]", R"(    for x in 0..4 {  @ C/x
        out[x] = 0.0  @ C/@compute
    }
)"));
    std::vector<NodeId> lines;
    auto text = to_text(program, &lines);
    EXPECT_EQ(text, "program p\noutput out: f32[4]\nlaunch p on host (out) {\n    for x in 0..4 "
                    "{\n        out[x] = 0.0\n    }\n}\n");
    ASSERT_EQ(lines.size(), 7u);
    EXPECT_EQ(lines[0].text(), "");
    EXPECT_EQ(lines[3].text(), "C/x");
    EXPECT_EQ(lines[4].text(), "C/@compute");
    EXPECT_EQ(lines[5].text(), "C/x");
}

TEST(Text, ConstantsKeepTypeAndBits) {
    for (const char* value : {"1",
                              "-1",
                              "7i64",
                              "255u8",
                              "-128i8",
                              "18446744073709551615u64",
                              "-9223372036854775808i64",
                              "0.1",
                              "-0.0",
                              "1e-45",
                              "3.4028235e+38",
                              "0.1f64",
                              "-inf",
                              "inff64",
                              "nan",
                              "nanf64",
                              "bits(f32, 0xffc00000)",
                              "1.0f16",
                              "0.33325195f16",
                              "-inff16",
                              "nanbf16",
                              "-9.1835e-41bf16",
                              "bits(bf16, 0xffc0)",
                              "true",
                              "16777217.0f64"}) {
        auto text =
            std::string("program p\nlaunch p on host () {\n    evaluate ") + value + "\n}\n";
        auto program = test::parsed(text);
        EXPECT_EQ(to_text(program), text);
    }
}

TEST(Text, TypesComeFromNeighbours) {
    auto program = test::parsed(test::on_host("output out: u8[4]", R"(    for i: i64 in 0..4 {
        out[i] = min(2*out[i], 200) + 3
    }
)"));
    EXPECT_NE(to_text(program).find("out[i] = min(2*out[i], 200) + 3\n"), std::string::npos)
        << to_text(program);
}

void expect_error(const std::string& body, const std::string& message) {
    auto text = "program p\ninput A: f32[4]\noutput out: f32[4]\nlaunch p on host (A, out) {\n" +
                body + "\n}\n";
    auto program = parse_program(text);
    ASSERT_FALSE(program.ok()) << body;
    EXPECT_NE(format(program.errors()).find(message), std::string::npos)
        << format(program.errors());
}

TEST(Text, ErrorsNameThePlace) {
    expect_error("out[0] = B[0]", "unknown name 'B'");
    expect_error("other[0] = 1.0", "unknown buffer 'other'");
    expect_error("out[0] = 1u8", "the expression is u8, not f32");
    expect_error("out[0] = A[0] + 1u8", "operands of types f32 and u8");
    expect_error("for i in 0..4 {\nout[0] = A[i]", "expected");
    expect_error("for i in 2..A[0] {\n}", "the expression is f32, not i32");
    expect_error("out[0] = A[0] @ nonsense", "names no node");
    expect_error("out[0] = ((1.0)", "expected ')'");
    expect_error("out[0] = cosine(1.0)", "unknown function 'cosine'");
    expect_error("out[0] = A[ramp(0, 1, 70000)]", "a vector of 70000 lanes");
    expect_error(std::string("out[0] = ") + std::string(100000, '('), "nested too deeply");
    EXPECT_FALSE(parse_program(std::string("program p\n\0\x01", 12)).ok());
}

} // namespace
} // namespace loopscope::lower
