// Tails of splits and layouts of storage through every path, on awkward sizes: the interpreter of
// loop programs before and after the passes, and compiled code on two threads, against the
// reference.

#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/statements.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/fuzz/judge.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_tails {

void expect(const std::string& pipeline, const std::string& schedule) {
    for (std::uint64_t seed : {1, 2, 4}) { // small whole numbers, reals, hostile ones
        Pair pair{"pipeline p\n" + pipeline, "schedule for p\n" + schedule, seed};
        JudgeOptions options;
        options.interpret = true;
        auto verdict = judge(pair, options);
        ASSERT_EQ(verdict.outcome, Outcome::Agree) << report(pair, verdict);
    }
}

// a is read around b's points, also at negative ones; b at o's.
std::string chain(int height, int width) {
    return "input src[y, x]: f32[9, 11] boundary mirror\n"
           "stage a[y, x] = src[y, x] * 1.5\n"
           "stage b[y, x] = a[y - 1, x - 2] + a[y + 1, x + 1] * 0.5\n"
           "stage o[y, x] = b[y, x] - b[y, x + 1]\n"
           "output o: [" +
           std::to_string(height) + ", " + std::to_string(width) + "]\n";
}

// Conditions and masks of the program after all passes.
int conditions(const std::string& pipeline, const std::string& schedule) {
    auto loaded =
        load_pipeline(std::make_shared<SourceFile>("p.loop", "pipeline p\n" + pipeline), {});
    auto parsed = parse_schedule(
        std::make_shared<SourceFile>("p.sched", "schedule for p\n" + schedule), nullptr);
    auto tree = schedule_tree(loaded->pipeline, *parsed, {});
    auto program = lower::run_passes(*lower::build(**tree), {});
    EXPECT_TRUE(program.ok()) << format(program.errors());
    int count = 0;
    for (const auto& launch : program->launches)
        lower::visit_statements(launch.body, [&](const lower::Statement& s) {
            count += s.kind == lower::StatementKind::If || (s.access && s.access->mask);
            for (const auto& e : lower::expressions(s))
                visit(e, [&](const Expr& x) {
                    count += x.kind == ExprKind::MaskedLoad || x.kind == ExprKind::Select;
                    return true;
                });
            return true;
        });
    return count;
}

const int kAwkward[] = {1, 3, 4, 5, 7, 8, 9}; // F-1, F, F+1, 2F-1, … of factor 4

TEST(TailPrograms, ShiftOfAnOutput) {
    for (int n : kAwkward) {
        expect(chain(3, n), "o.split(x, xo, xi, 4, shift)\n");
        expect(chain(3, n), "o.vectorize(x, 4, shift)\no.parallel(y)\n");
        expect(chain(n, 3), "o.unroll(y, 4, shift)\n");
        expect(chain(n, 10 - n), "o.tile(y, x, yo, xo, yi, xi, 4, 3, shift)\no.vectorize(xi)\n");
    }
}

// That is their point.
TEST(TailPrograms, ShiftedAndPaddedVectorsHaveNoMasks) {
    std::string two = "input v[y, x]: f32[6, 21]\nstage a[y, x] = v[y, x] * 2.0\n"
                      "stage b[y, x] = a[y, x] + 1.0\nstage o[y, x] = b[x, y] - 1.0\n"
                      "output o: [21, 6]\n";
    EXPECT_GT(conditions(two, "a.vectorize(x, 8)\n"), 0);
    EXPECT_EQ(conditions(two,
                         "a.vectorize(x, 8, shift)\nb.tile(y, x, yo, xo, yi, xi, 4, 8, shift)\n"
                         "b.vectorize(xi)\n"),
              0);
    auto bounded = two;
    bounded.replace(bounded.find("\n"), 1, " boundary edge\n");
    EXPECT_EQ(conditions(two, "a.vectorize(x, 8, shift)\no.vectorize(y, 4, shift)\n"), 0);
    EXPECT_EQ(conditions(bounded, "b.vectorize(x, 8, pad)\n"), 0);
}

TEST(TailPrograms, ShiftOfParallelLoops) {
    for (int n : kAwkward) {
        expect(chain(2, n), "o.split(x, xo, xi, 4, shift)\no.parallel(xo)\no.vectorize(xi)\n");
        expect(chain(2, n), "o.split(x, xo, xi, 4, shift)\no.reorder(xi, xo)\no.parallel(xi)\n");
        expect(chain(2, n), "o.split(x, xo, xi, 4, shift)\no.parallel(xi)\n");
    }
}

TEST(TailPrograms, ProducersInsideShiftedTiles) {
    for (int n : kAwkward) {
        expect(chain(n, 7), "o.tile(y, x, yo, xo, yi, xi, 4, 4, shift)\n"
                            "b.compute_at(o, xo)\nb.vectorize(x, 4, shift)\n"
                            "a.compute_at(b, y)\na.vectorize(x, 4, pad)\n");
        expect(chain(n, 9), "o.split(y, yo, yi, 4, shift)\nb.compute_at(o, yo)\n"
                            "b.split(y, yo, yi, 2, pad)\na.compute_at(b, yo)\n");
    }
}

TEST(TailPrograms, PadAndWhatItReads) {
    for (int n : kAwkward) {
        expect(chain(n, n), "b.tile(y, x, yo, xo, yi, xi, 4, 3, pad)\nb.vectorize(xi)\n"
                            "b.parallel(yo)\na.vectorize(x, 8, pad)\n");
        expect(chain(n, n), "b.fuse(y, x, f)\nb.split(f, fo, fi, 8, pad)\nb.vectorize(fi)\n"
                            "b.parallel(fo)\n");
    }
}

TEST(TailPrograms, NestedTails) {
    for (int n : kAwkward) {
        expect(chain(2, n), "b.split(x, xo, xi, 2, shift)\nb.split(xo, xp, xq, 3, shift)\n"
                            "o.split(x, xo, xi, 5, shift)\no.split(xi, xp, xq, 3, shift)\n"
                            "a.split(x, xo, xi, 3)\na.split(xo, xp, xq, 2, pad)\n");
        expect(chain(4, n), "b.split(x, xo, xi, 3, shift)\nb.fuse(y, xo, f)\n"
                            "b.split(f, fo, fi, 4, shift)\nb.reorder(xi, fo, fi)\n"
                            "a.split(x, xo, xi, 3, pad)\na.fuse(y, xo, f)\n"
                            "a.split(f, fo, fi, 5, shift)\n");
    }
}

TEST(TailPrograms, ReductionsAndUpdatesPad) {
    for (int n : kAwkward) {
        auto extent = std::to_string(n);
        std::string sums =
            "input v[y, x]: i32[9, 11] boundary wrap\n"
            "stage s[y]: i32 = sum[k in 0..5 where k + y > 2](v[y - 1, k] * (y + k))\n"
            "update s[y] += v[y, 2]\n"
            "update s[y] *= s[y] + k over k in 0..3\n"
            "stage o[y]: i32 = s[y] - s[y + 1]\noutput o: [" +
            extent + "]\n";
        expect(sums, "s.split(y, yo, yi, 4, pad)\ns.reorder(yo, k, yi)\ns.vectorize(yi)\n");
        expect(sums, "s.update(0).vectorize(y, 4, pad)\ns.update(1).split(y, yo, yi, 3, pad)\n"
                     "s.update(1).parallel(yo)\n");
        expect(sums, "o.split(y, yo, yi, 3, shift)\ns.compute_at(o, yo)\n"
                     "s.update(1).vectorize(y, 8, pad)\ns.unroll(y, 3, pad)\n");
    }
}

// What a padded tail computes beyond is stored where nothing else lies, of outputs of others too.
TEST(TailPrograms, PadOfWhatAnOutputIsReadBy) {
    expect("input v[x]: f32[10] boundary edge\nstage o[x] = v[x] * 2.0\nstage c[x] = o[x + 1]\n"
           "stage p[x] = c[x] + 1.0\noutput o: [7]\noutput p: [9]\n",
           "c.vectorize(x, 4, pad)\no.vectorize(x, 4, shift)\n");
}

TEST(StoragePrograms, Layouts) {
    for (const char* layout :
         {"a.reorder_storage(x, y)\n", "a.pad_storage(x, 5)\n", "a.pad_storage(y, 2)\n",
          "a.reorder_storage(x, y)\na.pad_storage(y, 3)\nb.reorder_storage(x, y)\n",
          "a.pad_storage(x, 1)\nb.pad_storage(x, 3)\nb.reorder_storage(x, y)\n"})
        for (const char* loops :
             {"", "o.split(y, yo, yi, 4)\na.compute_at(b, y)\nb.compute_at(o, yo)\n",
              "a.vectorize(x, 4, pad)\nb.vectorize(y, 4, shift)\no.vectorize(x, 8)\n",
              "a.reorder(x, y)\na.parallel(x)\na.vectorize(y, 4)\nb.unroll(x, 2)\n"})
            expect(chain(7, 9), std::string(loops) + layout);
}

TEST(StoragePrograms, OfThreeDimensionsReductionsAndUpdates) {
    expect("input A[i, k]: f32[6, 9]\ninput B[k, j]: f32[9, 7] boundary zero\n"
           "stage C[i, j]: f32 = sum[k in 0..9](A[i, k] * B[k, j])\n"
           "update C[i, j] += 1.0\nstage o[i, j] = C[i, j]\noutput o: [6, 7]\n",
           "Bs = C.cache_read(B, local)\nBs.reorder_storage(j, k)\nBs.pad_storage(k, 7)\n"
           "C.reorder_storage(j, i)\nC.pad_storage(i, 2)\nC.vectorize(j, 4, pad)\n"
           "Bs.vectorize(j, 4, shift)\n"
           "C.update(0).vectorize(i, 4)\n");
    expect("input v[c, y, x]: u8[3, 5, 6] boundary edge\n"
           "stage t[c, y, x]: i32 = i32(v[c, y, x]) + i32(v[c, y - 1, x])\n"
           "stage o[c, y, x] = t[c, x, y] * 2\noutput o: [3, 4, 4]\n",
           "t.reorder_storage(y, x, c)\nt.pad_storage(c, 1)\nt.vectorize(c)\nt.fuse(y, x, f)\n"
           "t.split(f, fo, fi, 5, pad)\n");
    expect("input v[y]: i32[50] boundary edge\nstage h[i, j]: i32 = 0\n"
           "update h[v[r] % 7, v[r] % 5] += r over r in 0..50\n"
           "stage o[i, j] = h[i, j]\noutput o: [7, 5]\n",
           "h.reorder_storage(j, i)\nh.pad_storage(i, 1)\n");
}

// Pairs that the fuzzer found.
TEST(TailPrograms, APointStoredAgainAndAgainIsNoAccumulator) {
    expect("input v[y, x]: f32[12, 9] boundary zero\nstage a[y, x] = v[y, x - 1]\n"
           "stage o[y, x] = a[y, x] + 1.0\noutput o: [3, 6]\n",
           "a.split(x, xo, xi, 4, shift)\na.split(xo, xp, xq, 3, pad)\na.split(xi, xr, xs, 2)\n"
           "a.reorder(y, xr, xp, xs, xq)\n");
}

} // namespace test_tails
