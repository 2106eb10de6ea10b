#include "lower_support.h"

namespace loopscope::lower {
namespace test_merge_lanes {

// As c_passes has it: the canonical form shows what was merged.
std::string merged(const std::string& text) {
    auto program = merge_lanes(test::parsed(text), TargetInfo{});
    auto errors = verify(program);
    EXPECT_TRUE(errors.empty()) << format(errors) << to_text(program);
    program = simplify(program, TargetInfo{});
    errors = verify(program);
    EXPECT_TRUE(errors.empty()) << format(errors) << to_text(program);
    return "\n" + to_text(program);
}

std::string body(const std::string& statements) {
    return R"(
program p
input a: f32[8, 260]
input n: i32[4]
output out: f32[8, 256]
output two: f32[8, 256]
launch p on host (a, n, out, two) {
    for y in 0..8 {
)" + statements +
           "    }\n}\n";
}

void stays(const std::string& statements) {
    auto text = "\n" + to_text(simplify(test::parsed(body(statements)), TargetInfo{}));
    EXPECT_EQ(merged(body(statements)), text);
}

TEST(MergeLanes, ChunksOfNeighbours) {
    EXPECT_EQ(merged(body(R"(
        for x in 2..16 {
            out[y, ramp(x*16, 1, 16)] = a[y, ramp(x*16 + 3, 1, 16)]*broadcast(a[y, 0], 16)
        }
)")),
              body(R"(        vectorised for x in 32..256 {
            out[y, x] = a[y, x + 3]*a[y, 0]
        }
)"));
}

TEST(MergeLanes, EndsAtTheMaskOfATail) {
    EXPECT_EQ(merged(body(R"(
        for x in 8..16 {
            if y*16 + x*16 < 230 {
                let mask = ramp(y*16 + x*16, 1, 16) < broadcast(230, 16)
                out[y, ramp(x*16, 1, 16) where mask] = a[y, ramp(x*16, 1, 16) where mask]
            }
        }
)")),
              body(R"(        vectorised for x in 128..+102 - y*16 {
            out[y, x] = a[y, x]
        }
)"));
}

TEST(MergeLanes, AMaskedVectorByItself) {
    EXPECT_EQ(merged(body(R"(
        let mask = ramp(240, 1, 16) <= broadcast(250, 16)
        out[y, ramp(240, 1, 16) where mask] = a[y, ramp(242, 1, 16) where mask]
)")),
              body(R"(        vectorised for lane_1 in 0..11 {
            out[y, lane_1 + 240] = a[y, lane_1 + 242]
        }
)"));
}

TEST(MergeLanes, ConditionsOfTheRowMoveOut) {
    EXPECT_EQ(merged(body(R"(
        for x in 0..16 {
            if y < 3 {
                out[y, ramp(x*16, 1, 16)] = a[y, ramp(x*16, 1, 16)]
            } else {
                let square = a[y, ramp(x*16, 1, 16)]*a[y, ramp(x*16, 1, 16)]
                block {
                    out[y, ramp(x*16, 1, 16)] = square
                    two[y, ramp(x*16, 1, 16)] = out[y, ramp(x*16, 1, 16)] + square
                }
            }
        }
)")),
              body(R"(        if y < 3 {
            vectorised for x in 0..256 {
                out[y, x] = a[y, x]
            }
        } else {
            vectorised for x_1 in 0..256 {
                let square = a[y, x_1]*a[y, x_1]
                out[y, x_1] = square
                two[y, x_1] = out[y, x_1] + square
            }
        }
)"));
}

// A mask that is more than an end stays one; a condition on whole vectors that does not follow from
// the mask must stay.
TEST(MergeLanes, OtherMasks) {
    EXPECT_EQ(merged(body(R"(
        for x in 0..16 {
            let mask = a[y, ramp(x*16, 1, 16)] < broadcast(0.5, 16)
            out[y, ramp(x*16, 1, 16) where mask] = a[y, ramp(x*16, 1, 16) where mask]
        }
)")),
              body(R"(        vectorised for x in 0..256 {
            let mask = a[y, x] < 0.5
            out[y, x where mask] = a[y, x where mask]
        }
)"));
    stays(R"(
        for x in 0..16 {
            if x*16 < 99 {
                out[y, ramp(x*16, 1, 16)] = a[y, ramp(x*16, 1, 16)]
            }
        }
)");
    EXPECT_EQ(merged(body(R"(
        for x in 0..16 {
            if x*16 < 99 {
                let mask = ramp(x*16, 1, 16) < broadcast(101, 16)
                out[y, ramp(x*16, 1, 16) where mask] = a[y, ramp(x*16, 1, 16) where mask]
            }
        }
)")),
              body(R"(        for x in 0..16 {
            if x*16 < 99 {
                vectorised for lane_1 in 0..min(101 - x*16, 16) {
                    out[y, x*16 + lane_1] = a[y, x*16 + lane_1]
                }
            }
        }
)"));
}

TEST(MergeLanes, NotWhereElementsDependOnEachOther) {
    stays(R"(
        for x in 1..16 {
            out[y, ramp(x*16, 1, 16)] = out[y, ramp(x*16 - 16, 1, 16)] + a[y, ramp(x*16, 1, 16)]
        }
)");
    stays(R"(
        for x in 0..16 {
            out[y, ramp(0, 1, 16)] = out[y, ramp(0, 1, 16)] + a[y, ramp(x*16, 1, 16)]
        }
)");
    stays(R"(
        for x in 0..16 {
            block {
                out[y, ramp(x*16, 1, 16)] = a[y, ramp(x*16, 1, 16)]
                two[y, ramp(x*16, 1, 16)] = out[y, ramp(255 - x*16, -1, 16)]
            }
        }
)");
}

TEST(MergeLanes, NotWhereTheChunkOrTheLaneCountsByItself) {
    stays(R"(
        for x in 0..8 {
            out[y, ramp(x*16, 1, 16)] = a[y, ramp(x*16, 1, 16)]*broadcast(a[y, x], 16)
        }
)");
    stays(R"(
        for x in 0..8 {
            out[y, ramp(x*32, 1, 16)] = a[y, ramp(x*32, 1, 16)]
        }
)");
    stays(R"(
        for x in 0..8 {
            out[y, ramp(x*16, 1, 16)] = a[y, ramp(x*16, 1, 16)]*a[y, ramp(0, 1, 16)]
        }
)");
    stays(R"(
        for x in 0..8 {
            out[y, ramp(min(x, 3)*16 + x*16, 1, 16)] = a[y, ramp(0, 0, 16)]
        }
)");
}

} // namespace test_merge_lanes
} // namespace loopscope::lower
