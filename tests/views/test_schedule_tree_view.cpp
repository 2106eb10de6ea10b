#include "tests/views/fixtures.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/schedule_tree_view.h"

#include <gtest/gtest.h>

#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

namespace loopscope::views::test {

namespace test_schedule_tree_view {

QAction* entry(QMenu* menu, const QString& title) {
    for (QAction* action : menu->actions())
        if (action->text().section('\t', 0, 0) == title)
            return action;
    return nullptr;
}

QMenu* open_menu() { return qobject_cast<QMenu*>(QApplication::activePopupWidget()); }

class TreeView : public testing::Test {
protected:
    void SetUp() override { show(default_tree("matmul")); }
    void TearDown() override {
        if (QMenu* menu = open_menu())
            menu->close();
        settle();
    }
    void show(ScheduleTreePtr tree) {
        view.resize(700, 500);
        view.set_services(services_of(tree));
        view.set_tree(tree);
        view.show();
        view.setFocus();
        settle();
    }
    ScheduleTreeView view;
};

const NodeId kI{"C", 0, "i"}, kJ{"C", 0, "j"}, kK{"C", 0, "k"};

TEST_F(TreeView, SelectionIsAnnouncedOnlyWhenAPersonMakesIt) {
    QSignalSpy selected(&view, &ScheduleTreeView::nodeSelected);
    view.set_selected(kI);
    EXPECT_EQ(selected.count(), 0);
    EXPECT_EQ(view.selected(), kI);
    QTest::keyClick(&view, Qt::Key_Down);
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].value<NodeId>(), kJ);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                      view.visualRect(view.schedule_model()->index_of(kI)).center());
    EXPECT_EQ(selected.last()[0].value<NodeId>(), kI);
}

TEST_F(TreeView, SelectionAndFoldingSurviveAnotherTree) {
    view.set_selected(kJ);
    view.collapse(view.schedule_model()->index_of(kJ));
    view.set_tree(bundled_tree("matmul", "schedule for matmul\nC.split(i, io, ii, 8)\n"));
    EXPECT_EQ(view.selected(), kJ);
    EXPECT_FALSE(view.isExpanded(view.schedule_model()->index_of(kJ)));
    EXPECT_TRUE(view.isExpanded(view.schedule_model()->index_of({"C", 0, "io"})));
    view.set_tree(default_tree("matmul"));
    EXPECT_EQ(view.selected(), kJ);
    EXPECT_FALSE(view.isExpanded(view.schedule_model()->index_of(kJ)));
}

TEST_F(TreeView, SelectingOpensWhatIsAround) {
    view.collapse_all();
    view.set_selected(kK);
    EXPECT_EQ(view.selected(), kK);
    EXPECT_TRUE(view.visualRect(view.schedule_model()->index_of(kK)).isValid());
    view.set_selected({"gone", 0, "x"});
    EXPECT_FALSE(view.currentIndex().isValid());
}

TEST_F(TreeView, KeysAskForDirectives) {
    QSignalSpy asked(&view, &ScheduleTreeView::directiveRequested);
    view.set_selected(kI);
    QTest::keyClick(&view, Qt::Key_P);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), "C.parallel(i)");
    view.set_selected(kJ);
    QTest::keyClick(&view, Qt::Key_Up, Qt::ShiftModifier);
    ASSERT_EQ(asked.count(), 2);
    EXPECT_EQ(asked[1][0].toString(), "C.reorder(j, i)");
    EXPECT_EQ(view.selected(), kJ) << "Shift+Up moves the loop, not the selection";
    QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
    ASSERT_EQ(asked.count(), 3);
    EXPECT_EQ(asked[2][0].toString(), "C.reorder(k, j)");
}

TEST_F(TreeView, AKeyWithSeveralChoicesOpensThem) {
    QSignalSpy asked(&view, &ScheduleTreeView::directiveRequested);
    view.set_selected(kK);
    QTest::keyClick(&view, Qt::Key_S);
    QMenu* menu = open_menu();
    ASSERT_NE(menu, nullptr);
    ASSERT_NE(entry(menu, "by 32"), nullptr);
    ASSERT_NE(menu->activeAction(), nullptr) << "Enter takes the first";
    entry(menu, "by 32")->trigger();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), "C.split(k, ko, ki, 32)");
}

TEST_F(TreeView, WhatCannotEvenBeWrittenIsSaid) {
    QSignalSpy asked(&view, &ScheduleTreeView::directiveRequested),
        refused(&view, &ScheduleTreeView::directiveRefused);
    view.set_selected(kK);
    QTest::keyClick(&view, Qt::Key_R);
    ASSERT_EQ(refused.count(), 1);
    EXPECT_TRUE(refused[0][1].toString().contains("already"));
    QTest::keyClick(&view, Qt::Key_M);
    ASSERT_EQ(refused.count(), 2);
    EXPECT_TRUE(refused[1][1].toString().contains("No stage reads C"));
    EXPECT_EQ(asked.count(), 0);
}

TEST_F(TreeView, TheMenuGreysWhatCannotBeAndSaysWhy) {
    std::unique_ptr<QMenu> menu(view.make_menu(kK));
    QAction* parallel = entry(menu.get(), "Parallel");
    ASSERT_NE(parallel, nullptr);
    EXPECT_FALSE(parallel->isEnabled());
    EXPECT_GT(parallel->toolTip().size(), 10);
    EXPECT_TRUE(menu->toolTipsVisible());
    QAction* serial = entry(menu.get(), "Serial");
    ASSERT_NE(serial, nullptr);
    EXPECT_TRUE(serial->toolTip().contains("already"));
    QAction* split = entry(menu.get(), "Split");
    ASSERT_NE(split, nullptr);
    ASSERT_NE(split->menu(), nullptr);
    EXPECT_TRUE(split->menu()->isEmpty()) << "choices are judged when somebody looks";
    emit split->menu()->aboutToShow();
    EXPECT_FALSE(split->menu()->isEmpty());
    QSignalSpy asked(&view, &ScheduleTreeView::directiveRequested);
    split->menu()->actions().front()->trigger();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), "C.split(k, ko, ki, 2)");
}

TEST_F(TreeView, ARightClickOpensTheMenuOfItsRow) {
    const QPoint at = view.visualRect(view.schedule_model()->index_of(kJ)).center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, view.viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(view.viewport(), &event);
    QMenu* menu = open_menu();
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(view.selected(), kJ);
    EXPECT_NE(entry(menu, "Move outwards"), nullptr);
}

TEST_F(TreeView, SlashSearches) {
    QTest::keyClick(&view, Qt::Key_Slash);
    auto* field = view.findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    EXPECT_TRUE(field->isVisible());
    field->setText("reduction");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(view.selected(), kK);
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_FALSE(field->isVisible());
    EXPECT_FALSE(view.schedule_model()->next_match().isValid());
}

TEST_F(TreeView, LettersThatMeanNothingHereGoToTheWindow) {
    QKeyEvent space(QEvent::KeyPress, Qt::Key_Space, Qt::NoModifier, " ");
    QCoreApplication::sendEvent(&view, &space);
    EXPECT_FALSE(space.isAccepted()) << "Space measures";
}

TEST_F(TreeView, WithoutATreeItTeaches) {
    view.set_tree(nullptr);
    EXPECT_EQ(view.schedule_model()->rowCount(), 0);
    EXPECT_EQ(view.selected(), NodeId{});
    EXPECT_FALSE(view.accessibleName().isEmpty());
}

// What a large tree has made of its rows at other times: test_tree_rows.cpp.
TEST_F(TreeView, ManyRowsAreNotMadeBeforeTheyAreSeen) {
    view.set_tree(long_chain(2000));
    EXPECT_EQ(view.schedule_model()->rowCount(), 4000);
    EXPECT_GE(view.schedule_model()->count_rows(100'000), 8000u);
    EXPECT_LT(view.schedule_model()->rows_made(), 4300u);
}

} // namespace test_schedule_tree_view
} // namespace loopscope::views::test
