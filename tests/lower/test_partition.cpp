#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(Partition, SerialTail) {
    EXPECT_EQ(test::after(partition, R"(
program p
output out: f32[100]
launch p on host (out) {
    for yo in 0..4 {
        unrolled for yi in 0..32 {
            if yo*32 + yi < 100 {
                out[yo*32 + yi] = 0.0
            }
        }
    }
}
)"),
              R"(
program p
output out: f32[100]
launch p on host (out) {
    for yo in 0..3 {
        unrolled for yi in 0..32 {
            if yo*32 + yi < 100 {
                out[yo*32 + yi] = 0.0
            }
        }
    }
    for yo_1 in 3..4 {
        unrolled for yi_1 in 0..32 {
            if yo_1*32 + yi_1 < 100 {
                out[yo_1*32 + yi_1] = 0.0
            }
        }
    }
}
)");
}

TEST(Partition, ParallelLoopsStayWhole) {
    EXPECT_EQ(
        test::after(
            [](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); }, R"(
program p
output out: f32[100]
launch p on host (out) {
    parallel for yo in 0..4 {
        vectorised for yi in 0..32 {
            if yo*32 + yi < 100 {
                out[yo*32 + yi] = 0.0
            }
        }
    }
}
)"),
        R"(
program p
output out: f32[100]
launch p on host (out) {
    parallel for yo in 0..4 {
        if yo < 3 {
            vectorised for yi in 0..32 {
                out[yo*32 + yi] = 0.0
            }
        } else {
            vectorised for yi_1 in 0..32 {
                if yo*32 + yi_1 < 100 {
                    out[yo*32 + yi_1] = 0.0
                }
            }
        }
    }
}
)");
}

TEST(Partition, ClampsOfVectorisedReadsOnBothSides) {
    auto text = test::after(
        [](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); }, R"(
program p
input A: f32[64, 64]
output out: f32[64, 64]
launch p on host (A, out) {
    for y in 0..64 {
        for xo in 0..8 {
            vectorised for xi in 0..8 {
                out[y, xo*8 + xi] = A[max(y - 1, 0), max(xo*8 + xi - 1, 0)] + A[y, min(xo*8 + xi + 1, 63)]
            }
        }
    }
}
)");
    EXPECT_NE(text.find("for xo in 1..7 {\n            vectorised for xi in 0..8 {\n               "
                        " out[y, xo*8 + xi] = "
                        "A[max(y - 1, 0), xo*8 + xi - 1] + A[y, xo*8 + xi + 1]"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("for y in 1..64"), std::string::npos)
        << text; // a row's clamp costs no lane
}

TEST(Partition, WrappedAndMirroredIndices) {
    auto text = test::after(
        [](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); }, R"(
program p
input A: f32[64]
output out: f32[64]
launch p on host (A, out) {
    for xo in 0..8 {
        vectorised for xi in 0..8 {
            out[xo*8 + xi] = A[(xo*8 + xi + 1) % 64] + A[min((xo*8 + xi - 2) % 128, 127 - (xo*8 + xi - 2) % 128)] + A[abs(xo*8 + xi - 3)]
        }
    }
}
)");
    EXPECT_NE(text.find("for xo in 1..7 {\n        vectorised for xi in 0..8 {\n            "
                        "out[xo*8 + xi] = A[xo*8 + xi + 1] + "
                        "A[xo*8 + xi - 2] + A[xo*8 + xi - 3]"),
              std::string::npos)
        << text;
}

TEST(Partition, CodeStaysWithinFourTimes) {
    std::string guards;
    std::string open, close;
    for (int d = 0; d < 6; ++d) {
        auto n = std::to_string(d);
        open += "for o" + n + " in 0..5 {\nunrolled for i" + n + " in 0..4 {\n";
        close += "}\n}\n";
        guards += (d ? " and " : "") + ("o" + n + "*4 + i" + n + " < 18");
    }
    auto program = test::parsed("program p\noutput out: f32[1]\nlaunch p on host (out) {\n" + open +
                                "if " + guards + " {\nout[0] = 1.0\n}\n" + close + "}\n");
    auto text = to_text(partition(program, {}));
    int copies = 0;
    for (std::size_t at = 0; (at = text.find("out[0] = 1.0", at)) != std::string::npos; ++at)
        ++copies;
    EXPECT_GT(copies, 1);
    EXPECT_LE(copies, 4);
}

} // namespace
} // namespace loopscope::lower
