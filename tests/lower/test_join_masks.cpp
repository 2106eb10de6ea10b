#include "lower_support.h"

namespace loopscope::lower {
namespace {

std::string joined_body(const std::string& body) {
    auto text = test::after(join_masks,
                            "program p\ninput A: f32[64]\ninput n: i32[1]\noutput out: f32[64]\n"
                            "launch p on host (A, n, out) {\n" +
                                body + "}\n");
    auto begin = text.find("{\n");
    return "\n" + text.substr(begin + 2, text.rfind('}') - begin - 2);
}

TEST(JoinMasks, StoresStandSideBySide) {
    EXPECT_EQ(joined_body("let m = ramp(0, 1, 8) < broadcast(5, 8) {\nout[ramp(0, 2, 8) where m] = "
                          "A[ramp(0, 1, 8)]\n}\n"
                          "let n = ramp(1, 1, 8) < broadcast(5, 8) {\nlet o = n and ramp(0, 1, 8) "
                          "< broadcast(7, 8)\n"
                          "out[ramp(1, 2, 8) where o] = A[ramp(8, 1, 8)]\n}\nout[40] = 1.0\n"),
              R"(
    let m = ramp(0, 1, 8) < broadcast(5, 8)
    let n = ramp(1, 1, 8) < broadcast(5, 8)
    let o = n and ramp(0, 1, 8) < broadcast(7, 8)
    out[ramp(0, 2, 8) where m] = A[ramp(0, 1, 8)]
    out[ramp(1, 2, 8) where o] = A[ramp(8, 1, 8)]
    out[40] = 1.0
)");
}

// A loop, another let, and a mask that loads stay where they are, and so does what follows them.
TEST(JoinMasks, MovePastStoresAlone) {
    for (const char* between : {"    for i in 0..4 {\n        out[i] = 2.0\n    }\n",
                                "    let t = A[4] {\n        out[4] = t\n    }\n",
                                "    let o = ramp(0, 1, 8) < broadcast(n[0], 8) {\n        "
                                "out[ramp(9, 1, 8) where o] = broadcast(0.0, 8)\n    }\n"}) {
        auto body = std::string("    out[5] = 1.0\n") + between +
                    "    let m = ramp(0, 1, 8) < broadcast(5, 8)\n"
                    "    out[ramp(0, 2, 8) where m] = A[ramp(0, 1, 8)]\n";
        EXPECT_EQ(joined_body(body), "\n" + body);
    }
}

} // namespace
} // namespace loopscope::lower
