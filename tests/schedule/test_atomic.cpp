#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

// The leaves of a tree that combine atomically, and those that do not, as "H.update(0) update".
std::vector<std::string> leaves(const Applied& applied, bool atomic) {
    auto tree = build_tree(applied.state);
    EXPECT_TRUE(tree.ok());
    std::vector<std::string> rows;
    std::vector<const TreeNode*> open = {(*tree)->root.get()};
    while (!open.empty()) {
        const auto* node = open.back();
        open.pop_back();
        if (node->kind == TreeKind::Compute && node->compute.atomic == atomic)
            rows.push_back(row_text(*node));
        for (const auto& child : node->children)
            open.push_back(child.get());
    }
    return rows;
}

const Applied& accepted(const Applied& applied) {
    EXPECT_EQ(refusal(applied), "applied");
    return applied;
}

using Rows = std::vector<std::string>;

TEST(Atomic, LetsIterationsOfAHistogramCollide) {
    auto applied = scheduled(histogram(), "H.update(0).atomic()\nH.update(0).parallel(r)\n");
    accepted(applied);
    EXPECT_EQ(nest(applied, "H", 1), "r!=parallel c!");
    EXPECT_EQ(leaves(applied, true), (Rows{"H.update(0) update atomic"}));
    EXPECT_FALSE(applied.state.find("H")->definitions[1].reassociates) << "of integers";
    accepted(scheduled(histogram(), "H.update(0).atomic()\nH.update(0).vectorize(c, 4)\n"));
    EXPECT_NE(refusal(histogram(), "H.update(0).parallel(r)\nH.update(0).atomic()\n"), "applied")
        << "before it is parallel: every prefix is applicable";
}

TEST(Atomic, OnlyWhereIterationsCanCollide) {
    // S[y, r] += in[r, c]: iterations of c meet, those of r do not.
    auto sum = update({{v("y"), v("r")}, UpdateOp::Add, input_at({v("r"), v("c")}), nullptr});
    auto with = [&](const std::string& lines) {
        return scheduled(sum, "S.update(0).atomic()\n" + lines);
    };
    auto serial = with("");
    EXPECT_EQ(leaves(accepted(serial), true), Rows{});
    EXPECT_FALSE(serial.state.find("S")->definitions[1].reassociates);
    auto rows = with("S.update(0).parallel(r)\nS.update(0).parallel(y)\n");
    EXPECT_EQ(leaves(accepted(rows), true), Rows{});
    EXPECT_FALSE(rows.state.find("S")->definitions[1].reassociates);
    auto columns = with("S.update(0).parallel(c)\n");
    EXPECT_EQ(leaves(accepted(columns), true), (Rows{"S.update(0) update atomic"}));
    EXPECT_TRUE(columns.state.find("S")->definitions[1].reassociates);
    auto lanes = with("S.update(0).vectorize(c, 4)\n");
    EXPECT_EQ(leaves(accepted(lanes), true), (Rows{"S.update(0) update atomic"}));
    EXPECT_TRUE(lanes.state.find("S")->definitions[1].reassociates);
    auto again = with("S.update(0).parallel(c)\nS.update(0).serial(c)\n");
    EXPECT_EQ(leaves(accepted(again), true), Rows{});
    EXPECT_FALSE(again.state.find("S")->definitions[1].reassociates);
}

TEST(Atomic, OfAReduction) {
    auto applied = scheduled(matmul(), "C.atomic()\nC.reorder(k, i, j, l)\nC.parallel(k)\n");
    accepted(applied);
    EXPECT_TRUE(applied.state.find("C")->definitions[0].reassociates);
    EXPECT_EQ(leaves(applied, true), (Rows{"C step atomic"}));
    // The initialisation runs before the loop whose iterations collide, and is not atomic.
    auto tree = *build_tree(applied.state);
    EXPECT_EQ(to_text(*tree).substr(to_text(*tree).find("C → ")), "C → f32 [64, 48]\n"
                                                                  "  i 64\n"
                                                                  "    j 48\n"
                                                                  "      C init\n"
                                                                  "  k 100 parallel reduction\n"
                                                                  "    i 64\n"
                                                                  "      j 48\n"
                                                                  "        l 3 reduction\n"
                                                                  "          C step atomic\n"
                                                                  "out output f32 [64, 48] host\n"
                                                                  "out → f32 [64, 48]\n"
                                                                  "  i 64\n"
                                                                  "    j 48\n"
                                                                  "      out pure\n");
    // Lanes of a reduction axis are a vector reduction: nothing collides.
    EXPECT_EQ(leaves(accepted(scheduled(matmul(), "C.atomic()\nC.vectorize(k, 4)\n")), true),
              Rows{});
    for (auto op : {ReductionOp::Min, ReductionOp::Max, ReductionOp::Product}) {
        auto other =
            scheduled(reduction(op, ScalarType::F32), "M.atomic()\nM.parallel(k)\nM.parallel(l)\n");
        accepted(other);
        EXPECT_EQ(other.state.find("M")->definitions[0].reassociates, op == ReductionOp::Product);
    }
}

TEST(Atomic, AnAdditionThatCollidesIsNoFma) {
    auto fused = [](const std::string& lines) {
        auto tree = build_tree(scheduled(matmul(), lines).state);
        return (*tree)->find_stage("C")->fused_step[0];
    };
    EXPECT_TRUE(fused("C.contract()\nC.atomic()\nC.parallel(i)\n"));
    EXPECT_FALSE(fused("C.contract()\nC.atomic()\nC.parallel(k)\n"));
}

TEST(Atomic, HashesTellThemApart) {
    auto hash = [](const std::string& lines) {
        auto tree = build_tree(accepted(scheduled(histogram(), lines)).state);
        return (*tree)->structural_hash();
    };
    EXPECT_NE(hash("H.update(0).atomic()\nH.update(0).parallel(r)\n"), hash("")) << "by its loops";
    EXPECT_EQ(hash("H.update(0).atomic()\n"), hash("")) << "nothing runs at once";
}

TEST(Atomic, Refusals) {
    auto only = "; atomic is for sum, prod, min, max, any and all, and for updates by +=, *=, max= "
                "and min= that do not read their stage";
    EXPECT_EQ(refusal(chain(), "a.atomic()\n"),
              std::string("1:1 a cannot be atomic: it computes each of its elements once") + only);
    EXPECT_EQ(
        refusal(matmul(), "D = C.cache_read(A, local)\nD.atomic()\n"),
        std::string(
            "2:1 D cannot be atomic: it is a copy, which computes each of its elements once") +
            only);
    auto assigns =
        update({{v("y"), v("r")}, UpdateOp::Assign, input_at({v("r"), v("c")}), nullptr});
    EXPECT_EQ(refusal(assigns, "S.update(0).atomic()\n"),
              std::string("1:1 S.update(0) cannot be atomic: it assigns, and of iterations that "
                          "meet the last one counts") +
                  only);
    auto scan =
        update({{v("y"), v("r")}, UpdateOp::Max, self({v("y"), plus(v("r"), -1)}), nullptr});
    EXPECT_EQ(refusal(scan, "S.update(0).atomic()\n"),
              std::string("1:1 S.update(0) cannot be atomic: it reads S itself, so that its "
                          "iterations follow from each other") +
                  only);
    EXPECT_EQ(refusal(histogram(), "H.update(1).atomic()\n"),
              "1:1 H.update(1) does not exist: H has one update, update(0)");
    EXPECT_EQ(
        refusal(reduction(ReductionOp::ArgMin, ScalarType::F32), "M.atomic()\n"),
        "1:1 M cannot be atomic: argmin combines a value and its index, for which there is no "
        "atomic operation; R = M.rfactor(…) gives colliding iterations results of their own");
}

TEST(Atomic, RoundTrip) {
    expect_round_trip("C.atomic()");
    expect_round_trip("H.update(0).atomic()");
}

} // namespace
} // namespace loopscope::test
