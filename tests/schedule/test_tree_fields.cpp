// The hash of a tree's node: whatever field two nodes differ in, they have two hashes.
#include "core/schedule/tree_fields.h"
#include "core/schedule/tree_hash.h"
#include "tests/schedule/scheduling.h"
#include "tests/support/each_change.h"

#include <gtest/gtest.h>

#include <map>

namespace loopscope {
namespace {

// All changes of one field each give hashes that differ from one another, too.
void expect_told_apart(TreeNode node) {
    std::map<Hash, std::string> seen{{own_hash(node), "nothing"}};
    test::each_change(node, "", [&](const std::string& field) {
        const auto [at, fresh] = seen.emplace(own_hash(node), field);
        EXPECT_TRUE(fresh) << field << " and " << at->second << " have one hash";
    });
    EXPECT_GT(seen.size(), 40u);
}

TEST(TreeHash, EveryFieldOfAnEmptyNodeCounts) { expect_told_apart({}); }

TEST(TreeHash, EveryFieldOfAFullNodeCounts) {
    TreeNode node;
    test::fill_in(node);
    expect_told_apart(node);
}

} // namespace
} // namespace loopscope
