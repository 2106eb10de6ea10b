// Ctrl+F in panels that are lists.
#include "tests/gui/gui_support.h"
#include "views/widgets/history_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/search_field.h"

#include <QTableView>
#include <QTest>

namespace loopscope::app::test {
namespace test_finding {

using views::SearchField;

using FindingInLists = WindowTest;

TEST_F(FindingInLists, TheHistoryIsSearchedByKeysAlone) {
    auto& window = open("harris.loop");
    const auto at_first = window.session().document()->current().id;
    click({"out", 0, "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    ASSERT_TRUE(window.show_panel("history"));
    auto* history = history_view(window);
    const auto now = window.session().document()->current().id;
    ASSERT_NE(now, at_first);
    const auto first = history->history_model()->index_of(at_first).data().toString();
    history->setFocus();
    QTest::keyClick(history, Qt::Key_F, Qt::ControlModifier);
    auto* field = history->findChild<SearchField*>();
    ASSERT_TRUE(field);
    ASSERT_TRUE(field->isVisible());
    QTest::keyClicks(field, first);
    EXPECT_EQ(history->currentIndex().data(views::HistoryModel::RevisionRole).toLongLong(),
              at_first);
    EXPECT_EQ(window.session().document()->current().id, now) << "finding is not going there";
    QTest::keyClicks(field, "qqq");
    EXPECT_EQ(field->accessibleDescription(), "nothing found");
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_FALSE(field->isVisible());
    EXPECT_TRUE(history->hasFocus());
}

TEST_F(FindingInLists, TheMeasurementsAsWell) {
    auto& window = open("matmul.loop", {{}, {{"M", 64}, {"N", 64}, {"K", 64}}, "host"});
    window.session().tasks().measure(0.1);
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(window.show_panel("measurements"));
    auto* table = measurements_view(window)->findChild<QTableView*>();
    ASSERT_TRUE(table);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_F, Qt::ControlModifier);
    auto* field = table->findChild<SearchField*>();
    ASSERT_TRUE(field);
    EXPECT_TRUE(field->isVisible());
}

} // namespace test_finding
} // namespace loopscope::app::test
