// Several indices become one, of 32 bits where that is enough.
#include "lower_support.h"

namespace loopscope::lower {
namespace test_flatten {

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

// 2^31 elements are one more than an index of 32 bits numbers.
TEST(Flatten, WidenFromTwoToThe31On) {
    EXPECT_EQ(
        test::after(
            flatten,
            test::on_host(
                "input a: f32[65536, 32767]\ninput b: f32[65536, 32768]\noutput out: f32[2, 3, 4]",
                R"(    for y in 0..2 {
        out[y, 1, 2] = a[y, 1] + b[y, 1]
    }
)")),
        R"(
program p flat
input a: f32[65536, 32767]
input b: f32[65536, 32768]
output out: f32[2, 3, 4]
launch p on host (a, b, out) {
    for y in 0..2 {
        out[y*12 + 6] = a[y*32767 + 1] + b[i64(y)*32768 + 1]
    }
}
)");
}

// Indices inside of indices, and memory of the program's own; what has one index keeps it.
TEST(Flatten, WhereverElementsAreNamed) {
    EXPECT_EQ(test::after(flatten,
                          test::on_host("input n: i32[8]\noutput out: f32[2, 3]\noutput o: f32[5]",
                                        R"(    let at = n[n[1]]
    allocate t: f32[2, 2] in register
    t[1, 0] = 1.0
    out[at, n[0]] = t[1, 0]
    o[at] = 1.0
)")),
              R"(
program p flat
input n: i32[8]
output out: f32[2, 3]
output o: f32[5]
launch p on host (n, out, o) {
    let at = n[n[1]]
    allocate t: f32[2, 2] in register
    t[2] = 1.0
    out[at*3 + n[0]] = t[2]
    o[at] = 1.0
}
)");
}

// Copies of a loop have lets of one name: what the first says of it holds in the first alone.
TEST(Flatten, LetsOfOneNameInCopies) {
    EXPECT_EQ(
        test::after(flatten, test::on_host("input a: f32[24]\ninput b: f32[6]\noutput out: f32[48]",
                                           R"(    for x in 0..8 {
        out[x] = b[i32(let t = x in a[min(t, 23)])]
    }
    for y in 0..40 {
        out[y + 8] = b[i32(let t = y + 8 in a[min(t, 23)])]
    }
)")),
        R"(
program p flat
input a: f32[24]
input b: f32[6]
output out: f32[48]
launch p on host (a, b, out) {
    for x in 0..8 {
        out[x] = b[i32(a[min(x, 23)])]
    }
    for y in 0..40 {
        out[y + 8] = b[i32(let t = y + 8 in a[min(t, 23)])]
    }
}
)");
}

} // namespace test_flatten
} // namespace loopscope::lower
