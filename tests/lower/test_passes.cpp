// One test per pass, before and after; simplify has a file of its own.
#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(HoistLets, MovesWhatTheLoopDoesNotChange) {
    EXPECT_EQ(test::after(hoist_lets, R"(
program p
input n: i32[8]
output out: i32[8]
launch p on host (n, out) {
    for s in 0..2 {
        for y in 0..8 {
            let row = s + 2
            let own = y + row
            let read = n[s]
            let three = 3
            out[y] = row + own + read + three
        }
    }
}
)"),
              R"(
program p
input n: i32[8]
output out: i32[8]
launch p on host (n, out) {
    let three = 3
    for s in 0..2 {
        let row = s + 2
        for y in 0..8 {
            let own = y + row
            let read = n[s]
            out[y] = row + own + read + three
        }
    }
}
)");
}

TEST(HoistGuards, MovesThemOutAndIntoBounds) {
    EXPECT_EQ(test::after(hoist_guards, R"(
program p
output out: f32[100, 8]
launch p on host (out) {
    for s in 0..8 {
        for yo in 0..4 {
            for yi in 0..32 {
                if s < 7 and yo*32 + yi < 100 {
                    out[yo*32 + yi, s] = 0.0
                }
            }
        }
        vectorised for v in 0..8 {
            if s < 7 and v + s < 9 {
                out[v, s] = 0.0
            }
        }
    }
}
)"),
              R"(
program p
output out: f32[100, 8]
launch p on host (out) {
    for s in 0..8 {
        if s < 7 {
            for yo in 0..4 {
                for yi in 0..min(32, 100 - (yo*32 + 0)) {
                    out[yo*32 + yi, s] = 0.0
                }
            }
        }
        if s < 7 {
            vectorised for v in 0..8 {
                if v + s < 9 {
                    out[v, s] = 0.0
                }
            }
        }
    }
}
)");
}

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
    EXPECT_EQ(test::after([](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); }, R"(
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
    auto text = test::after([](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); }, R"(
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
    EXPECT_NE(text.find("for xo in 1..7 {\n            vectorised for xi in 0..8 {\n                out[y, xo*8 + xi] = "
                        "A[max(y - 1, 0), xo*8 + xi - 1] + A[y, xo*8 + xi + 1]"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("for y in 1..64"), std::string::npos) << text; // a row's clamp costs no lane
}

TEST(Partition, WrappedAndMirroredIndices) {
    auto text = test::after([](const Program& p, const TargetInfo& t) { return simplify(partition(p, t), t); }, R"(
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
    EXPECT_NE(text.find("for xo in 1..7 {\n        vectorised for xi in 0..8 {\n            out[xo*8 + xi] = A[xo*8 + xi + 1] + "
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
    auto program = test::parsed("program p\noutput out: f32[1]\nlaunch p on host (out) {\n" + open + "if " + guards + " {\nout[0] = 1.0\n}\n" + close + "}\n");
    auto text = to_text(partition(program, {}));
    int copies = 0;
    for (std::size_t at = 0; (at = text.find("out[0] = 1.0", at)) != std::string::npos; ++at)
        ++copies;
    EXPECT_GT(copies, 1);
    EXPECT_LE(copies, 4);
}

TEST(Unroll, CopiesWithUniqueNames) {
    EXPECT_EQ(test::after(unroll, R"(
program p
output out: i32[8]
launch p on host (out) {
    for s in 0..2 {
        unrolled for ii in 4..6 {
            let t = ii*2
            allocate b: i32[1] in register
            b[0] = t
            out[ii] = b[0]
        }
        unrolled for n in s..+2 {
            out[n] = 1
        }
        unrolled for m in 0..s {
            out[m] = 2
        }
    }
}
)"),
              R"(
program p
output out: i32[8]
launch p on host (out) {
    for s in 0..2 {
        let t = 4*2 {
            allocate b: i32[1] in register
            b[0] = t
            out[4] = b[0]
        }
        let t_1 = 5*2 {
            allocate b_1: i32[1] in register
            b_1[0] = t_1
            out[5] = b_1[0]
        }
        out[s] = 1
        out[s + 1] = 1
        for m in 0..s {
            out[m] = 2
        }
    }
}
)");
}

Program widened(const Program& p, const TargetInfo& t) { return simplify(vectorise(p, t), t); }

TEST(Vectorise, LoadsStoresLetsAndInnerLoops) {
    EXPECT_EQ(test::after(widened, R"(
program p
input A: f32[8, 80]
input s: f32[8]
output out: f32[8, 64]
launch p on host (A, s, out) {
    for y in 0..8 {
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
}
)"),
              R"(
program p
input A: f32[8, 80]
input s: f32[8]
output out: f32[8, 64]
launch p on host (A, s, out) {
    for y in 0..8 {
        for xo in 0..8 {
            allocate acc: f32[2, 8] in register
            acc[0, ramp(0, 1, 8)] = broadcast(0.0, 8)
            for k in 0..4 {
                acc[0, ramp(0, 1, 8)] = acc[0, ramp(0, 1, 8)] + A[y, ramp(xo*8 + k, 1, 8)]*broadcast(s[y], 8)
            }
            out[y, ramp(xo*8, 1, 8)] = acc[0, ramp(0, 1, 8)]
        }
    }
}
)");
}

TEST(Vectorise, ConditionsBecomeMasksUnderAnAnyLaneGuard) {
    EXPECT_EQ(test::after(widened, R"(
program p
input A: f32[100]
input s: f32[100]
output out: f32[100]
launch p on host (A, s, out) {
    for xo in 0..16 {
        vectorised for xi in 0..8 {
            if xo*8 + xi < 100 {
                out[xo*8 + xi] = A[xo*8 + xi]*s[xo*8]
            }
        }
    }
}
)"),
              R"(
program p
input A: f32[100]
input s: f32[100]
output out: f32[100]
launch p on host (A, s, out) {
    for xo in 0..16 {
        if xo*8 < 100 {
            let xi.mask_1 = ramp(xo*8, 1, 8) < broadcast(100, 8)
            out[ramp(xo*8, 1, 8) where xi.mask_1] = A[ramp(xo*8, 1, 8) where xi.mask_1]*broadcast(s[xo*8], 8)
        }
    }
}
)");
}

TEST(Vectorise, UniformLoadsUnderADataDependentMaskAreMasked) {
    auto text = test::after(widened, R"(
program p
input A: f32[8]
input s: f32[1]
output out: f32[8]
launch p on host (A, s, out) {
    vectorised for x in 0..8 {
        if A[x] > 0.0 {
            out[x] = s[0]
        } else {
            out[x] = A[x]
        }
    }
}
)");
    EXPECT_NE(text.find("s[broadcast(0, 8) where x.mask_1]"), std::string::npos) << text;
    EXPECT_NE(text.find("let x.mask_2 = not A[ramp(0, 1, 8)] > broadcast(0.0, 8)"), std::string::npos) << text;
}

TEST(Vectorise, FloatReductionsKeepTheOrderOfTheLanes) {
    EXPECT_EQ(test::after(widened, R"(
program p
input A: f32[4]
output out: f32[1]
launch p on host (A, out) {
    vectorised for k in 0..4 {
        out[0] = out[0] + A[k]*2.0
    }
}
)"),
              R"(
program p
input A: f32[4]
output out: f32[1]
launch p on host (A, out) {
    allocate out.lanes_1: f32[4] in register
    out.lanes_1[ramp(0, 1, 4)] = A[ramp(0, 1, 4)]*broadcast(2.0, 4)
    out[0] = out[0] + out.lanes_1[0]
    out[0] = out[0] + out.lanes_1[1]
    out[0] = out[0] + out.lanes_1[2]
    out[0] = out[0] + out.lanes_1[3]
}
)");
}

TEST(Vectorise, IntegerReductionsByHalves) {
    EXPECT_EQ(test::after(widened, R"(
program p
input A: i32[6]
output out: i32[1]
launch p on host (A, out) {
    vectorised for k in 0..6 {
        if k < 5 {
            out[0] = max(out[0], A[k])
        }
    }
}
)"),
              R"(
program p
input A: i32[6]
output out: i32[1]
launch p on host (A, out) {
    let k.mask_1 = ramp(0, 1, 6) < broadcast(5, 6)
    allocate out.lanes_1: i32[6] in register
    out.lanes_1[ramp(0, 1, 6)] = select(k.mask_1, A[ramp(0, 1, 6) where k.mask_1], broadcast(-2147483648, 6))
    out.lanes_1[ramp(0, 1, 3)] = max(out.lanes_1[ramp(0, 1, 3)], out.lanes_1[ramp(3, 1, 3)])
    out.lanes_1[0] = max(out.lanes_1[0], out.lanes_1[2])
    out.lanes_1[0] = max(out.lanes_1[0], out.lanes_1[1])
    out[0] = max(out[0], out.lanes_1[0])
}
)");
}

TEST(LaneAccumulators, CombineOnceAfterTheLoops) {
    EXPECT_EQ(test::after([](const Program& p, const TargetInfo& t) { return simplify(vectorise(lane_accumulators(p, t), t), t); }, R"(
program p
input a: f32[4, 1000]
output s: f32[4]
launch p on host (a, s) {
    for i in 0..4 {
        s[i] = 0.0
        for ko in 0..250 {
            vectorised for ki in 0..4 {
                s[i] = s[i] + a[i, ko*4 + ki]
            }
        }
    }
}
)"),
              R"(
program p
input a: f32[4, 1000]
output s: f32[4]
launch p on host (a, s) {
    for i in 0..4 {
        s[i] = 0.0
        allocate s.lanes_1: f32[4] in register
        s.lanes_1[ramp(0, 1, 4)] = broadcast(-0.0, 4)
        for ko in 0..250 {
            s.lanes_1[ramp(0, 1, 4)] = s.lanes_1[ramp(0, 1, 4)] + a[i, ramp(ko*4, 1, 4)]
        }
        allocate s.lanes_2: f32[4] in register
        s.lanes_2[ramp(0, 1, 4)] = s.lanes_1[ramp(0, 1, 4)]
        s[i] = s[i] + s.lanes_2[0]
        s[i] = s[i] + s.lanes_2[1]
        s[i] = s[i] + s.lanes_2[2]
        s[i] = s[i] + s.lanes_2[3]
    }
}
)");
}

TEST(LaneAccumulators, OnlyWhereThePlaceIsInsideForCertain) {
    auto text = test::after(lane_accumulators, R"(
program p
input a: f32[4, 1000]
output s: f32[4]
launch p on host (a, s) {
    for i in 0..5 {
        for ko in 0..250 {
            vectorised for ki in 0..4 {
                if i + ko < 4 {
                    s[i] = s[i] + a[i, ko*4 + ki]
                }
            }
        }
    }
}
)");
    EXPECT_EQ(text.find("lanes"), std::string::npos) << text;
}

TEST(Vectorise, WhatCannotBeVectorBecomesSerial) {
    for (const char* body : {"for k in 0..x {\nout[x] = A[k]\n}",    // bounds differ between lanes
                             "out[0] = A[x]",                          // the last lane's value stays
                             "out[x/2] = A[x]",                        // lanes collide
                             "out[i32(A[x])] = A[x]",                  // lanes may collide
                             "out[0] = out[0]*2.0 + A[x]"}) {          // no reduction
        auto text = test::after(widened, std::string("program p\ninput A: f32[8]\noutput out: f32[8]\nlaunch p on host (A, out) {\nvectorised for x in 0..8 {\n") + body + "\n}\n}\n");
        EXPECT_NE(text.find("    for x in 0..8 {"), std::string::npos) << text;
    }
}

TEST(Vectorise, OfTwoNestedLoopsTheInnerHasTheLanes) {
    auto text = test::after(vectorise, R"(
program p
output out: f32[4, 8]
launch p on host (out) {
    vectorised for y in 0..4 {
        vectorised for x in 0..8 {
            out[y, x] = 1.0
        }
    }
}
)");
    EXPECT_NE(text.find("unrolled for y in 0..4 {\n        out[y, ramp(0, 1, 8)] = broadcast(1.0, 8)"), std::string::npos) << text;
}

TEST(PromoteAccumulators, RegisterTile) {
    EXPECT_EQ(test::after(promote_accumulators, R"(
program p
input A: f32[64, 64]
input B: f32[64, 64]
output C: f32[64, 64]
launch p on host (A, B, C) {
    for i in 0..32 {
        C[i*2, ramp(0, 1, 8)] = broadcast(0.0, 8)
        C[i*2 + 1, ramp(0, 1, 8)] = broadcast(0.0, 8)
        for ko in 0..8 {
            for ki in 0..8 {
                C[i*2, ramp(0, 1, 8)] = C[i*2, ramp(0, 1, 8)] + broadcast(A[i*2, ko*8 + ki], 8)*B[ko*8 + ki, ramp(0, 1, 8)]
                C[i*2 + 1, ramp(0, 1, 8)] = C[i*2 + 1, ramp(0, 1, 8)] + broadcast(A[i*2 + 1, ko*8 + ki], 8)*B[ko*8 + ki, ramp(0, 1, 8)]
            }
        }
    }
}
)"),
              R"(
program p
input A: f32[64, 64]
input B: f32[64, 64]
output C: f32[64, 64]
launch p on host (A, B, C) {
    for i in 0..32 {
        allocate C.register_1: f32[2, 8] in register
        C.register_1[0, ramp(0, 1, 8)] = broadcast(0.0, 8)
        C.register_1[1, ramp(0, 1, 8)] = broadcast(0.0, 8)
        for ko in 0..8 {
            for ki in 0..8 {
                C.register_1[0, ramp(0, 1, 8)] = C.register_1[0, ramp(0, 1, 8)] + broadcast(A[i*2, ko*8 + ki], 8)*B[ko*8 + ki, ramp(0, 1, 8)]
                C.register_1[1, ramp(0, 1, 8)] = C.register_1[1, ramp(0, 1, 8)] + broadcast(A[i*2 + 1, ko*8 + ki], 8)*B[ko*8 + ki, ramp(0, 1, 8)]
            }
        }
        C[i*2, ramp(0, 1, 8)] = C.register_1[0, ramp(0, 1, 8)]
        C[i*2 + 1, ramp(0, 1, 8)] = C.register_1[1, ramp(0, 1, 8)]
    }
}
)");
}

TEST(PromoteAccumulators, LoadsWhereNothingWasStoredBefore) {
    auto text = test::after(promote_accumulators, R"(
program p
input A: f32[8, 8]
output C: f32[8]
launch p on host (A, C) {
    for i in 0..8 {
        for k in 0..8 {
            C[i] = C[i] + A[i, k]
        }
    }
}
)");
    EXPECT_NE(text.find("C.register_1[0] = C[i]\n        for k in 0..8 {\n            C.register_1[0] = C.register_1[0] + A[i, k]\n        }\n        C[i] = C.register_1[0]"),
              std::string::npos)
        << text;
}

TEST(PromoteAccumulators, OfAMaskedTailToo) {
    EXPECT_EQ(test::after(promote_accumulators, R"(
program p
input A: f32[8, 16]
output C: f32[12]
launch p on host (A, C) {
    for k in 0..8 {
        let mask = ramp(8, 1, 8) < broadcast(12, 8)
        C[ramp(8, 1, 8) where mask] = C[ramp(8, 1, 8) where mask] + A[k, ramp(8, 1, 8) where mask]
    }
}
)"),
              R"(
program p
input A: f32[8, 16]
output C: f32[12]
launch p on host (A, C) {
    allocate C.register_1: f32[1, 8] in register
    C.register_1[0, ramp(0, 1, 8)] = C[ramp(8, 1, 8) where ramp(8, 1, 8) < broadcast(12, 8)]
    for k in 0..8 {
        let mask = ramp(8, 1, 8) < broadcast(12, 8)
        C.register_1[0, ramp(0, 1, 8)] = C.register_1[0, ramp(0, 1, 8)] + A[k, ramp(8, 1, 8) where mask]
    }
    C[ramp(8, 1, 8) where ramp(8, 1, 8) < broadcast(12, 8)] = C.register_1[0, ramp(0, 1, 8)]
}
)");
}

TEST(PromoteAccumulators, LeavesWhatIsNotSafe) {
    for (const char* body : {"for k in 0..8 {\nC[i] = C[i] + C[k]\n}",                // another access
                             "for k in 0..8 {\nif A[k, k] > 0.0 {\nC[i] = C[i] + 1.0\n}\n}", // perhaps no access at all
                             "for k in 0..i {\nC[i] = C[i] + 1.0\n}",                  // perhaps no iteration
                             "for k in 0..8 {\nC[i] = C[i] + 1.0\nC[j] = C[j] + 1.0\n}", // i and j may be one place
                             "parallel for k in 0..8 {\nC[i] = C[i] + 1.0\n}"}) {
        auto text = test::after(promote_accumulators, std::string("program p\ninput A: f32[8, 8]\noutput C: f32[8]\nlaunch p on host (A, C) {\nfor i in 0..8 {\nfor j in 0..8 {\n") + body + "\n}\n}\n}\n");
        EXPECT_EQ(text.find("register"), std::string::npos) << text;
    }
}

TEST(Flatten, RowMajorWithTheWidthThatRangesAllow) {
    EXPECT_EQ(test::after(flatten, R"(
program p
symbol L = 16
input A: f32[20, 30]
input big: f32[70000, 70000]
input s: f32[L, 2*L]
output out: f32[20, 8]
launch p on host (A, big, s, out) {
    for y in 0..8 {
        out[y, ramp(0, 1, 8)] = A[y + 1, ramp(0, 2, 8)] + broadcast(big[y, 3] + s[y, 1], 8)
    }
    out[0, ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)] = A[0, ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)]
}
)"),
              R"(
program p flat
symbol L = 16
input A: f32[20, 30]
input big: f32[70000, 70000]
input s: f32[L, 2*L]
output out: f32[20, 8]
launch p on host (A, big, s, out) {
    for y in 0..8 {
        out[ramp(y*8, 1, 8)] = A[ramp(y*30 + 30, 2, 8)] + broadcast(big[i64(y)*70000 + 3] + s[i64(y)*(L*2) + 1], 8)
    }
    out[ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)] = A[ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)]
}
)");
}

TEST(Passes, TheListHasUniqueNamesAndStops) {
    std::set<std::string> names{"build"};
    for (const auto& pass : cpu_passes()) {
        EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
        EXPECT_TRUE(std::string(pass.summary).size() > 10);
    }
    auto program = test::parsed("program p\noutput out: f32[4, 4]\nlaunch p on host (out) {\nvectorised for x in 0..4 {\nout[0, x] = 1.0\n}\n}\n");
    LowerOptions options;
    options.verify_each = true;
    options.stop_after = "build";
    EXPECT_TRUE(equal(*run_passes(program, options), program));
    options.stop_after = "vectorise";
    EXPECT_NE(to_text(*run_passes(program, options)).find("out[0, ramp(0, 1, 4)]"), std::string::npos);
    options.stop_after = "";
    EXPECT_TRUE(run_passes(program, options)->flat);
    options.stop_after = "nonsense";
    auto failed = run_passes(program, options);
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(format(failed.errors()).find("vectorise, unroll"), std::string::npos);
}

} // namespace
} // namespace loopscope::lower
