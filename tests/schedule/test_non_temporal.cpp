#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

std::string compute_row(const Applied& applied, const NodeId& id) {
    auto tree = build_tree(applied.state);
    return tree ? row_text(*(*tree)->find(id)) : tree.errors().front().message;
}

TEST(NonTemporal, TheTreeSaysThatStoresStream) {
    auto applied = scheduled(chain(), "out.non_temporal()\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(compute_row(applied, {"out", 0, "@compute"}), "out pure streams");
    EXPECT_EQ(compute_row(applied, {"b", 0, "@compute"}), "b pure");
}

// A reduction over its innermost loops keeps its accumulator in a register; with a free loop inside
// it does not.
TEST(NonTemporal, TheTreeSaysWhereWhatIsStoredIsReadAgain) {
    EXPECT_EQ(compute_row(scheduled(matmul(), "C.non_temporal()\n"), {"C", 0, "@compute"}),
              "C step streams");
    EXPECT_EQ(compute_row(scheduled(matmul(), "C.reorder(i, k, l, j)\nC.vectorize(j)\n"
                                              "C.non_temporal()\n"),
                          {"C", 0, "@compute"}),
              "C step streams");
    EXPECT_EQ(compute_row(scheduled(matmul(), "C.reorder(i, k, l, j)\nC.non_temporal()\n"),
                          {"C", 0, "@compute"}),
              "C step streams, read again");
    EXPECT_EQ(compute_row(scheduled(matmul(), "C.compute_at(out, i)\nC.non_temporal()\n"),
                          {"C", 0, "@compute"}),
              "C step streams, read again");
}

TEST(NonTemporal, IsPerDefinition) {
    auto applied = scheduled(histogram(), "H.update(0).non_temporal()\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_FALSE(applied.state.find("H")->definitions[0].non_temporal);
    EXPECT_TRUE(applied.state.find("H")->definitions[1].non_temporal);
}

TEST(NonTemporal, HashesDiffer) {
    auto plain = build_tree(scheduled(chain(), "").state);
    auto streams = build_tree(scheduled(chain(), "out.non_temporal()\n").state);
    EXPECT_NE((*plain)->structural_hash(), (*streams)->structural_hash());
}

TEST(NonTemporal, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.atomic()\nC.non_temporal()\n"),
              "2:1 C is atomic: a store that combines with what is in memory cannot stream; R = "
              "C.rfactor(…) in place of atomic() gives colliding iterations results of their own");
    EXPECT_EQ(refusal(matmul(), "C.non_temporal()\nC.atomic()\n"),
              "2:1 C cannot be atomic: its stores stream, and one that combines with what is in "
              "memory cannot; remove C.non_temporal()");
    EXPECT_EQ(refusal(chain(), "a.inline()\na.non_temporal()\n"),
              "2:1 a is inlined: it has no loops; a.compute_root() gives it loops again");
    EXPECT_EQ(refusal(chain(), "a.non_temporal()\na.inline()\n"),
              "2:1 a cannot be inlined: loop directives were given to it; remove its loop "
              "directives");
}

TEST(NonTemporal, RoundTrip) {
    expect_round_trip("out.non_temporal()");
    expect_round_trip("H.update(0).non_temporal()");
}

} // namespace
} // namespace loopscope::test
