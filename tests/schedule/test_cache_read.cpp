#include "core/language/loop_parser.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(CacheRead, InsertsACopyBeforeItsFirstReader) {
    auto applied = scheduled(matmul(), "As = C.cache_read(A, local)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(applied.state.index_of("As"), 0);
    EXPECT_EQ(nest(applied, "As"), "i k") << "the index names of A";
    EXPECT_EQ(placed(applied, "As"), "root");
    EXPECT_EQ(applied.state.find("As")->scope.name, "local");
    EXPECT_EQ(applied.state.find("As")->copy_of, "A");
    EXPECT_EQ(applied.state.declared("As").name, "A");
}

TEST(CacheRead, TheCopyTakesEveryDirective) {
    auto applied =
        scheduled(matmul(), "As = C.cache_read(A, local)\nC.reorder(k, i, j)\nAs.compute_at(C, k)\n"
                            "As.vectorize(k, 4)\nAs.parallel(i)\nAs.unroll(k)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(nest(applied, "As"), "i=parallel k=unrolled k_v=vectorised");
    EXPECT_EQ(placed(applied, "As"), "C.k");
}

TEST(CacheRead, ServesTheDefinitionsThatItNames) {
    using Keys = std::set<std::pair<std::string, int>>;
    auto readers = [](const PipelinePtr& p, const std::string& line, const std::string& copy) {
        auto applied = scheduled(p, line);
        EXPECT_EQ(refusal(applied), "applied");
        return applied.state.find(copy)->copy_readers;
    };
    EXPECT_EQ(readers(chain(), "c = out.cache_read(b, local)\n", "c"), (Keys{{"out", 0}}));
    EXPECT_EQ(readers(chain(), "c = side.cache_read(b, global, out)\n", "c"),
              (Keys{{"out", 0}, {"side", 0}}));
    EXPECT_EQ(readers(histogram(), "m = H.cache_read(img, shared)\n", "m"), (Keys{{"H", 1}}));
    EXPECT_EQ(readers(histogram(), "m = H.update(0).cache_read(img, register)\n", "m"),
              (Keys{{"H", 1}}));
}

TEST(CacheRead, OfACopy) {
    auto applied =
        scheduled(matmul(), "A1 = C.cache_read(A, shared)\nA2 = C.cache_read(A1, local)\n"
                            "A2.compute_at(C, k)\nA1.compute_at(C, i)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_LT(applied.state.index_of("A1"), applied.state.index_of("A2"));
    EXPECT_EQ(refusal(matmul(), "A1 = C.cache_read(A, shared)\nA2 = A1.cache_read(A, local)\n"),
              "applied");
    EXPECT_EQ(refusal(matmul(), "A1 = C.cache_read(A, shared)\nA2 = C.cache_read(A, local)\n"),
              "2:19 C does not read A; it reads A1, B");
}

TEST(CacheRead, ThroughInlinedStages) {
    EXPECT_EQ(refusal(chain(), "a.inline()\nc = b.cache_read(in, local)\n"), "applied");
    EXPECT_EQ(refusal(chain(), "a.inline()\nc = b.cache_read(a, local)\n"),
              "2:18 a is inlined: there is nothing to copy; a.compute_root() stores it, or copy "
              "what it reads");
}

TEST(CacheRead, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.cache_read(A, local)\n"),
              "1:1 cache_read makes a stage, which needs a name; write copy = S.cache_read(source, "
              "scope [, readers…])");
    EXPECT_EQ(refusal(matmul(), "B = C.cache_read(A, local)\n"),
              "1:1 the name B is taken; choose one that no stage or input has");
    EXPECT_EQ(refusal(matmul(), "stage = C.cache_read(A, local)\n"),
              "1:1 'stage' is a reserved word; take another name");
    EXPECT_EQ(refusal(matmul(), "D = out.cache_read(A, local)\n"),
              "1:20 out does not read A; it reads C");
    EXPECT_EQ(refusal(matmul(), "D = C.cache_read(AA, local)\n"),
              "1:18 there is no stage or input AA; did you mean A?");
    EXPECT_EQ(refusal(matmul(), "D = C.cache_read(A, shard)\n"),
              "1:21 there is no scope shard; did you mean shared?");
    EXPECT_EQ(refusal(matmul(), "D = C.cache_read(A, l2)\n"),
              "1:21 there is no scope l2; scopes are global, shared, local, register and fragment");
    EXPECT_EQ(refusal(matmul(), "D = C.cache_read(A, local, out)\n"),
              "1:28 out does not read A; it reads C");
    EXPECT_EQ(refusal(histogram(), "D = H.cache_read(H, local)\n"),
              "1:18 H cannot read itself through a copy; name a stage that comes after it");
}

TEST(CacheRead, MayNotBreakAPlacement) {
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, i)\nD = out.cache_read(C, local)\n"),
              "2:5 C cannot be computed at out.i: D, which reads it, is outside that loop; write "
              "this line before C.compute_at(…), which may then be at a loop of D");
    EXPECT_EQ(refusal(matmul(), "D = out.cache_read(C, local)\nC.compute_at(D, i)\n"), "applied");
    // Nor where the copy would come between two that share loops as well.
    auto made = parsed("pipeline p\ninput a[y, x]: f32[16, 12]\nstage c[y, x] = a[y, x] + 1.0\n"
                       "stage d[y, x] = c[y, x] * 2.0\nstage o[y, x] = c[y, x] + d[y, x]\n"
                       "output o: [16, 12]\n");
    const std::string merged = "d.compute_with(c, x)\n", copied = "k = d.cache_read(c, local)\n";
    const std::string placed = "d.compute_at(o, y)\nc.compute_at(o, y)\n";
    EXPECT_EQ(refusal(made, placed + merged + copied),
              "4:5 c cannot be computed at o.y: k, which reads it, is outside that loop; write "
              "this line before c.compute_at(…), which may then be at a loop of k");
    EXPECT_THAT(refusal(made, merged + copied),
                testing::HasSubstr("d depends on c by way of k, which would have to run in the "
                                   "middle of the merged loops"));
}

// What is inlined into a copy's source may itself have a copy for that copy.
TEST(CacheRead, ACopyForACopyOfWhatIsInlined) {
    auto applied = scheduled(chain(), "ac = b.cache_read(a, local)\nbc = out.cache_read(b, local)\n"
                                      "b.inline()\n");
    EXPECT_EQ(refusal(applied), "applied");
    auto made = parsed("pipeline p\ninput x[i]: u8[64]\nstage d[i] = x[i] / 2\n"
                       "stage c[i] = f32(d[i]) * 3.0\nstage t[i] = c[i] + 1.0\noutput t: [64]\n");
    applied = scheduled(made, "cc = t.cache_read(c, local)\nc.inline()\n"
                              "dd = cc.cache_read(d, local)\nd.inline()\n");
    EXPECT_EQ(refusal(applied), "applied");
    auto text = to_text(**build_tree(applied.state));
    EXPECT_NE(text.find("dd storage u8 [64]"), std::string::npos) << text;
}

TEST(CacheRead, RoundTrip) {
    expect_round_trip("As = C.cache_read(A, shared)");
    expect_round_trip("As = C.update(0).cache_read(A, shared, D, E.update(2))");
}

} // namespace
} // namespace loopscope::test
