#include "lower_support.h"

namespace loopscope::lower {
namespace test_promote_tiles {

std::string body(const std::string& statements) {
    return R"(
program p
input a: f32[64, 64]
input b: f32[64, 64]
output c: f32[64, 64]
launch p on host (a, b, c) {
    for i in 0..8 {
)" + statements +
           "    }\n}\n";
}

std::string promoted(const std::string& statements) {
    return test::after(promote_tiles, body(statements));
}

void stays(const std::string& statements) {
    EXPECT_EQ(promoted(statements), "\n" + to_text(test::parsed(body(statements))));
}

TEST(PromoteTiles, OfVectorsWithTheirFirstValues) {
    EXPECT_EQ(promoted(R"(
        unrolled for r_first in 0..4 {
            c[i*4 + r_first, ramp(0, 1, 8)] = broadcast(0.0, 8)
        }
        for k in 0..64 {
            unrolled for r in 0..4 {
                c[i*4 + r, ramp(0, 1, 8)] = c[i*4 + r, ramp(0, 1, 8)] + broadcast(a[i*4 + r, k], 8)*b[k, ramp(0, 1, 8)]
            }
        }
)"),
              body(R"(        allocate c.tile_1: f32[4, 8] in register
        unrolled for r_first in 0..4 {
            c.tile_1[r_first - 0, ramp(0, 1, 8)] = broadcast(0.0, 8)
        }
        for k in 0..64 {
            unrolled for r in 0..4 {
                c.tile_1[r - 0, ramp(0, 1, 8)] = c.tile_1[r - 0, ramp(0, 1, 8)] + broadcast(a[i*4 + r, k], 8)*b[k, ramp(0, 1, 8)]
            }
        }
        unrolled for r_1 in 0..4 {
            c[i*4 + r_1, ramp(0, 1, 8)] = c.tile_1[r_1 - 0, ramp(0, 1, 8)]
        }
)"));
}

// Two axes, of which one does not begin at 0; a third loop, which does not move the place; nothing
// stored before.
TEST(PromoteTiles, OfScalarsThatAreLoaded) {
    EXPECT_EQ(promoted(R"(
        for k in 0..16 {
            unrolled for j in 2..4 {
                unrolled for u in 0..4 {
                    unrolled for r in 0..4 {
                        c[i*4 + r, j] = c[i*4 + r, j] + a[i*4 + r, k*4 + u]*b[k*4 + u, j]
                    }
                }
            }
        }
)"),
              body(R"(        allocate c.tile_1: f32[2, 4] in register
        unrolled for j_1 in 2..4 {
            unrolled for r_1 in 0..4 {
                c.tile_1[j_1 - 2, r_1 - 0] = c[i*4 + r_1, j_1]
            }
        }
        for k in 0..16 {
            unrolled for j in 2..4 {
                unrolled for u in 0..4 {
                    unrolled for r in 0..4 {
                        c.tile_1[j - 2, r - 0] = c.tile_1[j - 2, r - 0] + a[i*4 + r, k*4 + u]*b[k*4 + u, j]
                    }
                }
            }
        }
        unrolled for j_2 in 2..4 {
            unrolled for r_2 in 0..4 {
                c[i*4 + r_2, j_2] = c.tile_1[j_2 - 2, r_2 - 0]
            }
        }
)"));
}

TEST(PromoteTiles, NotWhatIsNoTile) {
    // Two iterations meet in one element.
    stays(R"(
        for k in 0..64 {
            unrolled for r in 0..4 {
                unrolled for s in 0..4 {
                    c[i, r + s] = c[i, r + s] + a[k, r]
                }
            }
        }
)");
    // Lanes overlap.
    stays(R"(
        for k in 0..64 {
            unrolled for r in 0..4 {
                c[i, ramp(r*4, 1, 8)] = c[i, ramp(r*4, 1, 8)] + broadcast(a[k, r], 8)
            }
        }
)");
    // Another place is read.
    stays(R"(
        for k in 0..64 {
            unrolled for r in 0..4 {
                c[i, r] = c[i, r] + c[i, r + 4]
            }
        }
)");
    // The loop moves the place.
    stays(R"(
        for k in 0..64 {
            unrolled for r in 0..4 {
                c[k, r] = c[k, r] + a[k, r]
            }
        }
)");
    // Not in every run.
    stays(R"(
        for k in 0..64 {
            if k < i {
                unrolled for r in 0..4 {
                    c[i, r] = c[i, r] + a[k, r]
                }
            }
        }
)");
    stays(R"(
        for k in 0..i {
            unrolled for r in 0..4 {
                c[i, r] = c[i, r] + a[k, r]
            }
        }
)");
    // Threads share it.
    stays(R"(
        for k in 0..64 {
            parallel for m in 0..4 {
                unrolled for r in 0..4 {
                    c[i, r] = c[i, r] + a[m, r]
                }
            }
        }
)");
    // Too large for registers.
    stays(R"(
        for k in 0..64 {
            unrolled for r in 0..8 {
                unrolled for s in 0..16 {
                    c[r, s] = c[r, s] + a[k, r]
                }
            }
        }
)");
}

TEST(PromoteTiles, NotOnceMoreALocalBufferOfItsSize) {
    stays(R"(
        allocate t: f32[4, 8] in local
        unrolled for f in 0..4 {
            t[f, ramp(0, 1, 8)] = broadcast(0.0, 8)
        }
        for k in 0..64 {
            unrolled for r in 0..4 {
                t[r, ramp(0, 1, 8)] = t[r, ramp(0, 1, 8)] + broadcast(a[r, k], 8)
            }
        }
        unrolled for g in 0..4 {
            c[i*4 + g, ramp(0, 1, 8)] = t[g, ramp(0, 1, 8)]
        }
)");
}

} // namespace test_promote_tiles
} // namespace loopscope::lower
