// Which rows of the schedule tree are made, and that nobody notices: whatever way somebody goes
// through a large tree, each row that is seen is open, and stays where it is.

#include "tests/views/fixtures.h"
#include "views/widgets/schedule_tree_view.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QScrollBar>
#include <QTest>

#include <algorithm>

namespace loopscope::views::test {

namespace {

constexpr std::size_t kAny = 1'000'000;

class TreeRows : public testing::Test {
protected:
    void SetUp() override {
        tree = bundled_tree("local_laplacian");
        show(tree);
    }
    void TearDown() override { settle(); }
    void show(const ScheduleTreePtr& shown) {
        view.resize(700, 500);
        view.set_tree(shown);
        view.show();
        view.setFocus();
        settle();
        nodes.clear();
        collect(*shown->root);
    }
    void collect(const TreeNode& node) {
        for (const TreeNodePtr& child : node.children) {
            nodes.push_back(child->id);
            collect(*child);
        }
    }
    const ScheduleTreeModel& model() const { return *view.schedule_model(); }
    std::size_t made() const { return model().rows_made(); }
    QScrollBar& bar() { return *view.verticalScrollBar(); }
    // Every row in sight that has something inside is open, and the rows are those of the tree, in
    // its order.
    void expect_whole(const char* when) {
        QModelIndex row = view.indexAt({4, 1});
        ASSERT_TRUE(row.isValid()) << when;
        auto node = std::find(nodes.begin(), nodes.end(), model().node_id(row));
        while (row.isValid() && view.visualRect(row).top() < view.viewport()->height()) {
            ASSERT_NE(node, nodes.end()) << when;
            ASSERT_EQ(model().node_id(row).text(), node->text()) << when;
            ASSERT_EQ(view.isExpanded(row), model().hasChildren(row))
                << when << ": " << node->text();
            row = view.indexBelow(row);
            ++node;
        }
        const bool room = !view.indexAt({4, view.viewport()->height() - 1}).isValid();
        EXPECT_TRUE(!room || node == nodes.end()) << when << ": no more rows than these";
    }
    int row_height() { return view.visualRect(view.indexAt({4, 1})).height(); }
    int top_of(const NodeId& id) { return view.visualRect(model().index_of(id)).top(); }

    ScheduleTreeView view;
    ScheduleTreePtr tree;
    std::vector<NodeId> nodes; // in the order of the rows
};

} // namespace

TEST_F(TreeRows, OnlyThoseInSightAndNearItAreMade) {
    ASSERT_GT(nodes.size(), 400u);
    EXPECT_EQ(model().count_rows(kAny), nodes.size());
    const auto top_level = static_cast<std::size_t>(model().rowCount());
    const auto page = static_cast<std::size_t>(view.viewport()->height() / row_height() + 1);
    EXPECT_LE(made(), top_level + 6 * page) << "of " << nodes.size();
    EXPECT_LT(made(), nodes.size() / 2);
    expect_whole("at first");
}

TEST_F(TreeRows, WhatIsToldOfRowsMakesNone) {
    const auto before = made();
    view.set_estimate(estimate_of(tree));
    view.set_baseline(estimate_of(tree));
    view.set_tree(bundled_tree("local_laplacian")); // of the same rows
    view.schedule_model()->set_search("parallel");
    EXPECT_TRUE(model().next_match().isValid());
    EXPECT_EQ(made(), before);
    settle();
    EXPECT_EQ(made(), before);
}

TEST_F(TreeRows, ASmallTreeIsOpenAsAWhole) {
    show(bundled_tree("matmul"));
    EXPECT_EQ(made(), nodes.size());
    EXPECT_EQ(made(), model().count_rows(kAny));
    expect_whole("a small tree");
}

TEST_F(TreeRows, KeysGoThroughAllOfThem) {
    view.set_selected(nodes.front());
    for (std::size_t n = 1; n < nodes.size(); ++n) {
        QTest::keyClick(&view, Qt::Key_Down);
        ASSERT_EQ(view.selected().text(), nodes[n].text());
    }
    expect_whole("at the end");
    EXPECT_EQ(made(), nodes.size());
    for (std::size_t n = nodes.size() - 1; n-- > 0;) {
        QTest::keyClick(&view, Qt::Key_Up);
        ASSERT_EQ(view.selected().text(), nodes[n].text());
    }
}

TEST_F(TreeRows, EndIsTheLastOfAllAndUpFromThereIsTheOneBefore) {
    view.set_selected(nodes.front());
    QTest::keyClick(&view, Qt::Key_End);
    EXPECT_EQ(view.selected().text(), nodes.back().text());
    EXPECT_EQ(bar().value(), bar().maximum());
    EXPECT_LT(made(), nodes.size()) << "what is between was never seen";
    for (std::size_t n = nodes.size() - 1; n-- > 0;) {
        QTest::keyClick(&view, Qt::Key_Up);
        ASSERT_EQ(view.selected().text(), nodes[n].text());
    }
    EXPECT_EQ(bar().value(), 0);
}

TEST_F(TreeRows, PagesAndTheWheelMeetOpenRowsAndMoveNoneOfThem) {
    QTest::keyClick(&view, Qt::Key_End);
    QTest::keyClick(&view, Qt::Key_Home);
    EXPECT_EQ(bar().value(), 0);
    for (int page = 0; page < 40; ++page) {
        QTest::keyClick(&view, Qt::Key_PageDown);
        expect_whole("page by page");
    }
    EXPECT_EQ(view.selected().text(), nodes.back().text());
    view.set_tree(nullptr); // what was open is forgotten
    show(tree);
    view.set_selected(nodes.front());
    view.set_selected(nodes.back());
    view.set_selected({});
    EXPECT_LT(made(), nodes.size() / 2);
    EXPECT_GT(bar().value(), 0);
    const int step = row_height() * 3;
    for (int turn = 0; turn < 400 && bar().value() > 0; ++turn) {
        const NodeId id = model().node_id(view.indexAt({4, 1}));
        const int was = top_of(id), value = bar().value();
        bar().setValue(value - step);
        ASSERT_EQ(top_of(id), was + std::min(step, value)) << "turn " << turn;
        expect_whole("upwards");
    }
    EXPECT_EQ(made(), nodes.size());
}

TEST_F(TreeRows, WhatIsFarIsOpenedWhereItIsSelectedOrFound) {
    view.set_selected(nodes[300]);
    EXPECT_EQ(view.selected(), nodes[300]);
    EXPECT_TRUE(view.viewport()->rect().contains(view.visualRect(view.currentIndex()).center()));
    expect_whole("around what is selected");
    EXPECT_LT(made(), nodes.size());
    view.set_selected(nodes.front());
    QTest::keyClick(&view, Qt::Key_Slash);
    auto* field = view.findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    const NodeId last = nodes.back();
    field->setText(QString::fromStdString(last.stage));
    for (std::size_t n = 0; n < nodes.size() && view.selected().stage != last.stage; ++n)
        QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(view.selected().stage, last.stage);
    expect_whole("around what is found");
}

// An edit that changes rows: what was open, closed and selected is so again, at its place on the
// screen.
TEST_F(TreeRows, AnEditKeepsWhatWasOpenAndItsPlace) {
    const NodeId current = nodes.back(), closed{"result3", 0, "yo"};
    view.set_selected(closed);
    ASSERT_TRUE(view.isExpanded(view.currentIndex()));
    view.collapse(view.currentIndex());
    QTest::keyClick(&view, Qt::Key_End);
    ASSERT_EQ(view.selected(), current);
    const int at = top_of(current);
    const auto before = made();
    auto script = bundled_schedule_text("local_laplacian");
    const std::string line = "wide_half6.compute_at(result6, xo)\n";
    ASSERT_NE(script.find(line), std::string::npos);
    view.set_tree(bundled_tree("local_laplacian", script.erase(script.find(line), line.size())));
    EXPECT_EQ(view.selected(), current);
    EXPECT_EQ(top_of(current), at);
    EXPECT_FALSE(view.isExpanded(model().index_of(closed)));
    EXPECT_LT(made(), before + 20) << "an edit makes the rows that were there, and no others";
    view.set_tree(tree);
    EXPECT_EQ(top_of(current), at);
    EXPECT_FALSE(view.isExpanded(model().index_of(closed)));
    view.collapse_all();
    EXPECT_FALSE(view.isExpanded(model().index_of(closed)));
    view.expand_all();
    view.set_selected(closed);
    EXPECT_TRUE(view.isExpanded(model().index_of(closed)));
}

} // namespace loopscope::views::test
