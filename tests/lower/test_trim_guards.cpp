#include "lower_support.h"

namespace loopscope::lower {
namespace {

Program trimmed(const Program& p, const TargetInfo& t) {
    return simplify(trim_guards(simplify(p, t), t), t);
}

std::string trimmed_body(const std::string& body) {
    auto text = test::after(
        trimmed, "program p\ninput n: i32[1]\ninput A: f32[512, 512]\noutput C: f32[512, "
                 "512]\nlaunch p on host (n, A, C) {\n" +
                     body + "}\n");
    auto begin = text.find("{\n");
    return "\n" + text.substr(begin + 2, text.rfind('}') - begin - 2);
}

// A loop without further ones inside: both ends, and no guard is left.
TEST(TrimGuards, BecomeBoundsOfTheLoop) {
    EXPECT_EQ(
        trimmed_body("for i in 0..512 {\nfor k in 0..512 {\nif k > i {\nC[i, k] = 1.0\n}\n}\n}\n"),
        R"(
    for i in 0..511 {
        for k in i + 1..+511 - i {
            C[i, k] = 1.0
        }
    }
)");
    EXPECT_EQ(trimmed_body("for i in 0..512 {\nfor k in 0..512 {\nif i >= k*4 and k >= i - 300 {\n"
                           "C[i, k] = 1.0\n}\n}\n}\n"),
              R"(
    for i in 0..512 {
        for k in max(i - 300, 0)..+i/4 - max(i - 300, 0) + 1 {
            C[i, k] = 1.0
        }
    }
)");
}

// Rows of a register tile: where all of them take part there is no guard.
TEST(TrimGuards, AreAskedAtTheEdgeOfATriangleAlone) {
    EXPECT_EQ(
        trimmed_body("for io in 0..128 {\nfor k in 0..512 {\nunrolled for ii in 0..4 {\n"
                     "if k > io*4 + ii {\nC[io*4 + ii, 0] = C[io*4 + ii, 0] + A[io*4 + ii, k]\n"
                     "}\n}\n}\n}\n"),
        R"(
    for io in 0..128 {
        for k_1 in io*4 + 1..+3 {
            unrolled for ii_1 in 0..4 {
                if k_1 > io*4 + ii_1 {
                    C[io*4 + ii_1, 0] = C[io*4 + ii_1, 0] + A[io*4 + ii_1, k_1]
                }
            }
        }
        for k in io*4 + 4..+508 - io*4 {
            unrolled for ii in 0..4 {
                C[io*4 + ii, 0] = C[io*4 + ii, 0] + A[io*4 + ii, k]
            }
        }
    }
)");
}

// A tile of which both sides count, above the diagonal; the sum's loop stands between, and is not
// looked at.
TEST(TrimGuards, OfTilesAcrossADiagonal) {
    EXPECT_EQ(
        trimmed_body(
            "for jo in 0..16 {\nfor io in 0..64 {\nfor k in 0..512 {\nunrolled for ii in 0..8 "
            "{\nvectorised for ji in 0..32 {\nif jo*32 + ji >= io*8 + ii {\n"
            "C[io*8 + ii, jo*32 + ji] = C[io*8 + ii, jo*32 + ji] + A[io*8 + ii, k]\n"
            "}\n}\n}\n}\n}\n}\n"),
        R"(
    for jo in 0..16 {
        for io in 0..jo*4 {
            for k in 0..512 {
                unrolled for ii in 0..8 {
                    vectorised for ji in 0..32 {
                        C[io*8 + ii, jo*32 + ji] = C[io*8 + ii, jo*32 + ji] + A[io*8 + ii, k]
                    }
                }
            }
        }
        for io_1 in jo*4..+4 {
            for k_1 in 0..512 {
                unrolled for ii_1 in 0..8 {
                    vectorised for ji_1 in 0..32 {
                        if jo*32 + ji_1 >= io_1*8 + ii_1 {
                            C[io_1*8 + ii_1, jo*32 + ji_1] = C[io_1*8 + ii_1, jo*32 + ji_1] + A[io_1*8 + ii_1, k_1]
                        }
                    }
                }
            }
        }
    }
)");
}

// What a block's statements need in common; the weaker of two.
TEST(TrimGuards, WhatAllStatementsNeed) {
    EXPECT_EQ(trimmed_body("for i in 0..512 {\nfor k in 0..512 {\nif k >= i {\nC[i, k] = 1.0\n}\n"
                           "if k > i + 3 {\nC[i, k] = 2.0\n}\n}\n}\n"),
              R"(
    for i in 0..512 {
        for k in i..+512 - i {
            C[i, k] = 1.0
            if k > i + 3 {
                C[i, k] = 2.0
            }
        }
    }
)");
    auto untouched = "    for i in 0..512 {\n        for k in 0..512 {\n            C[i, k] = 1.0\n"
                     "            if k > i + 3 {\n                C[i, k] = 2.0\n            }\n   "
                     "     }\n    }\n";
    EXPECT_EQ(trimmed_body(untouched), std::string("\n") + untouched);
}

// A slope that the type of the loop cannot hold cannot divide in it either.
TEST(TrimGuards, SlopesBeyondTheTypeOfTheLoop) {
    const std::string untouched =
        "    for i in 0..64 {\n        for k in 0..64 {\n            if i64(k)*8589934592 >= "
        "i64(i) - 30 {\n                C[i, k] = 1.0\n            }\n        }\n    }\n";
    EXPECT_EQ(trimmed_body(untouched), "\n" + untouched);
}

// What is the same in the whole loop is asked before it.
TEST(TrimGuards, AsksOnceForWhatTheLoopDoesNotChange) {
    EXPECT_EQ(trimmed_body(
                  "parallel for jo in 0..16 {\nparallel for io in 0..64 {\nfor k in 0..512 {\n"
                  "unrolled for ii in 0..8 {\nif jo*32 <= io*8 + ii {\n"
                  "C[io*8 + ii, jo*32] = C[io*8 + ii, jo*32] + A[io*8 + ii, k]\n}\n}\n}\n}\n}\n"),
              R"(
    parallel for jo in 0..16 {
        parallel for io in 0..64 {
            if io*8 - jo*32 + 7 >= 0 {
                for k in 0..512 {
                    unrolled for ii in 0..8 {
                        if jo*32 <= io*8 + ii {
                            C[io*8 + ii, jo*32] = C[io*8 + ii, jo*32] + A[io*8 + ii, k]
                        }
                    }
                }
            }
        }
    }
)");
}

TEST(TrimGuards, LeavesWhatLoadsAndWhatMayWrap) {
    for (const char* body :
         {"    for i in 0..512 {\n        for k in 0..512 {\n            if k > n[0] {\n"
          "                C[i, k] = 1.0\n            }\n        }\n    }\n",
          "    for i in 0..512 {\n        for k in 0..512 {\n            if k > i {\n"
          "                C[i, k] = 1.0\n            } else {\n                C[i, k] = 2.0\n    "
          "        }\n"
          "        }\n    }\n",
          "    for i in 0..512 {\n        if i < min(i*2, 300) {\n            C[i, 0] = 1.0\n"
          "        }\n    }\n", // on both sides
          "    let m = n[0]\n    for k in 0..512 {\n        if k*2 > m + 5 {\n            C[0, k] "
          "= 1.0\n"
          "        }\n    }\n"})
        EXPECT_EQ(trimmed_body(body), std::string("\n") + body);
}

} // namespace
} // namespace loopscope::lower
