#include "lower_support.h"

namespace loopscope::lower {
namespace {

Program widened(const Program& p, const TargetInfo& t) { return simplify(vectorize(p, t), t); }

TEST(Vectorize, LoadsStoresLetsAndInnerLoops) {
    EXPECT_EQ(
        test::after(widened,
                    test::on_host("input A: f32[8, 80]\ninput s: f32[8]\noutput out: f32[8, 64]",
                                  R"(    for y in 0..8 {
        for xo in 0..8 {
            vectorised for xi in 0..8 {
                let x = xo*8 + xi
                allocate acc: f32[2] in register
                acc[0] = 0.0
                for k in 0..4 {
                    acc[0] = acc[0] + A[y, x + k]*s[y]
                }
                out[y, x] = acc[0]
            }
        }
    }
)")),
        test::on_host("input A: f32[8, 80]\ninput s: f32[8]\noutput out: f32[8, 64]",
                      R"(    for y in 0..8 {
        for xo in 0..8 {
            allocate acc: f32[2, 8] in register
            acc[0, ramp(0, 1, 8)] = broadcast(0.0, 8)
            for k in 0..4 {
                acc[0, ramp(0, 1, 8)] = acc[0, ramp(0, 1, 8)] + A[y, ramp(xo*8 + k, 1, 8)]*broadcast(s[y], 8)
            }
            out[y, ramp(xo*8, 1, 8)] = acc[0, ramp(0, 1, 8)]
        }
    }
)"));
}

TEST(Vectorize, ConditionsBecomeMasksUnderAnAnyLaneGuard) {
    EXPECT_EQ(test::after(widened, test::on_host(
                                       "input A: f32[100]\ninput s: f32[100]\noutput out: f32[100]",
                                       R"(    for xo in 0..16 {
        vectorised for xi in 0..8 {
            if xo*8 + xi < 100 {
                out[xo*8 + xi] = A[xo*8 + xi]*s[xo*8]
            }
        }
    }
)")),
              test::on_host("input A: f32[100]\ninput s: f32[100]\noutput out: f32[100]",
                            R"(    for xo in 0..16 {
        if xo*8 < 100 {
            let xi.mask_1 = ramp(xo*8, 1, 8) < broadcast(100, 8)
            out[ramp(xo*8, 1, 8) where xi.mask_1] = A[ramp(xo*8, 1, 8) where xi.mask_1]*broadcast(s[xo*8], 8)
        }
    }
)"));
}

TEST(Vectorize, UniformLoadsUnderADataDependentMaskAreMasked) {
    auto text =
        test::after(widened, test::on_host("input A: f32[8]\ninput s: f32[1]\noutput out: f32[8]",
                                           R"(    vectorised for x in 0..8 {
        if A[x] > 0.0 {
            out[x] = s[0]
        } else {
            out[x] = A[x]
        }
    }
)"));
    EXPECT_NE(text.find("s[broadcast(0, 8) where x.mask_1]"), std::string::npos) << text;
    EXPECT_NE(text.find("let x.mask_2 = not A[ramp(0, 1, 8)] > broadcast(0.0, 8)"),
              std::string::npos)
        << text;
}

TEST(Vectorize, FloatReductionsKeepTheOrderOfTheLanes) {
    EXPECT_EQ(test::after(widened, test::on_host("input A: f32[4]\noutput out: f32[1]",
                                                 R"(    vectorised for k in 0..4 {
        out[0] = out[0] + A[k]*2.0
    }
)")),
              test::on_host("input A: f32[4]\noutput out: f32[1]",
                            R"(    allocate out.lanes_1: f32[4] in register
    out.lanes_1[ramp(0, 1, 4)] = A[ramp(0, 1, 4)]*broadcast(2.0, 4)
    out[0] = out[0] + out.lanes_1[0]
    out[0] = out[0] + out.lanes_1[1]
    out[0] = out[0] + out.lanes_1[2]
    out[0] = out[0] + out.lanes_1[3]
)"));
}

TEST(Vectorize, IntegerReductionsByHalves) {
    EXPECT_EQ(test::after(widened, test::on_host("input A: i32[6]\noutput out: i32[1]",
                                                 R"(    vectorised for k in 0..6 {
        if k < 5 {
            out[0] = max(out[0], A[k])
        }
    }
)")),
              test::on_host("input A: i32[6]\noutput out: i32[1]",
                            R"(    let k.mask_1 = ramp(0, 1, 6) < broadcast(5, 6)
    allocate out.lanes_1: i32[6] in register
    out.lanes_1[ramp(0, 1, 6)] = select(k.mask_1, A[ramp(0, 1, 6) where k.mask_1], broadcast(-2147483648, 6))
    out.lanes_1[ramp(0, 1, 3)] = max(out.lanes_1[ramp(0, 1, 3)], out.lanes_1[ramp(3, 1, 3)])
    out.lanes_1[0] = max(out.lanes_1[0], out.lanes_1[2])
    out.lanes_1[0] = max(out.lanes_1[0], out.lanes_1[1])
    out[0] = max(out[0], out.lanes_1[0])
)"));
}

// What fused axes store keeps lanes apart: a quotient and a remainder say together which lane it
// is.
TEST(Vectorize, FusedAxes) {
    EXPECT_EQ(
        test::after(widened, test::on_host("input A: f32[4, 20, 3]\noutput out: f32[4, 20, 3]",
                                           R"(    for y in 0..4 {
        for f in 0..4 {
            vectorised for v in 0..16 {
                if f*16 + v < 60 {
                    out[y, (f*16 + v)/3, (f + v)%3] = A[y, (f*16 + v)/3, (f + v)%3]
                }
            }
        }
    }
)")),
        test::on_host("input A: f32[4, 20, 3]\noutput out: f32[4, 20, 3]", R"(    for y in 0..4 {
        for f in 0..4 {
            let v.mask_1 = ramp(f*16, 1, 16) < broadcast(60, 16)
            out[y, ramp(f*16, 1, 16)/broadcast(3, 16), ramp(f, 1, 16)%broadcast(3, 16) where v.mask_1] = A[y, ramp(f*16, 1, 16)/broadcast(3, 16), ramp(f, 1, 16)%broadcast(3, 16) where v.mask_1]
        }
    }
)"));
    // … but not a quotient alone, nor one of another divisor.
    for (const char* place : {"v/3, 0", "v/3, v%2"})
        EXPECT_NE(
            test::after(widened, std::string("program p\noutput out: f32[20, 3]\nlaunch p on "
                                             "host (out) {\nvectorised for v in 0..16 {\nout[") +
                                     place + "] = 1.0\n}\n}\n")
                .find("for v in 0..16"),
            std::string::npos)
            << place;
}

TEST(Vectorize, SaysWhichLoopsStayScalar) {
    auto why = [](const std::string& body) {
        std::vector<ScalarLoop> left;
        vectorize_and_tell(
            test::parsed("program p\ninput A: f32[40]\ninput n: i32[8]\noutput out: "
                         "f32[40]\nlaunch p on host (A, n, out) {\nvectorised for v in "
                         "0..8 {\n" +
                         body + "\n}\n}\n"),
            left);
        return left.empty() ? std::string() : left[0].why;
    };
    EXPECT_EQ(why("out[v] = A[v]"), "");
    EXPECT_EQ(why("out[v*2] = A[n[v]]"), "");
    EXPECT_EQ(why("out[n[v]] = A[v]"), "several iterations may store to one place");
    EXPECT_EQ(why("out[0] = A[v]"), "several iterations may store to one place");
    EXPECT_EQ(why("for k in 0..v {\nout[v] = A[k]\n}"),
              "the bounds of a loop inside differ from iteration to iteration");
}

TEST(Vectorize, WhatCannotBeVectorBecomesSerial) {
    for (const char* body : {"for k in 0..x {\nout[x] = A[k]\n}", // bounds differ between lanes
                             "out[0] = A[x]",                     // the last lane's value stays
                             "out[x/2] = A[x]",                   // lanes collide
                             "out[i32(A[x])] = A[x]",             // lanes may collide
                             "out[0] = out[0]*2.0 + A[x]"}) {     // no reduction
        auto text = test::after(
            widened, std::string("program p\ninput A: f32[8]\noutput out: f32[8]\nlaunch p on host "
                                 "(A, out) {\nvectorised for x in 0..8 {\n") +
                         body + "\n}\n}\n");
        EXPECT_NE(text.find("    for x in 0..8 {"), std::string::npos) << text;
    }
}

TEST(Vectorize, OfTwoNestedLoopsTheInnerHasTheLanes) {
    auto text = test::after(vectorize,
                            test::on_host("output out: f32[4, 8]", R"(    vectorised for y in 0..4 {
        vectorised for x in 0..8 {
            out[y, x] = 1.0
        }
    }
)"));
    EXPECT_NE(
        text.find("unrolled for y in 0..4 {\n        out[y, ramp(0, 1, 8)] = broadcast(1.0, 8)"),
        std::string::npos)
        << text;
}

} // namespace
} // namespace loopscope::lower
