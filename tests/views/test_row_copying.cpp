// Ctrl+C and "Save as CSV…" of lists, tables and trees.
#include "tests/support/support.h"
#include "views/models/csv.h"
#include "views/widgets/error_list.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/history_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/row_copying.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

namespace loopscope::views::test {
namespace test_row_copying {

QString copied_from(QWidget& view) {
    QApplication::clipboard()->setText("before");
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    return QApplication::clipboard()->text();
}

FactRow named_row(const QString& name, const QString& value) {
    FactRow row;
    row.name = name;
    row.value = value;
    return row;
}

TEST(RowCopying, LinesPartTheirCells) {
    EXPECT_EQ(tabbed_line({"a\tb\nc", "", "d"}), "a b c\t\td");
    EXPECT_EQ(csv_line({"a,b", "say \"c\"", "d"}), "\"a,b\",\"say \"\"c\"\"\",d\r\n");
}

TEST(RowCopying, NoCellIsAFormula) {
    EXPECT_EQ(csv_line({"=1+1", "+a", "-a", "@a", "\ta"}),
              "\"'=1+1\",\"'+a\",\"'-a\",\"'@a\",\"'\ta\"\r\n");
    EXPECT_EQ(csv_line({"=f(\"a\")", "\ra"}), "\"'=f(\"\"a\"\")\",\"'\ra\"\r\n");
    EXPECT_EQ(csv_line({"-1.5", "+2e-3", "-", "a=b"}), "-1.5,+2e-3,-,a=b\r\n")
        << "a number is none, nor a sign alone";
    EXPECT_EQ(tabbed_line({"=1+1", "\ta", "-1", "+", "a"}), "'=1+1\t' a\t-1\t+\ta");
}

TEST(RowCopying, TheSelectedRowsOfATreeInItsOrder) {
    HistoryView view;
    view.set_rows({{1, 0, "default", "", "4 ms"},
                   {2, 1, "split", "", "2 ms"},
                   {3, 2, "vectorise", "", "1 ms"},
                   {4, 2, "unroll", "", ""}},
                  4);
    view.resize(500, 200);
    view.show();
    const auto choose = [&](qint64 revision, QItemSelectionModel::SelectionFlags how) {
        view.selectionModel()->select(view.history_model()->index_of(revision),
                                      how | QItemSelectionModel::Rows);
    };
    choose(3, QItemSelectionModel::ClearAndSelect);
    choose(1, QItemSelectionModel::Select);
    EXPECT_EQ(copied_from(view), "default\t4 ms\nvectorise\t1 ms") << "nothing was measured";
    auto* rows = view.findChild<RowCopying*>();
    ASSERT_TRUE(rows);
    const auto lines = rows->csv().split("\r\n");
    ASSERT_EQ(lines.size(), 1 + 4 + 1) << "headings, rows, and the last line's end";
    EXPECT_EQ(lines[2], "split,2 ms");
    EXPECT_EQ(lines[3], "vectorise,1 ms") << "also what stands inside";
    const auto path = QString::fromStdString(loopscope::test::scratch_folder()) + "/h.csv";
    ASSERT_TRUE(rows->save_csv(path));
    EXPECT_EQ(QString::fromStdString(loopscope::test::read_file(path.toStdString())), rows->csv());
    EXPECT_FALSE(rows->save_csv("/no/such/folder/h.csv"));
}

TEST(RowCopying, AMeasurementIsCopiedAsItIsShown) {
    std::vector<MeasurementRow> measured(2);
    measured[0].schedule = "tiled";
    measured[0].median_seconds = 0.002;
    measured[1].schedule = "plain";
    measured[1].median_seconds = 0.004;
    MeasurementsView view;
    view.set_rows(std::make_shared<const std::vector<MeasurementRow>>(measured));
    view.resize(900, 200);
    view.show();
    auto* table = view.findChild<QTableView*>();
    ASSERT_TRUE(table);
    table->sortByColumn(MeasurementTableModel::Median, Qt::AscendingOrder);
    table->selectRow(0);
    const auto text = copied_from(*table);
    EXPECT_EQ(text.count('\n'), 0);
    const auto cells = text.split('\t');
    ASSERT_EQ(cells.size(), table->model()->columnCount());
    EXPECT_EQ(cells[MeasurementTableModel::Schedule], "tiled");
    EXPECT_EQ(cells[MeasurementTableModel::Median],
              table->model()->index(0, MeasurementTableModel::Median).data().toString());
    table->selectAll();
    EXPECT_EQ(copied_from(*table).count('\n'), 1);
}

TEST(RowCopying, OfFactsTheOneThatWasClickedOrAll) {
    FactRows rows;
    rows.set_rows({named_row("threads", "2"), named_row("waves", "1")});
    rows.resize(300, 80);
    rows.show();
    EXPECT_EQ(copied_from(rows), "threads\t2\t\nwaves\t1\t");
    QTest::mouseClick(&rows, Qt::LeftButton, {}, QPoint(20, static_cast<int>(rows.top_of(1)) + 5));
    EXPECT_EQ(copied_from(rows), "waves\t1\t");
    rows.set_rows({named_row("threads", "2")});
    EXPECT_EQ(copied_from(rows), "threads\t2\t") << "what was chosen is gone";
}

TEST(RowCopying, AListHasAMenuForIt) {
    ErrorList list;
    list.set_diagnostics({error("no loop y"), error("no loop z")});
    list.show();
    list.setCurrentIndex(list.model()->index(1, 0));
    EXPECT_EQ(copied_from(list), "error: no loop z");
    auto* rows = list.findChild<RowCopying*>();
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->csv(), "error: no loop y\r\nerror: no loop z\r\n");
    QSignalSpy saving(rows, &RowCopying::saveRequested);
    emit list.customContextMenuRequested({5, 5});
    auto* menu = list.findChild<QMenu*>();
    ASSERT_TRUE(menu);
    QStringList entries;
    for (auto* action : menu->actions()) {
        entries << action->text().section('\t', 0, 0);
        if (entries.last() == "Save as CSV…")
            action->trigger();
    }
    EXPECT_EQ(entries, (QStringList{"Copy", "Save as CSV…"}));
    EXPECT_EQ(saving.count(), 1);
    menu->close();
}

} // namespace test_row_copying
} // namespace loopscope::views::test
