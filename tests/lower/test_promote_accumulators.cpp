#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(PromoteAccumulators, RegisterTile) {
    EXPECT_EQ(test::after(
                  promote_accumulators,
                  test::on_host("input A: f32[64, 64]\ninput B: f32[64, 64]\noutput C: f32[64, 64]",
                                R"(    for i in 0..32 {
        C[i*2, ramp(0, 1, 8)] = broadcast(0.0, 8)
        C[i*2 + 1, ramp(0, 1, 8)] = broadcast(0.0, 8)
        for ko in 0..8 {
            for ki in 0..8 {
                C[i*2, ramp(0, 1, 8)] = C[i*2, ramp(0, 1, 8)] + broadcast(A[i*2, ko*8 + ki], 8)*B[ko*8 + ki, ramp(0, 1, 8)]
                C[i*2 + 1, ramp(0, 1, 8)] = C[i*2 + 1, ramp(0, 1, 8)] + broadcast(A[i*2 + 1, ko*8 + ki], 8)*B[ko*8 + ki, ramp(0, 1, 8)]
            }
        }
    }
)")),
              test::on_host("input A: f32[64, 64]\ninput B: f32[64, 64]\noutput C: f32[64, 64]",
                            R"(    for i in 0..32 {
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
)"));
}

TEST(PromoteAccumulators, LoadsWhereNothingWasStoredBefore) {
    auto text =
        test::after(promote_accumulators,
                    test::on_host("input A: f32[8, 8]\noutput C: f32[8]", R"(    for i in 0..8 {
        for k in 0..8 {
            C[i] = C[i] + A[i, k]
        }
    }
)"));
    EXPECT_NE(
        text.find("C.register_1[0] = C[i]\n        for k in 0..8 {\n            C.register_1[0] = "
                  "C.register_1[0] + A[i, k]\n        }\n        C[i] = C.register_1[0]"),
        std::string::npos)
        << text;
}

TEST(PromoteAccumulators, OfAMaskedTailToo) {
    EXPECT_EQ(
        test::after(promote_accumulators,
                    test::on_host("input A: f32[8, 16]\noutput C: f32[12]", R"(    for k in 0..8 {
        let mask = ramp(8, 1, 8) < broadcast(12, 8)
        C[ramp(8, 1, 8) where mask] = C[ramp(8, 1, 8) where mask] + A[k, ramp(8, 1, 8) where mask]
    }
)")),
        test::on_host("input A: f32[8, 16]\noutput C: f32[12]",
                      R"(    allocate C.register_1: f32[1, 8] in register
    C.register_1[0, ramp(0, 1, 8)] = C[ramp(8, 1, 8) where ramp(8, 1, 8) < broadcast(12, 8)]
    for k in 0..8 {
        let mask = ramp(8, 1, 8) < broadcast(12, 8)
        C.register_1[0, ramp(0, 1, 8)] = C.register_1[0, ramp(0, 1, 8)] + A[k, ramp(8, 1, 8) where mask]
    }
    C[ramp(8, 1, 8) where ramp(8, 1, 8) < broadcast(12, 8)] = C.register_1[0, ramp(0, 1, 8)]
)"));
}

// Whether a masked tile of a triangle is accessed at all is known before the loop: it is loaded and
// stored only then.
TEST(PromoteAccumulators, LoadsAndStoresUnderWhatGuardsTheAccess) {
    EXPECT_EQ(
        test::after(promote_accumulators,
                    test::on_host("input A: f32[8, 16]\noutput C: f32[12]", R"(    for i in 0..16 {
        parallel for j in 0..1 {
            for k in 0..8 {
                if i >= 4 {
                    let mask = ramp(0, 1, 8) <= broadcast(i, 8)
                    C[ramp(0, 1, 8) where mask] = C[ramp(0, 1, 8) where mask] + A[k, ramp(8, 1, 8) where mask]
                }
            }
        }
    }
)")),
        test::on_host("input A: f32[8, 16]\noutput C: f32[12]", R"(    for i in 0..16 {
        parallel for j in 0..1 {
            allocate C.register_1: f32[1, 8] in register
            if i >= 4 {
                C.register_1[0, ramp(0, 1, 8)] = C[ramp(0, 1, 8) where ramp(0, 1, 8) <= broadcast(i, 8)]
            }
            for k in 0..8 {
                if i >= 4 {
                    let mask = ramp(0, 1, 8) <= broadcast(i, 8)
                    C.register_1[0, ramp(0, 1, 8)] = C.register_1[0, ramp(0, 1, 8)] + A[k, ramp(8, 1, 8) where mask]
                }
            }
            if i >= 4 {
                C[ramp(0, 1, 8) where ramp(0, 1, 8) <= broadcast(i, 8)] = C.register_1[0, ramp(0, 1, 8)]
            }
        }
    }
)"));
}

// Where a condition changes in the loop, the iteration decides in which it holds first or last; a
// loop may run or not.
TEST(PromoteAccumulators, KnowsBeforeALoopWhatHappensInIt) {
    auto in_loop = [](const std::string& body) {
        return test::after(promote_accumulators,
                           "program p\ninput A: f32[8, 8]\noutput C: f32[8, 2]\nlaunch p on host "
                           "(A, C) {\nfor i in 0..8 {\n" +
                               body + "}\n}\n");
    };
    auto text =
        in_loop("for k in 0..i {\nlet t = k*2\nif t > i + 1 {\nC[i, 0] = C[i, 0] + A[i, k]\n}\n"
                "if k < 3 {\nC[i, 1] = C[i, 1] + A[i, k]\n}\n}\n");
    EXPECT_NE(
        text.find("if i > 0 and (0 + i - 1)*2 > i + 1 {\n            C.register_1[0] = C[i, 0]"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("if i > 0 and 0 < 3 {\n            C.register_1[1] = C[i, 1]"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("if i > 0 and 0 < 3 {\n            C[i, 1] = C.register_1[1]"),
              std::string::npos)
        << text;
    // Two conditions that no one iteration decides; one place under two conditions.
    for (const char* body :
         {"for k in 0..8 {\nif k > i and k < 4 {\nC[i, 0] = C[i, 0] + 1.0\n}\n}\n",
          "for k in 0..8 {\nif i > 2 {\nC[i, 0] = C[i, 0] + 1.0\n}\nif i < 5 {\nC[i, 0] = C[i, 0] "
          "+ "
          "2.0\n}\n}\n"}) {
        auto unchanged = in_loop(body);
        EXPECT_EQ(unchanged.find("register"), std::string::npos) << unchanged;
    }
}

TEST(PromoteAccumulators, LeavesWhatIsNotSafe) {
    for (
        const char* body :
        {"for k in 0..8 {\nC[i] = C[i] + C[k]\n}",                       // another access
         "for k in 0..8 {\nif A[k, k] > 0.0 {\nC[i] = C[i] + 1.0\n}\n}", // perhaps no access at all
         "for k in 0..8 {\nif k*k > i {\nC[i] = C[i] + 1.0\n}\n}",       // … nor known before
         "for k in 0..8 {\nfor l in 0..u[k] {\nC[i] = C[i] + 1.0\n}\n}",
         "for k in 0..8 {\nC[i] = C[i] + 1.0\nC[j] = C[j] + 1.0\n}", // i and j may be one place
         "parallel for k in 0..8 {\nC[i] = C[i] + 1.0\n}"}) {
        auto text = test::after(
            promote_accumulators,
            std::string(
                "program p\ninput A: f32[8, 8]\ninput u: i32[8]\noutput C: f32[8]\nlaunch p on "
                "host (A, u, C) {\nfor i in 0..8 {\nfor j in 0..8 {\n") +
                body + "\n}\n}\n}\n");
        EXPECT_EQ(text.find("register"), std::string::npos) << text;
    }
}

// Lanes that are off give zero in memory, and what the loop computes there in a register: nothing
// may see them.
TEST(PromoteAccumulators, LeavesWhatShowsLanesThatAreOff) {
    auto with = [](const std::string& reader) {
        return test::after(
            promote_accumulators,
            "program p\ninput A: f32[8, 16]\noutput C: f32[12]\noutput D: f32[8, 16]\nlaunch p on "
            "host (A, C, D) {\nfor k in 0..8 {\nlet mask = ramp(8, 1, 8) < broadcast(12, 8)\n"
            "let less = mask and ramp(8, 1, 8) < broadcast(k, 8)\n"
            "C[ramp(8, 1, 8) where mask] = C[ramp(8, 1, 8) where mask] + A[k, ramp(8, 1, 8)]\n" +
                reader + "\n}\n}\n");
    };
    for (const char* reader :
         {"", "D[k, ramp(8, 1, 8) where mask] = C[ramp(8, 1, 8) where mask]",
          "D[k, ramp(8, 1, 8) where less] = C[ramp(8, 1, 8) where mask]",
          "let c = C[ramp(8, 1, 8) where mask]\nD[k, ramp(8, 1, 8) where less] = c"}) {
        auto text = with(reader);
        EXPECT_NE(text.find("C.register"), std::string::npos) << text;
    }
    for (const char* reader :
         {"D[k, ramp(8, 1, 8)] = C[ramp(8, 1, 8) where mask]",
          "D[k, ramp(8, 1, 8) where ramp(8, 1, 8) < broadcast(k, 8)] = C[ramp(8, 1, 8) where mask]",
          "let c = C[ramp(8, 1, 8) where mask]\nlet d = c*broadcast(2.0, 8)\nD[k, ramp(8, 1, 8)] = "
          "d",
          "D[k, i32(C[ramp(8, 1, 8) where mask])] = broadcast(1.0, 8)",
          "atomic D[k, ramp(8, 1, 8)] += C[ramp(8, 1, 8) where mask]"}) {
        auto text = with(reader);
        EXPECT_EQ(text.find("C.register"), std::string::npos) << text;
    }
}

} // namespace
} // namespace loopscope::lower
