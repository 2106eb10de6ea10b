// Several nodes at once: what is selected together, and edits that are one step.

#include "app/session/node_groups.h"
#include "tests/session/session_fixture.h"

#include <algorithm>

namespace loopscope::session::test {

namespace test_several {

using Nodes = std::vector<NodeId>;
using Edits = std::vector<views::DirectiveEdit>;

class Several : public SessionTest {
protected:
    const NodeId out_y_{"out", 0, "y"}, blur_y_{"blur_x", 0, "y"};
};

TEST_F(Several, WhatAppliesIsOneStepAndWhatDoesNotIsNamed) {
    auto& s = open("harris.loop");
    const auto before = s.script();
    const auto applied = s.apply_each(
        Edits{QString("ixx.inline()"), QString("out.inline()"), QString("iyy.inline()")}, false);
    ASSERT_TRUE(applied.status.ok());
    ASSERT_EQ(applied.refusals.size(), 3u);
    EXPECT_TRUE(applied.refusals[0].empty());
    EXPECT_FALSE(applied.refusals[1].empty()) << "an output is stored";
    EXPECT_TRUE(applied.refusals[2].empty());
    EXPECT_EQ(s.script(), before + "ixx.inline()\niyy.inline()\n");
    EXPECT_EQ(s.document()->revisions().size(), 2u);
    s.undo();
    EXPECT_EQ(s.script(), before);
}

TEST_F(Several, NothingIsDoneWhereTheFirstDecidesAndIsRefused) {
    auto& s = open("harris.loop");
    const auto before = s.script();
    const Edits edits{QString("out.inline()"), QString("ixx.inline()")};
    EXPECT_FALSE(s.apply_each(edits, true).status.ok());
    EXPECT_EQ(s.script(), before);
    EXPECT_TRUE(s.apply_each(edits, false).status.ok());
    EXPECT_EQ(s.script(), before + "ixx.inline()\n");
    EXPECT_FALSE(s.apply_each(Edits{QString("out.inline()")}, false).status.ok());
}

TEST_F(Several, AForecastLeavesOutWhatIsRefusedWhereThatIsAsked) {
    auto& s = open("harris.loop");
    const Edits edits{QString("ixx.inline()"), QString("out.inline()")};
    EXPECT_FALSE(forecast(*s.present(), edits).after.seconds.has_value());
    EXPECT_TRUE(forecast(*s.present(), edits, Refused::IsLeftOut).after.seconds.has_value());
    EXPECT_TRUE(forecast(*s.present(), edits, Refused::StopsIfFirst).after.seconds.has_value());
    const Edits turned{edits[1], edits[0]};
    EXPECT_FALSE(forecast(*s.present(), turned, Refused::StopsIfFirst).after.seconds.has_value());
}

TEST_F(Several, NodesAreSelectedBesideAnother) {
    auto& s = open("blur.loop");
    int changes = 0;
    QObject::connect(&s, &Session::selectionChanged, [&](const NodeId&) { ++changes; });
    s.select(out_y_);
    s.toggle_selected(blur_y_);
    EXPECT_EQ(s.selected_nodes(), (Nodes{blur_y_, out_y_})) << "the last one is shown";
    EXPECT_EQ(s.selection(), blur_y_);
    s.toggle_selected(blur_y_);
    EXPECT_EQ(s.selected_nodes(), Nodes{out_y_});
    s.toggle_selected(out_y_);
    EXPECT_EQ(s.selected_nodes(), Nodes{out_y_}) << "the last one stays";
    s.select_also({blur_y_, out_y_});
    EXPECT_EQ(s.selected_nodes(), (Nodes{out_y_, blur_y_}));
    const int so_far = changes;
    s.select(out_y_);
    EXPECT_EQ(s.selected_nodes(), Nodes{out_y_}) << "alone, though it was shown already";
    EXPECT_EQ(changes, so_far + 1);
}

TEST_F(Several, TheSelectionSurvivesTheEdit) {
    auto& s = open("blur.loop");
    s.select_nodes({out_y_, blur_y_});
    ASSERT_TRUE(apply("blur_x.split(y, yo, yi, 16)"));
    EXPECT_EQ(s.selected_nodes(), (Nodes{out_y_, {"blur_x", 0, "yo"}}));
    s.undo();
    EXPECT_EQ(s.selected_nodes(), (Nodes{out_y_, blur_y_}));
    s.close();
    EXPECT_TRUE(s.selected_too().empty());
}

TEST_F(Several, NodesAreFoundByAPatternOfTheirNames) {
    const auto tree = open("harris.loop").tree();
    const auto stages = nodes_named(*tree, "s*");
    ASSERT_TRUE(stages.ok());
    EXPECT_EQ(stages->size(), 3u) << "sxx, sxy, syy";
    const auto loops = nodes_named(*tree, "s*.y");
    ASSERT_TRUE(loops.ok());
    ASSERT_EQ(loops->size(), 3u);
    EXPECT_EQ(loops->front().name, "y");
    EXPECT_FALSE(nodes_named(*tree, "nothing*").ok());
    EXPECT_FALSE(nodes_named(*tree, "s*.z").ok());
    const auto all = nodes_named(*tree, "*.x");
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(std::count(all->begin(), all->end(), (NodeId{"gray", 0, "x"})), 1);
}

TEST_F(Several, NodesAreAlikeByHowTheyRun) {
    auto& s = open("blur.loop");
    EXPECT_EQ(nodes_like(*s.tree(), out_y_), (Nodes{out_y_, blur_y_})) << "of one name";
    ASSERT_TRUE(apply("blur_x.parallel(y)"));
    EXPECT_EQ(nodes_like(*s.tree(), out_y_), Nodes{out_y_}) << "the other runs in parallel";
    const NodeId out{"out", -1, "@stage"}, blur{"blur_x", -1, "@stage"};
    EXPECT_EQ(nodes_like(*s.tree(), out), (Nodes{out, blur}));
    ASSERT_TRUE(apply("blur_x.compute_at(out, y)"));
    EXPECT_EQ(nodes_like(*s.tree(), out), Nodes{out}) << "the other is computed at a loop";
    EXPECT_TRUE(nodes_like(*s.tree(), {"img", -1, "@storage"}).empty());
}

} // namespace test_several
} // namespace loopscope::session::test
