// The history as rows: branches, the present revision, names; and what changes without moving
// anything.

#include "views/models/history_model.h"
#include "views/widgets/history_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QImage>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <utility>

namespace loopscope::views::test {

namespace {

// 1 - 2 - 4 - 5, and 3, which was left at 2.
std::vector<HistoryRow> branching() {
    return {{1, 0, "default", "", "4 ms"},
            {2, 1, "split", "", "2 ms  2×"},
            {3, 2, "vectorise", "", "1 ms  2×"},
            {4, 2, "unroll", "", ""},
            {5, 4, "parallel", "", "1.5 ms"}};
}

} // namespace

TEST(History, MarksWhatWasChecked) {
    HistoryModel model;
    HistoryRow right{1, 0, "right", "", ""}, wrong{2, 1, "wrong", "", ""},
        open{3, 2, "open", "", ""};
    right.checked = HistoryRow::Checked::Right;
    right.check_tip = "Checked on host.";
    wrong.checked = HistoryRow::Checked::Wrong;
    model.set_rows({right, wrong, open}, 3);
    auto shown = [&](qint64 revision, int role) {
        return model.data(model.index_of(revision), role).toString();
    };
    EXPECT_EQ(shown(1, Qt::DisplayRole), "✓ right");
    EXPECT_EQ(shown(2, Qt::DisplayRole), "✗ wrong");
    EXPECT_EQ(shown(3, Qt::DisplayRole), "open");
    EXPECT_EQ(shown(1, Qt::EditRole), "right") << "the mark is no part of its name";
    EXPECT_EQ(shown(2, Qt::AccessibleTextRole), "wrong, checked: wrong");
    EXPECT_TRUE(shown(1, Qt::ToolTipRole).startsWith("Checked on host."));
}

TEST(History, OnlyBranchesIndent) {
    HistoryModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_EQ(model.rowCount(), 0);
    EXPECT_TRUE(model.set_rows(branching(), 3));
    ASSERT_EQ(model.rowCount(), 4) << "1, 2, 4 and 5 stand below each other: the newest line";
    const auto second = model.index(1, 0);
    EXPECT_EQ(second.data().toString(), "split");
    ASSERT_EQ(model.rowCount(second), 1) << "what was left stands below what it was made of";
    EXPECT_EQ(model.index(0, 0, second).data().toString(), "vectorise");
    EXPECT_EQ(model.index(2, 0).data().toString(), "unroll");
    EXPECT_EQ(model.index_of(5), model.index(3, 0));
    EXPECT_FALSE(model.index_of(77).isValid());
    EXPECT_EQ(model.current().data(HistoryModel::RevisionRole).toLongLong(), 3);
    EXPECT_TRUE(model.current().data(HistoryModel::CurrentRole).toBool());
}

TEST(History, NewTimesMoveNothing) {
    HistoryModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_rows(branching(), 3);
    const QPersistentModelIndex kept = model.index_of(5);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    auto rows = branching();
    rows[4].measured = "1.2 ms";
    EXPECT_FALSE(model.set_rows(rows, 5));
    EXPECT_EQ(reset.count(), 0);
    EXPECT_EQ(kept.sibling(kept.row(), HistoryModel::Measured).data().toString(), "1.2 ms");
    EXPECT_TRUE(kept.data(HistoryModel::CurrentRole).toBool());
    rows.push_back({6, 5, "one more", "", ""});
    EXPECT_TRUE(model.set_rows(rows, 6));
    EXPECT_EQ(model.rowCount(), 5);
    EXPECT_EQ(model.rowCount(model.index(1, 0)), 1);
}

// Two branches of one revision stand one after the other, each with all of its rows.
TEST(History, BranchesDoNotMix) {
    HistoryModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_rows({{1, 0, "a", "", ""},
                    {2, 1, "b", "", ""},
                    {3, 1, "c", "", ""},
                    {4, 2, "b2", "", ""},
                    {5, 3, "c2", "", ""},
                    {6, 1, "d", "", ""}},
                   6);
    ASSERT_EQ(model.rowCount(), 2);
    const auto first = model.index(0, 0);
    QStringList below;
    for (int row = 0; row < model.rowCount(first); ++row)
        below << model.index(row, 0, first).data().toString();
    EXPECT_EQ(below, QStringList({"b", "b2", "c", "c2"}));
    EXPECT_EQ(model.index(1, 0).data().toString(), "d");
}

TEST(History, AClickGoesAndTheCurrentRowIsInSight) {
    std::vector<HistoryRow> rows;
    for (int id = 1; id <= 60; ++id)
        rows.push_back({id, id - 1, QString::number(id), "", ""});
    HistoryView view;
    view.resize(300, 200);
    view.set_rows(rows, 60); // before there is anything to scroll
    view.show();
    QTest::qWait(20);
    const auto last = view.visualRect(view.history_model()->index_of(60));
    EXPECT_TRUE(view.viewport()->rect().contains(last.center()));
    QSignalSpy activated(&view, &HistoryView::revisionActivated);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                      view.visualRect(view.history_model()->index_of(58)).center());
    ASSERT_GE(activated.count(), 1);
    EXPECT_EQ(activated[0][0].toLongLong(), 58);
    activated.clear();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, last.center());
    EXPECT_EQ(activated.count(), 0) << "where one is already";
}

TEST(History, ANameIsTypedAndEnterGoesToARevision) {
    HistoryView view;
    view.resize(300, 200);
    view.set_rows(branching(), 3);
    view.show();
    QSignalSpy renamed(&view, &HistoryView::renamed),
        activated(&view, &HistoryView::revisionActivated);
    EXPECT_EQ(view.currentIndex(), view.history_model()->current());
    EXPECT_TRUE(
        view.history_model()->setData(view.history_model()->index_of(2), "tiles", Qt::EditRole));
    ASSERT_EQ(renamed.count(), 1);
    EXPECT_EQ(renamed[0][0].toLongLong(), 2);
    EXPECT_EQ(renamed[0][1].toString(), "tiles");
    EXPECT_FALSE(
        view.history_model()->setData(view.history_model()->index_of(2), "  ", Qt::EditRole));
    view.setCurrentIndex(view.history_model()->index_of(1));
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Return);
    ASSERT_EQ(activated.count(), 1);
    EXPECT_EQ(activated[0][0].toLongLong(), 1);
    // Other times keep the row that the person is on.
    view.set_rows(branching(), 3);
    EXPECT_EQ(view.currentIndex().data(HistoryModel::RevisionRole).toLongLong(), 1);
}

// A narrow panel says the names and the times; the speed-up comes where there is room for it.
TEST(History, NamesHaveRoomBesideTheTimes) {
    HistoryView view;
    auto rows = branching();
    rows[1].name = "open a_schedule_of_somebody.sched";
    rows[1].estimated = "2.23 ms  15.4×";
    view.set_rows(rows, 3);
    view.show();
    for (const int width : {200, 600}) {
        view.resize(width, 200);
        QTest::qWait(20);
        const auto name = view.visualRect(view.history_model()->index_of(2));
        EXPECT_GE(name.width(), 0.4 * width);
        const int times = view.columnWidth(HistoryModel::Estimated);
        const QFontMetricsF metrics(view.font());
        EXPECT_GE(times, metrics.horizontalAdvance("2.23 ms"));
        EXPECT_EQ(times > metrics.horizontalAdvance("2.23 ms  15.4×"), width == 600);
    }
}

TEST(History, OfAFilesNameTheEndingStays) {
    const QFont font;
    const QFontMetricsF metrics(font);
    const QString name = "open local_laplacian.cpu.sched";
    EXPECT_EQ(fitted_name(name, font, 1000), name);
    for (const double share : {0.85, 0.7, 0.6}) {
        const double room = share * metrics.horizontalAdvance(name);
        const QString said = fitted_name(name, font, room);
        EXPECT_TRUE(said.startsWith("local") && said.endsWith(".cpu.sched")) << said.toStdString();
        EXPECT_LE(metrics.horizontalAdvance(said), room + 1) << said.toStdString();
    }
    EXPECT_EQ(fitted_name("split C.k by 32", font, 20), "split C.k by 32");
}

TEST(History, HeadingsStandAboveTheirColumns) {
    HistoryView view;
    view.set_rows(branching(), 3);
    view.resize(400, 200);
    view.show();
    QTest::qWait(20);
    // Of both the columns of the picture that differ from their ground, on lines of their own.
    const auto inked = [](const QImage& picture) {
        std::pair<int, int> ends{picture.width(), -1};
        for (int x = 0; x < picture.width(); ++x)
            for (int y = 0; y < picture.height(); ++y)
                if (qGray(picture.pixel(x, y)) < 160) {
                    ends.first = std::min(ends.first, x);
                    ends.second = std::max(ends.second, x);
                }
        return ends;
    };
    const auto* model = view.history_model();
    const QImage names = view.viewport()->grab(view.visualRect(model->index_of(1))).toImage();
    const QRect row = view.visualRect(model->index_of(1));
    const auto heading = inked(
        view.header()
            ->grab(QRect(0, 0, view.columnWidth(HistoryModel::Name), view.header()->height() - 2))
            .toImage());
    EXPECT_NEAR(heading.first, row.x() + inked(names).first, 2);
    const QRect time = view.visualRect(model->index_of(1).siblingAtColumn(HistoryModel::Estimated));
    const auto figures = inked(view.viewport()->grab(time).toImage());
    const auto title =
        inked(view.header()
                  ->grab(QRect(time.x(), 0, time.width(), view.header()->height() - 2))
                  .toImage());
    EXPECT_NEAR(title.second, figures.second, 2);
}

// Measured and estimated are two columns that say which they are; a narrow panel shows what was
// measured.
TEST(History, MeasuredAndEstimatedTimesAreTwoColumns) {
    HistoryView view;
    auto rows = branching();
    for (auto& row : rows)
        row.estimated.clear();
    view.set_rows(rows, 3);
    EXPECT_TRUE(view.isHeaderHidden()) << "nothing to name yet";
    rows[0].measured = "36.2 ms";
    rows[1].estimated = "50.3 ms  1.4×";
    view.set_rows(rows, 3);
    EXPECT_FALSE(view.isHeaderHidden());
    view.show();
    view.resize(600, 200);
    QTest::qWait(20);
    const auto* model = view.history_model();
    EXPECT_EQ(model->headerData(HistoryModel::Measured, Qt::Horizontal, Qt::DisplayRole).toString(),
              "measured");
    const auto first = model->index_of(rows[0].id);
    EXPECT_EQ(first.siblingAtColumn(HistoryModel::Measured).data().toString(), "36.2 ms");
    EXPECT_EQ(first.siblingAtColumn(HistoryModel::Estimated).data().toString(), "");
    EXPECT_GT(view.columnWidth(HistoryModel::Measured), 0);
    EXPECT_GT(view.columnWidth(HistoryModel::Estimated), 0);
    view.resize(170, 200);
    QTest::qWait(20);
    EXPECT_GT(view.columnWidth(HistoryModel::Measured), 0);
    EXPECT_EQ(view.columnWidth(HistoryModel::Estimated), 0);
}

// Until something was measured the column takes no room, has no title and is not gone to by keys.
TEST(History, AColumnWithoutTimesIsNotThere) {
    HistoryView view;
    view.show();
    EXPECT_TRUE(view.isColumnHidden(HistoryModel::Measured)) << "before there is a document";
    auto rows = branching(); // estimated alone
    for (const int width : {200, 260, 600}) {
        SCOPED_TRACE(width);
        view.resize(width, 200);
        view.set_rows(rows, 3);
        QTest::qWait(20);
        EXPECT_FALSE(view.isHeaderHidden());
        EXPECT_TRUE(view.isColumnHidden(HistoryModel::Measured));
        EXPECT_FALSE(view.isColumnHidden(HistoryModel::Estimated));
        EXPECT_EQ(view.columnWidth(HistoryModel::Name) + view.columnWidth(HistoryModel::Estimated),
                  view.viewport()->width());
    }
    rows[4].measured = "1.2 ms";
    view.set_rows(rows, 3);
    EXPECT_FALSE(view.isColumnHidden(HistoryModel::Measured));
    EXPECT_GT(view.columnWidth(HistoryModel::Measured), 0);
    view.set_rows(branching(), 5); // another document
    EXPECT_TRUE(view.isColumnHidden(HistoryModel::Measured));
    EXPECT_EQ(view.columnWidth(HistoryModel::Measured), 0);
}

// Ctrl+Z is held while its step is shown: the row of now alone is marked.
TEST(History, AKeyThatIsHeldMarksNoMore) {
    HistoryView view;
    view.show();
    view.set_rows(branching(), 3);
    QTest::keyPress(&view, Qt::Key_Z, Qt::ControlModifier);
    view.set_rows(branching(), 5);
    view.set_rows(branching(), 2);
    QTest::keyRelease(&view, Qt::Key_Z);
    EXPECT_EQ(view.selected(), std::vector<qint64>{2});
}

} // namespace loopscope::views::test
