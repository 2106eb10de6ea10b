// Copies of boxes that leave their array: zeros outside are what the TMA fills in, and no
// other condition is.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_zero_borders {

using ::testing::HasSubstr;
using ::testing::Not;

// A tile of 4 rows and 16 columns that begins one row above and four columns to the left of its
// place.
const char* const kBordered = R"(
program p
input A: f32[30, 64]
output C: f32[32, 64]
launch C on device (A, C) {
    bound block.y for b in 0..8 {
        bound block.x for d in 0..4 {
            bound thread.x for t in 0..32 {
                allocate s: f32[4, 16] in shared
                acquire s.copies
                bound threads for i in 0..4 {
                    bound threads for k in 0..16 {
                        copy s.copies s[i, k] = A[min(max(b*4 + i - 1, 0), 29), min(max(d*16 + k - 4, 0), 63) where b*4 + i - 1 >= 0 and b*4 + i - 1 < 30 and (d*16 + k - 4 >= 0 and d*16 + k - 4 < 64)]
                    }
                }
                commit s.copies
                wait s.copies 0
                barrier block
                C[b*4 + t/8, d*16 + t%8] = s[t/8, t%8]
                C[b*4 + t/8, d*16 + t%8 + 8] = s[t/8, t%8 + 8]
                release s.copies
            }
        }
    }
}
)";

std::string bulk(const std::string& text) {
    TargetInfo target;
    target.bulk_tensor_copies = true;
    const auto program = bulk_copies(test::parsed(text), target);
    const auto errors = verify(program);
    EXPECT_TRUE(errors.empty()) << format(errors) << to_text(program);
    return to_text(program);
}

std::string with(const std::string& what, const std::string& by) {
    std::string text = kBordered;
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

TEST(ZeroBorders, AreTheEngines) {
    EXPECT_THAT(
        bulk(kBordered),
        HasSubstr("bulk copy s.copies s[0, 0] = A[b*4 - 1, d*16 - 4] of [4, 16] zeros by "));
}

TEST(ZeroBorders, OfSomeDimensionsAlone) {
    const auto text =
        with("min(max(d*16 + k - 4, 0), 63) where b*4 + i - 1 >= 0 and b*4 + i - 1 < 30 and "
             "(d*16 + k - 4 >= 0 and d*16 + k - 4 < 64)",
             "d*16 + k where b*4 + i - 1 >= 0 and b*4 + i - 1 < 30");
    EXPECT_THAT(bulk(text), HasSubstr("= A[b*4 - 1, d*16] of [4, 16]"));
}

// A border that no tile crosses loses both its clamp and its question.
TEST(ZeroBorders, OnOneSide) {
    const auto text = with("min(max(b*4 + i - 1, 0), 29), min(max(d*16 + k - 4, 0), 63) where b*4 "
                           "+ i - 1 >= 0 and b*4 + i - 1 < 30 and (d*16 + k - 4 >= 0 and",
                           "max(b*4 + i - 3, 0), min(d*16 + k, 63) where (b*4 + i - 3 >= 0 and");
    auto other = text;
    const std::string last = "d*16 + k - 4 < 64";
    other.replace(other.find(last), last.size(), "d*16 + k < 64");
    EXPECT_THAT(bulk(other), HasSubstr("= A[b*4 - 3, d*16] of [4, 16]"));
}

TEST(ZeroBorders, MayBeAskedOtherwise) {
    for (const auto& [what, by] : {
             std::pair{"b*4 + i - 1 >= 0", "0 <= b*4 + i - 1"},
             std::pair{"b*4 + i - 1 >= 0", "b*4 + i - 1 > -1"},
             std::pair{"b*4 + i - 1 >= 0", "i + b*4 - 1 >= 0"},
             std::pair{"b*4 + i - 1 < 30", "b*4 + i - 1 <= 29"},
             std::pair{"b*4 + i - 1 < 30", "30 > b*4 + i - 1"},
             std::pair{"min(max(b*4 + i - 1, 0), 29)", "max(min(b*4 + i - 1, 29), 0)"},
             std::pair{"min(max(b*4 + i - 1, 0), 29)", "b*4 + i - 1"},
         }) {
        SCOPED_TRACE(by);
        EXPECT_THAT(bulk(with(what, by)), HasSubstr("= A[b*4 - 1, d*16 - 4] of [4, 16]"));
    }
}

// The one row has index 0 whatever was clamped to it: which row is asked for stands in the mask
// alone.
TEST(ZeroBorders, OfArraysOfOneRow) {
    std::string text = with("A: f32[30, 64]", "A: f32[1, 64]");
    for (const auto& [what, by] : {std::pair{"min(max(b*4 + i - 1, 0), 29)", "0"},
                                   std::pair{"b*4 + i - 1 < 30", "b*4 + i - 1 < 1"}})
        text.replace(text.find(what), std::string(what).size(), by);
    EXPECT_THAT(bulk(text), HasSubstr("= A[b*4 - 1, d*16 - 4] of [4, 16]"));
    for (const auto& [what, by] :
         {std::pair{"b*4 + i - 1 < 1 and ", ""}, std::pair{"b*4 + i - 1 >= 0 and ", ""},
          std::pair{"b*4 + i - 1 < 1", "b*4 + i - 2 < 1"},
          std::pair{"b*4 + i - 1 < 1", "b*4 + i - 1 < 2"}}) {
        auto other = text;
        other.replace(other.find(what), std::string(what).size(), by);
        EXPECT_THAT(bulk(other), Not(HasSubstr("bulk"))) << what << by;
    }
}

// Each would copy something else.
TEST(ZeroBorders, OtherConditionsStayTheThreads) {
    const std::string below = "b*4 + i - 1 >= 0 and ";
    const std::pair<const char*, std::string> cases[] = {
        {"the first row again, not zeros", with(below, "")},
        {"the last row again, not zeros", with("b*4 + i - 1 < 30 and ", "")},
        {"zeros in the first row", with("b*4 + i - 1 >= 0", "b*4 + i - 1 >= 1")},
        {"zeros in the last row", with("b*4 + i - 1 < 30", "b*4 + i - 1 < 29")},
        {"the last row again before zeros", with("b*4 + i - 1 < 30", "b*4 + i - 1 < 31")},
        {"another row is asked for", with("b*4 + i - 1 >= 0", "b*4 + i - 2 >= 0")},
        {"another column is asked for", with("d*16 + k - 4 < 64", "d*16 + k*2 - 4 < 64")},
        {"one of two borders", with("b*4 + i - 1 >= 0 and", "b*4 + i - 1 >= 0 or")},
        {"a condition beside", with(below, below + "t < 16 and ")},
        {"every other column", with("d*16 + k - 4 >= 0", "k%2 == 0 and d*16 + k - 4 >= 0")},
        {"clamped to another row", with("max(b*4 + i - 1, 0)", "max(b*4 + i - 1, 1)")},
        {"turned", with("max(b*4 + i - 1, 0)", "max(b*4 - i - 1, 0)")},
    };
    for (const auto& [what, text] : cases) {
        SCOPED_TRACE(what);
        EXPECT_THAT(bulk(text), Not(HasSubstr("bulk")));
    }
}

// What is cut off to 32 bits may be inside of the array where the whole is not.
TEST(ZeroBorders, OfWideIndicesStayTheThreads) {
    std::string text = kBordered;
    const std::string row = "b*4 + i - 1", wide = "i64(b)*4i64 + i64(i) - 1i64";
    for (auto at = text.find(row); at != std::string::npos; at = text.find(row, at + wide.size()))
        text.replace(at, row.size(), wide);
    for (const auto& [what, by] :
         {std::pair{"max(" + wide + ", 0), 29)", "max(" + wide + ", 0i64), 29i64)"},
          std::pair{wide + " >= 0", wide + " >= 0i64"},
          std::pair{wide + " < 30", wide + " < 30i64"}}) {
        const auto at = text.find(what);
        ASSERT_NE(at, std::string::npos) << what;
        text.replace(at, std::string(what).size(), by);
    }
    EXPECT_THAT(bulk(text), Not(HasSubstr("bulk")));
}

} // namespace test_zero_borders
} // namespace loopscope::lower
