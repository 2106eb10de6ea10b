// What legality permits because it looks closely, run: iterations that machine arithmetic keeps apart.

#include "tests/fuzz/judge.h"

#include <gtest/gtest.h>

#include <string>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_permitted {

void expect_the_same(const std::string& pipeline, const std::string& lines) {
    for (std::uint64_t seed : {1, 2, 3}) {
        const Pair pair{"pipeline p\n" + pipeline, "schedule for p\n" + lines, seed};
        JudgeOptions options;
        options.interpret = true;
        const auto verdict = judge(pair, options);
        EXPECT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
    }
}

TEST(Permitted, IterationsThatMachineArithmeticKeepsApart) {
    for (const std::string index : {"r << 1", "r ^ 5", "i32(u8(r + 250))", "(r << 2 | 3) ^ 21",
                                    "~r & 63", "(r*5) & 63", "i32(u8(r)*7u8) & 255"})
        for (const std::string value : {"a[r]", "f[y, X]*3 + a[r]"}) {
            auto update = "update f[y, X] = " + value + " over r in 0..53\n";
            for (auto at = update.find('X'); at != std::string::npos; at = update.find('X'))
                update.replace(at, 1, index);
            for (const std::string line : {"parallel(r)", "vectorize(r, 8)", "reorder(r, y)",
                                           "split(r, ro, ri, 4)\nf.update(0).reorder(ri, ro)"})
                expect_the_same("input a: i32[53]\nstage f[y, x]: i32 = x + 2*y\n" + update +
                                    "output f: [3, 200]\n",
                                "f.update(0)." + line + "\n");
        }
}

} // namespace test_permitted
