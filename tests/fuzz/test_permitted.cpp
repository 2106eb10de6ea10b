// What legality permits because it looks closely, run: iterations that machine arithmetic keeps
// apart, nests of two stages in turn, and definitions too long to be written without sharing.

#include "tests/fuzz/judge.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_permitted {

void expect_the_same(const std::string& pipeline, const std::string& lines,
                     std::uint64_t inputs = 3) {
    for (std::uint64_t seed = 1; seed <= inputs; ++seed) {
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

TEST(Permitted, NestsOfTheSameStagesInTurn) {
    const std::string stages = "input a: i32[9, 11]\nstage s[y, x]: i32 = a[y, x]*3\n"
                               "update s[y, x] += 5\nupdate s[y, x] *= a[y, x]\n"
                               "stage t[y, x]: i32 = a[y, x] + 1\nupdate t[y, x] *= 7\n"
                               "update t[y, x] += a[y, k] over k in 0..11\n"
                               "stage u[y, x]: i32 = s[y, x] - t[y, x]\noutput u: [9, 11]\n";
    for (const std::string lines :
         {"t.compute_with(s, x)\nt.update(0).compute_with(s.update(0), x)\n",
          "t.compute_with(s, y)\nt.update(0).compute_with(s.update(1), x)\n",
          "s.compute_with(t, y)\ns.update(0).compute_with(t.update(0), y)\n"
          "s.update(1).compute_with(t.update(1), x)\n",
          "s.compute_at(u, y)\nt.compute_at(u, y)\nt.compute_with(s, x)\n"
          "t.update(0).compute_with(s.update(0), x)\n",
          "s.parallel(y)\nt.parallel(y)\nt.compute_with(s, y)\n"
          "s.update(1).vectorize(x, 4)\nt.update(0).compute_with(s.update(0), y)\n"})
        expect_the_same(stages, lines);
}

// Stages that each read the one before twice: 2^n parts, of which few are different.
TEST(Permitted, DefinitionsThatShareWhatIsEqual) {
    LOOPSCOPE_TEST_IN_TURN(1, 3);
    for (const auto& [type, body] : std::vector<std::tuple<std::string, std::string>>{
             {"i32", "B[x - 1]*3 + B[x + 1]"},
             {"i32", "let t = B[x] + 1 in t*t - B[x + 2]"},
             {"f32", "B[x]*0.5 + B[x + 1]*B[x]"},
             {"f64", "exp(-abs(B[x])) + B[clamp(x - 1, 0, 20)]"},
             {"u8", "select(B[x] > 100, B[x - 2], B[x + 1])"},
             {"i32", "B[x] % 7 + l[clamp(B[x], 0, 9)]"}}) {
        std::string stages = "input l: i32[10]\ninput a: " + type +
                             "[24] boundary edge\nstage s0[x]: " + type + " = a[x]\n",
                    first, lines;
        constexpr int kStages = 15, kCopied = 4;
        for (int i = 1; i < kStages; ++i) {
            auto value = body;
            const auto before = "s" + std::to_string(i - 1);
            for (auto at = value.find('B'); at != std::string::npos; at = value.find('B'))
                value.replace(at, 1, before);
            stages += "stage s" + std::to_string(i) + "[x]: " + type + " = " + value + "\n";
            // What reads the copied stage is inlined before it is: the last stage reads it then.
            (i - 1 > kCopied ? first : lines) += before + ".inline()\n";
        }
        const auto last = "s" + std::to_string(kStages - 1);
        stages += "stage o[x]: " + type + " = " + last + "[x]\nupdate o[x] += " + last +
                  "[x + k] over k in 0..3\noutput o: [17]\n";
        for (const std::string more :
             {"", "o.vectorize(x, 8)\n", "o.split(x, xo, xi, 5, shift)\no.parallel(xo)\n",
              type.starts_with("f") ? "*.contract()\n" : "", "o.update(0).unroll(k)\n"})
            expect_the_same(stages, first + lines + more, 1); // each compiles for long
        const auto copied = "s" + std::to_string(kCopied);
        expect_the_same(stages,
                        first + "c = " + last + ".cache_read(" + copied + ", local)\n" + lines, 1);
    }
}

} // namespace test_permitted
