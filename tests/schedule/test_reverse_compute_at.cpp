// S.reverse_compute_at(P, a): the lines that it stands for, what they make, and why it stands for
// none.
#include "core/language/expand_schedule.h"
#include "core/schedule/recipe.h"
#include "tests/schedule/scheduling.h"
#include "tests/support/must.h"

namespace loopscope::test {
namespace test_reverse_compute_at {

using testing::HasSubstr;

// The product with one stage that reads C, the output.
PipelinePtr with_reader(const std::string& reader, const std::string& name = "out",
                        const std::string& extents = "[64, 48]", const std::string& more = "") {
    return parsed("pipeline product\ninput A[i, k]: f32[64, 96]\ninput B[k, j]: f32[96, 48]\n"
                  "stage C[i, j] = sum[k in 0..96](A[i, k]*B[k, j])\n" +
                  reader + "\noutput " + name + ": " + extents + "\n" + more);
}

PipelinePtr relu() { return with_reader("stage out[y, x] = max(C[y, x], 0.0)"); }

// The lines in place of the last one, which is the recipe.
std::string lines_of(const PipelinePtr& pipeline, const std::string& lines) {
    const auto script = std::make_shared<SourceFile>("s.sched", "schedule for product\n" + lines);
    const auto expanded = expand_schedule_source(script, pipeline, {});
    if (!expanded)
        return format(expanded.errors());
    const auto from = expanded->find('\n', expanded->find("\n# ") + 1);
    return expanded->substr(from + 1);
}

TEST(ReverseComputeAt, ItsLoopsAreThoseOfWhatItReads) {
    const std::string tiled = "C.tile(i, j, io, jo, ii, ji, 16, 8)\n";
    EXPECT_EQ(lines_of(relu(), tiled + "out.reverse_compute_at(C, jo)\n"),
              "out.split(y, io, ii, 16)\nout.split(x, jo, ji, 8)\nout.reorder(io, jo, ii, ji)\n"
              "C.compute_at(out, jo)\n");
    EXPECT_EQ(lines_of(relu(), tiled + "out.reverse_compute_at(C, io)\n"),
              "out.split(y, io, ii, 16)\nC.compute_at(out, io)\n");
    EXPECT_EQ(lines_of(relu(), "C.reorder(j, i)\nout.reverse_compute_at(C, j)\n"),
              "out.reorder(x, y)\nC.compute_at(out, x)\n");
    // A split of a split, of which one part alone is shared; a fused loop, of loops that do not
    // stand together in the reader.
    EXPECT_EQ(lines_of(relu(), "C.split(i, io, ii, 16)\nC.split(ii, im, ir, 4)\n"
                               "out.reverse_compute_at(C, im)\n"),
              "out.split(y, io, yi, 16)\nout.split(yi, im, ir, 4)\nC.compute_at(out, im)\n");
    EXPECT_EQ(lines_of(relu(), tiled + "C.fuse(io, jo, t)\nout.reverse_compute_at(C, t)\n"),
              "out.split(y, yo, ii, 16)\nout.split(x, xo, ji, 8)\nout.reorder(yo, xo, ii, ji)\n"
              "out.fuse(yo, xo, t)\nC.compute_at(out, t)\n");
}

TEST(ReverseComputeAt, ItsLoopsRunAsThoseDid) {
    EXPECT_EQ(
        lines_of(relu(), "C.tile(i, j, io, jo, ii, ji, 16, 8)\nC.parallel(io)\nC.unroll(jo)\n"
                         "out.reverse_compute_at(C, jo)\n"),
        "out.split(y, io, ii, 16)\nout.split(x, jo, ji, 8)\nout.reorder(io, jo, ii, ji)\n"
        "out.parallel(io)\nout.unroll(jo)\nC.serial(io)\nC.serial(jo)\nC.compute_at(out, jo)\n");
    EXPECT_EQ(lines_of(relu(), "C.gpu_tile(i, j, io, jo, ii, ji, 16, 16)\nC.persistent(io)\n"
                               "out.reverse_compute_at(C, jo)\n"),
              "out.split(y, io, ii, 16)\nout.split(x, jo, ji, 16)\nout.reorder(io, jo, ii, ji)\n"
              "out.bind(io, block.y)\nout.persistent(io)\nout.bind(jo, block.x)\n"
              "C.serial(io)\nC.serial(jo)\nC.compute_at(out, jo)\n");
}

TEST(ReverseComputeAt, TheTreeIsThatOfItsLines) {
    const auto before = "C.tile(i, j, io, jo, ii, ji, 16, 8)\n";
    const auto text = to_text(
        *tree_of(scheduled(relu(), std::string(before) + "out.reverse_compute_at(C, jo)\n")));
    EXPECT_THAT(text, HasSubstr("C storage f32 [16, 8]"));
    EXPECT_EQ(text, to_text(*tree_of(scheduled(
                        relu(), std::string(before) +
                                    lines_of(relu(), std::string(before) +
                                                         "out.reverse_compute_at(C, jo)\n")))));
    expect_round_trip("out.reverse_compute_at(C, jo)");
    expect_round_trip("out.update(0).reverse_compute_at(C.update(1), jo)");
}

TEST(ReverseComputeAt, IndicesMayStandInAnotherOrder) {
    const auto turned = with_reader("stage out[x, y] = C[y, x] + C[y, x]*2.0", "out", "[48, 64]");
    EXPECT_EQ(lines_of(turned, "C.split(i, io, ii, 16)\nout.reverse_compute_at(C, io)\n"),
              "out.split(y, io, ii, 16)\nout.reorder(io, x, ii)\nC.compute_at(out, io)\n");
    const auto rows = with_reader("stage out[y] = sum[x in 0..48](C[y, x])", "out", "[64]");
    EXPECT_EQ(lines_of(rows, "C.split(i, io, ii, 16)\nout.reverse_compute_at(C, io)\n"),
              "out.split(y, io, ii, 16)\nC.compute_at(out, io)\n");
    const auto grown = with_reader("stage out[y, x] = 1.0\nupdate out[y, x] += C[y, x]", "out");
    EXPECT_EQ(lines_of(grown, "out.update(0).reverse_compute_at(C, i)\n"),
              "C.compute_at(out.update(0), y)\n");
}

// What more than the reader needs stays where it is, and the loops are shared.
TEST(ReverseComputeAt, OfAnOutputTheLoopsAreShared) {
    const auto pipeline = with_reader("stage out[y, x] = max(C[y, x], 0.0)", "out", "[64, 48]",
                                      "output C: [64, 48]\n");
    const std::string lines =
        "C.split(i, io, ii, 16)\nC.parallel(io)\nout.reverse_compute_at(C, io)\n";
    EXPECT_EQ(lines_of(pipeline, lines),
              "out.split(y, io, ii, 16)\nout.parallel(io)\nout.compute_with(C, io)\n");
    EXPECT_EQ(refusal(pipeline, lines), "applied");
}

TEST(ReverseComputeAt, ATailShiftsWhereItMay) {
    EXPECT_EQ(lines_of(with_reader("stage p[y, x] = C[y, x]*2.0\nstage out[y, x] = p[y, x] + 1.0"),
                       "p.split(y, yo, yi, 24, shift)\nout.reverse_compute_at(p, yo)\n"),
              "out.split(y, yo, yi, 24, shift)\np.compute_at(out, yo)\n");
    const auto padded = parsed("pipeline product\nstage p[y, x] = f32(y + x)\n"
                               "stage out[y, x] = p[y, x] + 1.0\noutput out: [64, 48]\n");
    EXPECT_EQ(lines_of(padded, "p.split(y, yo, yi, 24, pad)\nout.reverse_compute_at(p, yo)\n"),
              "out.split(y, yo, yi, 24)\np.compute_at(out, yo)\n");
}

TEST(ReverseComputeAt, Refusals) {
    EXPECT_EQ(refusal(relu(), "out.reverse_compute_at(C, k)\n"),
              "1:27 C.k runs over a reduction axis: what C holds is complete only after its last "
              "iteration; name a loop outside of it: i, j");
    EXPECT_EQ(refusal(relu(), "C.reorder(k, i, j)\nout.reverse_compute_at(C, i)\n"),
              "2:27 C.k runs over a reduction axis: what C holds is complete only after its last "
              "iteration; reorder a loop over a free variable outside of it first");
    EXPECT_EQ(
        refusal(relu(), "out.split(x, xo, xi, 8)\nout.reverse_compute_at(C, i)\n"),
        "2:1 out has loop directives, and its outer loops would be those of C; write this line "
        "before them");
    EXPECT_EQ(refusal(relu(), "out.reverse_compute_at(out, y)\n"),
              "1:24 out cannot be computed inside itself; name a stage that it reads");
    EXPECT_EQ(refusal(relu(), "C.reverse_compute_at(out, y)\n"),
              "1:27 C does not read out; it reads A and B");
    EXPECT_EQ(refusal(relu(), "out.reverse_compute_at(C, y)\n").substr(0, 45),
              "1:27 C has no loop y; its loops are i, j, k");
    for (const char* reader :
         {"stage out[y, x] = C[y, x] - C[max(y - 1, 0), x]", "stage out[y, x] = C[y/2, x]",
          "stage out[y, x] = C[clamp(x, 0, 63), x]"})
        EXPECT_THAT(refusal(with_reader(reader), "C.reorder(j, i)\nout.reverse_compute_at(C, i)\n"),
                    HasSubstr("out does not read C element by element along i"));
    const auto sums = with_reader("stage out[y] = sum[x in 0..48](C[y, x])", "out", "[64]");
    EXPECT_THAT(refusal(sums, "out.reverse_compute_at(C, j)\n"),
                HasSubstr("out does not read C element by element along j"));
    EXPECT_THAT(refusal(relu(), "C.vectorize(j, 8)\nout.reverse_compute_at(C, j_v)\n"),
                HasSubstr("C.j_v is vectorised: its lanes run at once; name a loop outside of it"));
    // What the lines are refused for is said of the recipe.
    EXPECT_THAT(refusal(with_reader("stage out[y, x] = C[y, x]\nupdate out[y, x] += 1.0"),
                        "out.update(0).reverse_compute_at(C, i)\n"),
                HasSubstr("does not read C"));
}

} // namespace test_reverse_compute_at
} // namespace loopscope::test
