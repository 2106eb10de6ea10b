#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(Partition, SerialTail) {
    EXPECT_EQ(test::after(partition, test::on_host("output out: f32[100]", R"(    for yo in 0..4 {
        unrolled for yi in 0..32 {
            if yo*32 + yi < 100 {
                out[yo*32 + yi] = 0.0
            }
        }
    }
)")),
              test::on_host("output out: f32[100]", R"(    for yo in 0..3 {
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
)"));
}

TEST(Partition, ParallelLoopsStayWhole) {
    EXPECT_EQ(test::after([](const Program& p,
                             const TargetInfo& t) { return simplify(partition(p, t), t); },
                          test::on_host("output out: f32[100]", R"(    parallel for yo in 0..4 {
        vectorised for yi in 0..32 {
            if yo*32 + yi < 100 {
                out[yo*32 + yi] = 0.0
            }
        }
    }
)")),
              test::on_host("output out: f32[100]", R"(    parallel for yo in 0..4 {
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
)"));
}

TEST(Partition, ClampsOfVectorizedReadsOnBothSides) {
    auto text = test::after(
        [](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); },
        test::on_host("input A: f32[64, 64]\noutput out: f32[64, 64]", R"(    for y in 0..64 {
        for xo in 0..8 {
            vectorised for xi in 0..8 {
                out[y, xo*8 + xi] = A[max(y - 1, 0), max(xo*8 + xi - 1, 0)] + A[y, min(xo*8 + xi + 1, 63)]
            }
        }
    }
)"));
    EXPECT_NE(text.find("for xo in 1..7 {\n            vectorised for xi in 0..8 {\n               "
                        " out[y, xo*8 + xi] = "
                        "A[max(y - 1, 0), xo*8 + xi - 1] + A[y, xo*8 + xi + 1]"),
              std::string::npos)
        << text;
    // a row's clamp costs no lane
    EXPECT_EQ(text.find("for y in 1..64"), std::string::npos) << text;
}

TEST(Partition, WrappedAndMirroredIndices) {
    auto text = test::after(
        [](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); },
        test::on_host("input A: f32[64]\noutput out: f32[64]", R"(    for xo in 0..8 {
        vectorised for xi in 0..8 {
            out[xo*8 + xi] = A[(xo*8 + xi + 1) % 64] + A[min((xo*8 + xi - 2) % 128, 127 - (xo*8 + xi - 2) % 128)] + A[abs(xo*8 + xi - 3)]
        }
    }
)"));
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

// A thread's own memory at an index that the clamp of the last blocks moves: the blocks inside get
// a copy in which it stands still. Both dimensions decide together, so that there are two copies
// and not three; barriers may be in them.
TEST(Partition, BlocksInsideKeepMemoryOfThreadsStill) {
    const auto text = test::after(
        [](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); },
        test::on_device("input A: f32[50, 100]\noutput out: f32[50, 100]",
                        R"(    bound block.y for by in 0..7 {
        bound block.x for bx in 0..4 {
            bound thread.x for t in 0..32 {
                let y.min = min(by*8, 42)
                let x.min = min(bx*32 + t, 99)
                allocate s: f32[32] in shared
                s[t] = A[y.min, x.min]
                barrier block
                allocate r: f32[8, 1] in register
                for i in 0..8 {
                    r[i, 0] = A[y.min + i, x.min] + s[31 - t]
                }
                for j in 0..8 {
                    if by*8 + j < 50 {
                        if bx*32 + t < 100 {
                            out[by*8 + j, bx*32 + t] = r[by*8 - y.min + j, bx*32 + t - x.min]
                        }
                    }
                }
            }
        }
    }
)"));
    EXPECT_NE(text.find("if bx < 3 and by < 6 {"), std::string::npos) << text;
    EXPECT_NE(text.find("out[by*8 + j, bx*32 + t] = r[j, 0]\n"), std::string::npos) << text;
    std::size_t copies = 0;
    for (std::size_t at = 0; (at = text.find("barrier block", at)) != std::string::npos; ++at)
        ++copies;
    EXPECT_EQ(copies, 2u) << text;
}

// What the clamp does not move gains nothing by a copy.
TEST(Partition, BlocksWithoutMemoryOfThreadsStayWhole) {
    const std::string program =
        test::on_device("output out: f32[100]", R"(    bound block.x for bx in 0..4 {
        bound thread.x for t in 0..32 {
            if bx*32 + t < 100 {
                out[bx*32 + t] = 0.0
            }
        }
    }
)");
    EXPECT_EQ(test::after(partition, program), program);
}

} // namespace
} // namespace loopscope::lower
