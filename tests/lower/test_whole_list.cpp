// Whole programs through the whole list, as golden files: what a change to any pass does to them is
// seen in review.
#include "lower_support.h"

#include "tests/support/support.h"

namespace loopscope::lower {
namespace {

std::string lowered(const std::string& text) {
    LowerOptions options;
    options.verify_each = true;
    auto program = run_passes(test::parsed(text), options);
    EXPECT_TRUE(program.ok());
    return program ? to_text(*program) : format(program.errors());
}

// A register tile of 2 by 2 vectors whose sizes do not divide: no guard may be left in its
// interior, and nothing but registers may be touched between two loads of A and B.
TEST(WholeList, Matmul) {
    auto text = lowered(R"(
program matmul
input A: f32[500, 500]
input B: f32[500, 500]
output C: f32[500, 500]
launch matmul on host (A, B, C) {
    parallel for C.io in 0..250 {
        for C.jo in 0..16 {
            unrolled for C.ii.init in 0..2 {
                unrolled for C.jv.init in 0..2 {
                    vectorised for C.ji.init in 0..16 {
                        if C.jo*32 + (C.jv.init*16 + C.ji.init) < 500 {
                            C[C.io*2 + C.ii.init, C.jo*32 + (C.jv.init*16 + C.ji.init)] = 0.0
                        }
                    }
                }
            }
            for C.ko in 0..16 {
                for C.ki in 0..32 {
                    unrolled for C.ii in 0..2 {
                        unrolled for C.jv in 0..2 {
                            vectorised for C.ji in 0..16 {
                                if C.jo*32 + (C.jv*16 + C.ji) < 500 and C.ko*32 + C.ki < 500 {
                                    C[C.io*2 + C.ii, C.jo*32 + (C.jv*16 + C.ji)] = fma(A[C.io*2 + C.ii, C.ko*32 + C.ki], B[C.ko*32 + C.ki, C.jo*32 + (C.jv*16 + C.ji)], C[C.io*2 + C.ii, C.jo*32 + (C.jv*16 + C.ji)])
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
)");
    auto difference = loopscope::test::golden_difference("lower/matmul.txt", text);
    EXPECT_TRUE(difference.empty()) << difference;
}

// A producer in tiles with a clamped input: the interior reads vectors, not gathers.
TEST(WholeList, Blur) {
    auto text = lowered(R"(
program blur
input img: f32[1080, 1918]
output by: f32[1080, 1918]
launch blur on host (img, by) {
    parallel for by.yo in 0..34 {
        let bx.y.min = max(by.yo*32 - 1, 0)
        allocate bx: f32[34, 1918] in local
        for bx.y in 0..34 {
            for bx.xo in 0..240 {
                vectorised for bx.xi in 0..8 {
                    if bx.xo*8 + bx.xi < 1918 {
                        bx[bx.y, bx.xo*8 + bx.xi] = img[min(bx.y.min + bx.y, 1079), max(bx.xo*8 + bx.xi - 1, 0)] + img[min(bx.y.min + bx.y, 1079), min(bx.xo*8 + bx.xi + 1, 1917)]
                    }
                }
            }
        }
        for by.yi in 0..32 {
            for by.xo in 0..240 {
                vectorised for by.xi in 0..8 {
                    if by.yo*32 + by.yi < 1080 and by.xo*8 + by.xi < 1918 {
                        by[by.yo*32 + by.yi, by.xo*8 + by.xi] = bx[max(by.yo*32 + by.yi - 1, 0) - bx.y.min, by.xo*8 + by.xi] + bx[by.yo*32 + by.yi - bx.y.min, by.xo*8 + by.xi]
                    }
                }
            }
        }
    }
}
)");
    auto difference = loopscope::test::golden_difference("lower/blur.txt", text);
    EXPECT_TRUE(difference.empty()) << difference;
}

} // namespace
} // namespace loopscope::lower
