#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(JoinLets, OfEqualValuesTheOutermostIsLeft) {
    EXPECT_EQ(test::after(join_lets, test::on_device("input a: f32[64]\noutput out: f32[64]",
                                                     R"(    bound thread.x for t in 0..16 {
        let s.min = t*4 - 1
        allocate s: f32[6] in register
        s[0] = a[max(s.min, 0)]
        let r.min = t*4 - 1
        allocate r: f32[6] in register
        r[0] = s[r.min - s.min]
        let from = r.min + 1
        let to = s.min + 1
        out[from] = r[to - from]
    }
)")),
              test::on_device("input a: f32[64]\noutput out: f32[64]",
                              R"(    bound thread.x for t in 0..16 {
        let s.min = t*4 - 1
        allocate s: f32[6] in register
        s[0] = a[max(s.min, 0)]
        allocate r: f32[6] in register
        r[0] = s[s.min - s.min]
        let from = s.min + 1
        out[from] = r[from - from]
    }
)"));
}

// Lets side by side do not see each other; what is loaded may have changed since; and another type
// is another value.
TEST(JoinLets, OthersStay) {
    const std::string text = test::on_device("input a: f32[64]\noutput out: f32[64]",
                                             R"(    bound thread.x for t in 0..16 {
        allocate s: f32[1] in register
        if t < 3 {
            let x = t*4
            out[x] = 1.0
        } else {
            let y = t*4
            out[y] = 2.0
        }
        s[0] = a[t]
        let before = s[0]
        s[0] = before + 1.0
        let after = s[0]
        out[t] = before + after
        let wide = i64(t)
        let narrow = t
        out[wide + i64(narrow)] = 3.0
    }
)");
    EXPECT_EQ(test::after(join_lets, text), text);
}

} // namespace
} // namespace loopscope::lower
