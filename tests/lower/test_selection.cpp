// argmin and argmax: which statements are steps of them, and what becomes of them over vectorised
// axes.
#include "lower_support.h"

#include "compiler/lower/reduction.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {
namespace {

// A loop around a step with this condition; the operation that it is matched as, or "none".
std::string matched(const std::string& condition, const std::string& type = "f32",
                    bool rank_is_known = true) {
    auto rank = rank_is_known ? "k" : "R[k]";
    auto program =
        test::parsed("program p\ninput A: " + type + "[9]\ninput R: i32[9]\noutput v: " + type +
                     "[1]\noutput r: i32[1]\nlaunch p on host (A, R, v, r) {\n" +
                     "    for k in 0..9 {\n        let x = A[k]\n        let n = " + rank +
                     "\n        let take = " + condition +
                     "\n        v[0] = select(take, x, v[0])\n        r[0] = "
                     "select(take, n, r[0])\n    }\n}\n");
    KnownFacts scope;
    std::string found = "none";
    visit_statements(program.launches[0].body, [&](const Statement& s) {
        if (s.kind == StatementKind::For)
            scope.bind_loop(s.variable, s.loop->begin, s.loop->extent);
        if (auto step = match_selection(s, scope))
            found = name(step->op);
        if (s.kind == StatementKind::Let)
            scope.bind_let(s.variable, s.value);
        return true;
    });
    return found;
}

const char* const kNone = "-2147483648";

std::string greatest_float() {
    return std::string("n != ") + kNone + " and (r[0] == " + kNone +
           " or (x > v[0] or x != x and v[0] == v[0]) or (x == v[0] or x != x and v[0] != v[0]) "
           "and "
           "n < r[0])";
}

TEST(Selection, IsMatchedInAnyForm) {
    EXPECT_EQ(matched(greatest_float()), "argmax");
    EXPECT_EQ(
        matched("not (n == " + std::string(kNone) + " or r[0] != " + kNone +
                " and not (v[0] < x or x != x and v[0] == v[0] or v[0] == x and n < r[0] or x "
                "!= x and v[0] != v[0] and r[0] > n))"),
        "argmax");
    EXPECT_EQ(matched("n != " + std::string(kNone) + " and (r[0] == " + kNone +
                          " or x < v[0] or x == v[0] and n < r[0])",
                      "i32"),
              "argmin");
}

TEST(Selection, ARankThatIsNeverNoneNeedsNoTest) {
    auto condition = greatest_float().substr(std::string(kNone).size() + 10);
    EXPECT_EQ(condition[0], '('); // what follows "n != … and "
    EXPECT_EQ(matched(condition), "argmax");
    EXPECT_EQ(matched(condition, "f32", false), "none"); // a loaded rank can be anything
}

TEST(Selection, AnythingElseIsNone) {
    std::string none = kNone;
    EXPECT_EQ(matched("x > v[0]"), "none"); // the order of steps would matter
    EXPECT_EQ(matched("n != " + none + " and (r[0] == " + none +
                      " or x > v[0] or x == v[0] and n < r[0])"),
              "none"); // NaN does not win
    EXPECT_EQ(matched("n != " + none + " and (r[0] == " + none +
                          " or x > v[0] or x == v[0] and n > r[0])",
                      "i32"),
              "none"); // the last of equals
    EXPECT_EQ(matched("n != " + none + " and (r[0] == " + none +
                          " or x > v[0] or x == A[0] and n < r[0])",
                      "i32"),
              "none"); // another operand
}

const char* const kArgmax = R"(
program argmax
input A: i32[4, 64]
output v: i32[4]
output r: i32[4]
launch argmax on host (A, v, r) {
    for i in 0..4 {
        for ko in 0..16 {
            vectorised for ki in 0..4 {
                let x = A[i, ko*4 + ki]
                let take = r[i] == -2147483648 or x > v[i] or x == v[i] and ko*4 + ki < r[i]
                v[i] = select(take, x, v[i])
                r[i] = select(take, ko*4 + ki, r[i])
            }
        }
    }
}
)";

TEST(Selection, LanesKeepTheirOwnBest) {
    EXPECT_EQ(test::after(lane_accumulators, kArgmax), R"(
program argmax
input A: i32[4, 64]
output v: i32[4]
output r: i32[4]
launch argmax on host (A, v, r) {
    for i in 0..4 {
        allocate r.lanes_1: i32[4] in register
        allocate v.lanes_1: i32[4] in register
        vectorised for ki.first_1 in 0..4 {
            v.lanes_1[ki.first_1] = -2147483648
            r.lanes_1[ki.first_1] = -2147483648
        }
        for ko in 0..16 {
            vectorised for ki in 0..4 {
                let x = A[i, ko*4 + ki]
                let take = not ko*4 + ki == -2147483648 and (r.lanes_1[ki - 0] == -2147483648 or (x > v.lanes_1[ki - 0] or x == v.lanes_1[ki - 0] and ko*4 + ki < r.lanes_1[ki - 0]))
                v.lanes_1[ki - 0] = select(take, x, v.lanes_1[ki - 0])
                r.lanes_1[ki - 0] = select(take, ko*4 + ki, r.lanes_1[ki - 0])
            }
        }
        vectorised for ki.last_1 in 0..4 {
            let take_1 = not r.lanes_1[ki.last_1] == -2147483648 and (r[i] == -2147483648 or (v.lanes_1[ki.last_1] > v[i] or v.lanes_1[ki.last_1] == v[i] and r.lanes_1[ki.last_1] < r[i]))
            v[i] = select(take_1, v.lanes_1[ki.last_1], v[i])
            r[i] = select(take_1, r.lanes_1[ki.last_1], r[i])
        }
    }
}
)");
}

TEST(Selection, LanesMeetByHalvesUnderAMask) {
    EXPECT_EQ(test::after(vectorize, R"(
program argmin
input A: i32[4]
output v: i32[1]
output r: i32[1]
launch argmin on host (A, v, r) {
    vectorised for k in 0..4 {
        if k < 3 {
            let x = A[k]
            let take = r[0] == -2147483648 or x < v[0] or x == v[0] and k < r[0]
            v[0] = select(take, x, v[0])
            r[0] = select(take, k, r[0])
        }
    }
}
)"),
              R"(
program argmin
input A: i32[4]
output v: i32[1]
output r: i32[1]
launch argmin on host (A, v, r) {
    if 0 < 3 {
        let k.mask_1 = ramp(0, 1, 4) < broadcast(3, 4)
        let x = A[ramp(0, 1, 4) where k.mask_1]
        allocate r.lanes_1: i32[4] in register
        allocate v.lanes_1: i32[4] in register
        v.lanes_1[ramp(0, 1, 4)] = select(k.mask_1, x, broadcast(2147483647, 4))
        r.lanes_1[ramp(0, 1, 4)] = select(k.mask_1, ramp(0, 1, 4), broadcast(-2147483648, 4))
        let take_1 = not r.lanes_1[ramp(0, 1, 2) + broadcast(2, 2)] == broadcast(-2147483648, 2) and (r.lanes_1[ramp(0, 1, 2)] == broadcast(-2147483648, 2) or (v.lanes_1[ramp(0, 1, 2) + broadcast(2, 2)] < v.lanes_1[ramp(0, 1, 2)] or v.lanes_1[ramp(0, 1, 2) + broadcast(2, 2)] == v.lanes_1[ramp(0, 1, 2)] and r.lanes_1[ramp(0, 1, 2) + broadcast(2, 2)] < r.lanes_1[ramp(0, 1, 2)])) {
            v.lanes_1[ramp(0, 1, 2)] = select(take_1, v.lanes_1[ramp(0, 1, 2) + broadcast(2, 2)], v.lanes_1[ramp(0, 1, 2)])
            r.lanes_1[ramp(0, 1, 2)] = select(take_1, r.lanes_1[ramp(0, 1, 2) + broadcast(2, 2)], r.lanes_1[ramp(0, 1, 2)])
        }
        let take_2 = not r.lanes_1[0 + 1] == -2147483648 and (r.lanes_1[0] == -2147483648 or (v.lanes_1[0 + 1] < v.lanes_1[0] or v.lanes_1[0 + 1] == v.lanes_1[0] and r.lanes_1[0 + 1] < r.lanes_1[0])) {
            v.lanes_1[0] = select(take_2, v.lanes_1[0 + 1], v.lanes_1[0])
            r.lanes_1[0] = select(take_2, r.lanes_1[0 + 1], r.lanes_1[0])
        }
        let take = not r.lanes_1[0] == -2147483648 and (r[0] == -2147483648 or (v.lanes_1[0] < v[0] or v.lanes_1[0] == v[0] and r.lanes_1[0] < r[0]))
        v[0] = select(take, v.lanes_1[0], v[0])
        r[0] = select(take, r.lanes_1[0], r[0])
    }
}
)");
}

TEST(Selection, OverALoopStaysInRegisters) {
    auto lowered = run_passes(test::parsed(kArgmax), {});
    ASSERT_TRUE(lowered) << format(lowered.errors());
    auto text = to_text(*lowered);
    // In the loop over ko only A is read from memory.
    auto loop = text.substr(text.find("for ko"));
    loop = loop.substr(0, loop.find("            }"));
    EXPECT_NE(loop.find("let x = A[ramp(i*64 + ko*4, 1, 4)]"), std::string::npos) << text;
    EXPECT_EQ(loop.find("v.lanes_1["), std::string::npos) << text;
    EXPECT_EQ(loop.find("r.lanes_1["), std::string::npos) << text;
    EXPECT_NE(loop.find("r.lanes_1.register_1[ramp(0, 1, 4)] = select(take, ramp(ko*4, 1, 4)"),
              std::string::npos)
        << text;
}

TEST(Selection, LanesOfAnotherAxisAreLeftAlone) {
    auto text = test::after(vectorize, R"(
program argmax
input A: i32[8]
output v: i32[8]
output r: i32[8]
launch argmax on host (A, v, r) {
    for k in 0..4 {
        vectorised for i in 0..8 {
            let take = r[i] == -2147483648 or A[i] > v[i] or A[i] == v[i] and k < r[i]
            v[i] = select(take, A[i], v[i])
            r[i] = select(take, k, r[i])
        }
    }
}
)");
    EXPECT_NE(text.find("v[ramp(0, 1, 8)] = select(take, A[ramp(0, 1, 8)], v[ramp(0, 1, 8)])"),
              std::string::npos)
        << text;
}

} // namespace
} // namespace loopscope::lower
