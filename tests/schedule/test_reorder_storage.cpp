#include "tests/schedule/scheduling.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {
namespace {

std::string storage_row(const Applied& applied, const std::string& stage) {
    auto tree = build_tree(applied.state);
    EXPECT_TRUE(tree.ok());
    return row_text(*(*tree)->find({stage, -1, "@storage"}));
}

TEST(ReorderStorage, ListsIndicesOutermostFirst) {
    auto applied = scheduled(chain(), "a.reorder_storage(x, y)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(applied.state.find("a")->storage_order, (std::vector<int>{1, 0}));
    EXPECT_EQ(nest(applied, "a"), "y x") << "the loops stay";
    auto before = storage_row(scheduled(chain(), ""), "a");
    EXPECT_EQ(storage_row(applied, "a"), before + " layout x, y");
}

TEST(ReorderStorage, TheLastLineHolds) {
    auto applied = scheduled(chain(), "a.reorder_storage(x, y)\na.reorder_storage(y, x)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_TRUE(applied.state.find("a")->storage_order.empty());
}

TEST(ReorderStorage, IsInTheJsonAndTheHash) {
    auto tree = *build_tree(scheduled(chain(), "a.reorder_storage(x, y)\n").state);
    auto plain = *build_tree(scheduled(chain(), "").state);
    EXPECT_NE(tree->structural_hash(), plain->structural_hash());
    EXPECT_NE(to_json(*tree).dump().find(R"("layout":"x, y")"), std::string::npos);
    EXPECT_EQ(to_json(*plain).dump().find("layout"), std::string::npos);
    auto changed = difference(*plain, *tree);
    ASSERT_EQ(changed.size(), 1u);
    EXPECT_EQ(changed[0].id.text(), "a/@storage");
}

TEST(ReorderStorage, IsNoPaddingToTheHash) {
    auto reordered = tree_of(scheduled(chain(), "a.reorder_storage(x, y)\n"));
    auto padded = tree_of(scheduled(chain(), "a.pad_storage(y, 2)\na.pad_storage(x, 1)\n"));
    EXPECT_NE(reordered->structural_hash(), padded->structural_hash());
}

TEST(ReorderStorage, OfCopiesByTheIndexNamesOfTheSource) {
    auto applied = scheduled(matmul(), "Bs = C.cache_read(B, local)\nBs.reorder_storage(j, k)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(applied.state.find("Bs")->storage_order, (std::vector<int>{1, 0}));
}

TEST(ReorderStorage, Refusals) {
    EXPECT_EQ(
        refusal(matmul(), "A.reorder_storage(k, i)\n"),
        "1:1 A is an input: it lies in memory as the caller has it; a copy may lie otherwise: "
        "B = S.cache_read(A, local)");
    EXPECT_EQ(
        refusal(chain(), "out.reorder_storage(x, y)\n"),
        "1:1 out is an output: it lies in memory as the caller has it; lay out a stage that it "
        "reads, or a copy of one by cache_read");
    EXPECT_EQ(refusal(chain(), "a.reorder_storage(x, z)\n"),
              "1:22 a has no index z; its indices are y, x");
    EXPECT_EQ(refusal(chain(), "a.reorder_storage(x, x)\n"),
              "1:22 x is named twice; name each index of a once: y, x");
    EXPECT_EQ(refusal(chain(), "a.reorder_storage(x)\n"),
              "1:3 reorder_storage names all indices of a, outermost first; name each once: y, x");
    EXPECT_EQ(refusal(chain(), "a.reorder_storage()\n"),
              "1:19 reorder_storage needs an index name here; write "
              "S.reorder_storage(dimensions…)");
    EXPECT_EQ(refusal(chain(), "a.inline()\na.reorder_storage(x, y)\n"),
              "2:1 a is inlined: it has no storage; a.compute_root() gives it storage again");
    EXPECT_EQ(refusal(chain(), "a.reorder_storage(x, y)\na.inline()\n"),
              "2:1 a cannot be inlined: a layout was given to its storage; remove its "
              "reorder_storage and pad_storage");
    EXPECT_EQ(refusal(histogram(), "H.update(0).reorder_storage(i)\n"),
              "1:1 reorder_storage is per stage, not per definition; write H.reorder_storage(…)");
}

TEST(ReorderStorage, RoundTrip) {
    expect_round_trip("a.reorder_storage(x, y)");
    expect_round_trip("g{1..4}.reorder_storage(c, y, x)");
}

} // namespace
} // namespace loopscope::test
