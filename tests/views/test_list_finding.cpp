// Finding rows by text, in any list.
#include "tests/views/fixtures.h"
#include "views/widgets/history_view.h"
#include "views/widgets/list_finding.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/search_field.h"

#include <gtest/gtest.h>

#include <QListWidget>
#include <QTableWidget>
#include <QTest>

namespace loopscope::views::test {
namespace test_list_finding {

SearchField* open_field(QAbstractItemView& list) {
    list.show();
    ListFinding::start(list);
    return list.findChild<SearchField*>();
}

TEST(ListFinding, FindsAsTypedAndGoesOnAndBack) {
    QListWidget list;
    list.addItems({"alpha", "beta", "gamma", "delta"});
    list.resize(400, 200);
    auto* field = open_field(list);
    ASSERT_TRUE(field);
    EXPECT_TRUE(field->isVisible());
    EXPECT_TRUE(list.rect().contains(field->geometry()));
    QTest::keyClicks(field, "TA");
    EXPECT_EQ(list.currentRow(), 1) << "the first one, whatever the case";
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(list.currentRow(), 3);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(list.currentRow(), 1) << "from the beginning again";
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(list.currentRow(), 3) << "backwards from the end again";
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(list.currentRow(), 1);
    EXPECT_EQ(list.selectedItems().size(), 1);
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_FALSE(field->isVisible());
    EXPECT_EQ(list.currentRow(), 1) << "what was found stays";
    ListFinding::start(list);
    EXPECT_EQ(list.findChildren<SearchField*>().size(), 1) << "the same field";
}

TEST(ListFinding, SaysThatNothingIsFound) {
    QListWidget list;
    list.addItems({"alpha", "beta"});
    list.setCurrentRow(1);
    auto* field = open_field(list);
    QTest::keyClicks(field, "alz");
    EXPECT_EQ(field->accessibleDescription(), "nothing found");
    EXPECT_EQ(list.currentRow(), 0) << "where \"al\" was";
    QTest::keyClick(field, Qt::Key_Backspace);
    EXPECT_EQ(field->accessibleDescription(), "");
    QListWidget none;
    auto* in_none = open_field(none);
    QTest::keyClicks(in_none, "a");
    QTest::keyClick(in_none, Qt::Key_Return);
    EXPECT_EQ(in_none->accessibleDescription(), "nothing found");
}

TEST(ListFinding, InAnyColumnThatIsShown) {
    QTableWidget table(2, 2);
    table.setItem(0, 0, new QTableWidgetItem("one"));
    table.setItem(1, 1, new QTableWidgetItem("two"));
    auto* field = open_field(table);
    QTest::keyClicks(field, "two");
    EXPECT_EQ(table.currentRow(), 1);
    table.setColumnHidden(1, true);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(field->accessibleDescription(), "nothing found");
}

TEST(ListFinding, RowsInsideOthersAreBroughtToSight) {
    HistoryView view;
    view.set_rows({{1, 0, "default", "", ""},
                   {2, 1, "split", "", ""},
                   {3, 2, "vectorise", "", ""},
                   {4, 2, "unroll", "", ""}},
                  1);
    view.resize(400, 200);
    auto* field = open_field(view);
    view.collapseAll();
    QTest::keyClicks(field, "vectorise");
    EXPECT_EQ(view.currentIndex().data(HistoryModel::RevisionRole).toLongLong(), 3);
    EXPECT_TRUE(view.visualRect(view.currentIndex()).isValid());
}

TEST(ListFinding, TheTreeGoesBackAsWell) {
    ScheduleTreeView view;
    view.set_tree(bundled_tree("harris"));
    view.resize(500, 300);
    view.show();
    view.start_search();
    auto* field = view.findChild<SearchField*>();
    ASSERT_TRUE(field);
    QTest::keyClicks(field, "y");
    QTest::keyClick(field, Qt::Key_Return);
    const auto first = view.selected();
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_NE(view.selected(), first);
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(view.selected(), first);
    QTest::keyClicks(field, "qqq");
    EXPECT_EQ(field->accessibleDescription(), "nothing found");
}

} // namespace test_list_finding
} // namespace loopscope::views::test
