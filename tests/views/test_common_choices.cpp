// What the inspector and menus offer for several nodes at once.

#include "views/models/common_choices.h"

#include "core/language/schedule_parser.h"
#include "tests/views/fixtures.h"
#include "views/widgets/inspector_view.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

namespace loopscope::views::test {

namespace test_common_choices {

class CommonChoices : public testing::Test {
protected:
    void show(const std::string& lines, const std::vector<NodeId>& nodes) {
        const auto pipeline = bundled_pipeline("matmul");
        auto schedule = std::make_shared<const Schedule>(
            parse_schedule(
                std::make_shared<SourceFile>("test.sched", "schedule for matmul\n" + lines))
                .value());
        const auto tree = schedule_tree(pipeline, *schedule, {}).value();
        view_.resize(520, 1400);
        view_.show();
        view_.set_snapshot(tree, estimate_of(tree), schedule, nodes.front());
        view_.set_selected_nodes(nodes);
        settle();
    }
    QPushButton* button(const char* name) { return view_.findChild<QPushButton*>(name); }
    QString text() {
        QString all;
        for (const auto* label : view_.findChildren<QLabel*>())
            if (label->isVisible())
                all += label->text() + '\n';
        return all;
    }

    InspectorView view_;
    const NodeId i_{"C", 0, "i"}, j_{"C", 0, "j"}, stage_{"C", -1, "@stage"};
};

TEST_F(CommonChoices, TheInspectorSaysHowManyAndOffersWhatAllHave) {
    show("", {i_, j_});
    EXPECT_TRUE(text().contains("2 loops")) << text().toStdString();
    EXPECT_TRUE(text().contains("C.i, C.j")) << text().toStdString();
    EXPECT_TRUE(button("kind/parallel"));
    show("", {i_, stage_});
    EXPECT_TRUE(text().contains("2 rows")) << text().toStdString();
    EXPECT_FALSE(button("kind/parallel")) << "a stage has no such choice";
    show("", {i_});
    EXPECT_FALSE(text().contains("C.i, C.j")) << text().toStdString();
    EXPECT_TRUE(button("kind/parallel"));
}

TEST_F(CommonChoices, WhatIsSoForOneIsOfferedForTheOther) {
    show("C.parallel(i)\n", {i_, j_});
    auto* parallel = button("kind/parallel");
    ASSERT_TRUE(parallel);
    EXPECT_FALSE(parallel->isChecked());
    QSignalSpy asked(&view_, &InspectorView::editRequested);
    parallel->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>(), DirectiveEdit("C.parallel(j)"));
    show("C.parallel(i)\nC.parallel(j)\n", {i_, j_});
    EXPECT_TRUE(button("kind/parallel")->isChecked()) << "both are so";
}

TEST_F(CommonChoices, AMenuHasWhatAnyOfThemCanBeGiven) {
    const auto tree = bundled_tree("matmul", "schedule for matmul\nC.parallel(i)\n");
    const auto alone = directive_groups(*tree, i_);
    EXPECT_TRUE(find_group(alone, "parallel")->choices.empty());
    const auto groups = groups_of_any(*tree, {i_, j_});
    ASSERT_EQ(find_group(groups, "parallel")->choices.size(), 1u);
    EXPECT_EQ(find_group(groups, "parallel")->choices.front().line, "C.parallel(j)");
    EXPECT_FALSE(groups_of_any(*tree, {{"A", -1, "@storage"}, i_}).empty()) << "an input has none";
}

TEST_F(CommonChoices, MoreThanAreChangedAtOnceHaveNoChoices) {
    const auto tree = default_tree("matmul");
    const std::vector<NodeId> many(kMostAtOnce + 1, i_);
    EXPECT_TRUE(common_rows(*tree, nullptr, many, nullptr).empty());
    EXPECT_FALSE(common_rows(*tree, nullptr, {i_, j_}, nullptr).empty());
}

TEST_F(CommonChoices, ATickSaysWhatIsChangedToo) {
    show("", {i_});
    auto* tick = view_.findChild<QCheckBox*>("companions");
    ASSERT_TRUE(tick);
    EXPECT_FALSE(tick->isVisible());
    view_.set_companions({"other"}, true);
    EXPECT_TRUE(tick->isVisible());
    EXPECT_TRUE(tick->isChecked());
    EXPECT_EQ(tick->text(), "Also other");
    QSignalSpy changed(&view_, &InspectorView::togetherChanged);
    tick->click();
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(changed[0][0].toBool(), false);
    view_.set_companions({}, false);
    EXPECT_FALSE(tick->isVisible());
}

} // namespace test_common_choices
} // namespace loopscope::views::test
