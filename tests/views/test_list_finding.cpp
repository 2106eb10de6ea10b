// Finding rows by text, in any list.
#include "tests/views/fixtures.h"
#include "views/widgets/history_view.h"
#include "views/widgets/list_finding.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/search_field.h"

#include <gtest/gtest.h>

#include <QListWidget>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTest>

namespace loopscope::views::test {
namespace test_list_finding {

SearchField* open_field(QAbstractItemView& list) {
    list.show();
    ListFinding::start(list);
    return list.findChild<SearchField*>();
}

// All of a row, to the edge of the list, in the list's coordinates.
QRect whole_row(const QAbstractItemView& list, const QModelIndex& row) {
    const QRect cell = list.visualRect(row).translated(list.viewport()->pos());
    return {list.viewport()->x(), cell.y(), list.viewport()->width(), cell.height()};
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
    EXPECT_EQ(field->accessibleDescription(), "1 of 2");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(list.currentRow(), 3);
    EXPECT_EQ(field->accessibleDescription(), "2 of 2");
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
    EXPECT_EQ(field->accessibleDescription(), "1 of 1");
    field->clear();
    EXPECT_EQ(field->accessibleDescription(), "");
    QListWidget none;
    auto* in_none = open_field(none);
    QTest::keyClicks(in_none, "a");
    QTest::keyClick(in_none, Qt::Key_Return);
    EXPECT_EQ(in_none->accessibleDescription(), "nothing found");
}

// Wherever the rows stand: a short list has room below them, in a long one the field steps aside.
TEST(ListFinding, TheFieldCoversNoRowThatIsLookedFor) {
    for (const int rows : {3, 40}) {
        SCOPED_TRACE(rows);
        QListWidget list;
        for (int row = 0; row < rows; ++row)
            list.addItem("row " + QString::number(row));
        list.resize(260, 160);
        auto* field = open_field(list);
        QTest::keyClicks(field, "row");
        for (int hit = 0; hit < rows; ++hit) {
            const QRect row = whole_row(list, list.currentIndex());
            EXPECT_FALSE(field->geometry().intersects(row)) << hit;
            EXPECT_TRUE(list.viewport()->geometry().contains(row)) << hit;
            EXPECT_TRUE(list.rect().contains(field->geometry())) << hit;
            QTest::keyClick(field, Qt::Key_Return);
        }
        EXPECT_EQ(list.currentRow(), 0) << "from the beginning again";
        EXPECT_FALSE(field->geometry().intersects(whole_row(list, list.currentIndex())));
        list.resize(300, 140);
        EXPECT_TRUE(list.rect().contains(field->geometry())) << "it keeps to the corner";
        EXPECT_GT(field->geometry().right(), list.width() - 60);
    }
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
    static const QRegularExpression which("^([0-9]+) of ([0-9]+)$");
    const auto said = which.match(field->accessibleDescription());
    ASSERT_TRUE(said.hasMatch()) << field->accessibleDescription().toStdString();
    EXPECT_GE(said.captured(2).toInt(), 2);
    EXPECT_FALSE(field->geometry().intersects(whole_row(view, view.currentIndex())));
    QTest::keyClicks(field, "qqq");
    EXPECT_EQ(field->accessibleDescription(), "nothing found");
}

} // namespace test_list_finding
} // namespace loopscope::views::test
