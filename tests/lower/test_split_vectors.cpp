#include "lower_support.h"

namespace loopscope::lower {
namespace {

// As in the list: bases of ramps in canonical form.
Program split(const Program& p, const TargetInfo& t) {
    return simplify(split_vectors(flatten(p, t), t), t);
}

std::string body_of(const std::string& text) {
    auto begin = text.find("{\n");
    return text.substr(begin + 2, text.rfind('}') - begin - 2);
}

std::string split_body(const std::string& body) {
    return "\n" + body_of(test::after(split, "program p\ninput A: f32[4, 64]\ninput i: i32[64]\n"
                                             "input b: u8[64]\noutput out: f32[4, 64]\noutput o: "
                                             "u8[64]\nlaunch p on host (A, i, b, out, o) {\n" +
                                                 body + "}\n"));
}

TEST(SplitVectors, IntoPowersOfTwoAndWhatIsLeft) { // registers of 8 f32
    EXPECT_EQ(split_body("for y in 0..4 {\nlet t = A[y, ramp(1, 1, 27)]*broadcast(A[y, 0], 27)\n"
                         "out[y, ramp(0, 2, 27)] = t + t\n}\n"),
              R"(
    for y in 0..4 {
        let t_1 = A[ramp(y*64 + 1, 1, 16)]*broadcast(A[y*64], 16)
        let t_2 = A[ramp(y*64 + 17, 1, 8)]*broadcast(A[y*64], 8)
        let t_3 = A[ramp(y*64 + 25, 1, 3)]*broadcast(A[y*64], 3)
        out[ramp(y*64, 2, 16)] = t_1 + t_1
        out[ramp(y*64 + 32, 2, 8)] = t_2 + t_2
        out[ramp(y*64 + 48, 2, 3)] = t_3 + t_3
    }
)");
}

TEST(SplitVectors, MasksLetsOfExpressionsAndWhatDataIndexes) {
    EXPECT_EQ(
        split_body(
            "let m = ramp(0, 1, 9) < broadcast(i[0], 9)\n"
            "out[0, ramp(0, 1, 9) where m] = (let t = A[1, i[ramp(4, 1, 9) where m] where m] in "
            "t*t)\n"),
        R"(
    let m_1 = ramp(0, 1, 8) < broadcast(i[0], 8)
    let m_2 = 8 < i[0]
    out[ramp(0, 1, 8) where m_1] = let t = A[i[ramp(4, 1, 8) where m_1] + broadcast(64, 8) where m_1] in t*t
    out[8 where m_2] = let t = A[i[12 where m_2] + 64 where m_2] in t*t
)");
}

// What registers hold, and what LLVM takes apart well, stays: powers of two, and 24 bytes; not what
// makes f32 of bytes.
TEST(SplitVectors, ByTheWidestElement) {
    auto whole = "    o[ramp(0, 1, 24)] = b[ramp(8, 1, 24)] + broadcast(1, 24)\n"
                 "    out[ramp(0, 1, 32)] = A[ramp(8, 1, 32)]\n"
                 "    out[ramp(0, 1, 5)] = A[ramp(8, 1, 5)]\n";
    EXPECT_EQ(split_body("o[ramp(0, 1, 24)] = b[ramp(8, 1, 24)] + broadcast(1, 24)\n"
                         "out[0, ramp(0, 1, 32)] = A[0, ramp(8, 1, 32)]\n"
                         "out[0, ramp(0, 1, 5)] = A[0, ramp(8, 1, 5)]\n"),
              std::string("\n") + whole);
    EXPECT_EQ(split_body("o[ramp(0, 1, 24)] = u8(f32(b[ramp(8, 1, 24)])*broadcast(0.5, 24))\n"), R"(
    o[ramp(0, 1, 16)] = u8(f32(b[ramp(8, 1, 16)])*broadcast(0.5, 16))
    o[ramp(16, 1, 8)] = u8(f32(b[ramp(24, 1, 8)])*broadcast(0.5, 8))
)");
}

// All lanes load before one stores.
TEST(SplitVectors, ValuesComeFirstWhereTheStoreChangesThem) {
    EXPECT_EQ(split_body("out[0, ramp(0, 1, 12)] = out[0, ramp(4, 1, 12)]\n"), R"(
    let out.before_2 = out[ramp(4, 1, 8)]
    let out.before_3 = out[ramp(12, 1, 4)]
    out[ramp(0, 1, 8)] = out.before_2
    out[ramp(8, 1, 4)] = out.before_3
)");
    EXPECT_EQ(split_body("out[0, ramp(0, 1, 12)] = out[0, ramp(0, 1, 12)] + broadcast(1.0, 12)\n"),
              R"(
    out[ramp(0, 1, 8)] = out[ramp(0, 1, 8)] + broadcast(1.0, 8)
    out[ramp(8, 1, 4)] = out[ramp(8, 1, 4)] + broadcast(1.0, 4)
)");
    EXPECT_EQ(split_body("out[0, ramp(0, 1, 12)] = broadcast(out[0, 3], 12)\n"), R"(
    let out.before_2 = broadcast(out[3], 8)
    let out.before_3 = broadcast(out[3], 4)
    out[ramp(0, 1, 8)] = out.before_2
    out[ramp(8, 1, 4)] = out.before_3
)");
}

// Stores that fill a span together stay side by side, for code generation to interleave them.
TEST(SplitVectors, StridedStoresStayTogether) {
    EXPECT_EQ(split_body("out[0, ramp(0, 2, 12)] = A[0, ramp(0, 1, 12)]\n"
                         "out[0, ramp(1, 2, 12)] = A[1, ramp(0, 1, 12)]\n"
                         "out[0, ramp(2, 2, 12)] = A[2, ramp(0, 1, 12)]\n"),
              R"(
    out[ramp(0, 2, 8)] = A[ramp(0, 1, 8)]
    out[ramp(1, 2, 8)] = A[ramp(64, 1, 8)]
    out[ramp(16, 2, 4)] = A[ramp(8, 1, 4)]
    out[ramp(17, 2, 4)] = A[ramp(72, 1, 4)]
    out[ramp(2, 2, 8)] = A[ramp(128, 1, 8)]
    out[ramp(18, 2, 4)] = A[ramp(136, 1, 4)]
)");
}

} // namespace
} // namespace loopscope::lower
