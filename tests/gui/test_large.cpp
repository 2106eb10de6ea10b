// Large is normal: a pipeline of 2,500 nodes, trees and tables of 5,000 rows. Times are recorded,
// never asserted: the machine is shared. What is asserted is that everything is there and can be
// reached.

#include "tests/gui/gui_support.h"

#include "tests/support/large_pipeline.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"
#include "views/style/theme.h"
#include "views/widgets/history_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

#include <cstdio>
#include <fstream>

namespace loopscope::app::test {

namespace {

class Large : public WindowTest {
protected:
    // Since `clock`: the time on the wall, and that in which this thread had a core, what a quiet
    // machine would take.
    void record(const char* what, const Stopwatch& clock) {
        std::printf("[ RECORD   ] %s: %.0f ms (%.0f busy)\n", what, clock.wall(), clock.busy());
        RecordProperty(what, static_cast<int>(clock.busy()));
        std::fflush(stdout);
    }
    void record_block(const char* what) {
        auto& recorder = LatencyRecorder::instance();
        std::printf("[ RECORD   ] %s: longest block %.0f ms, by %s\n", what, recorder.worst(),
                    recorder.worst_by().c_str());
        RecordProperty(what, static_cast<int>(recorder.worst()));
        recorder.restart();
    }
    std::string network(int blocks) {
        const auto path = loopscope::test::scratch_folder() + "/network.loop";
        std::ofstream(path) << loopscope::test::network_text(blocks);
        return path;
    }
    // Down by keys, page by page, and by the wheel, to the end and back.
    void scroll(QAbstractScrollArea& view, QWidget& keys) {
        auto* bar = view.verticalScrollBar();
        ASSERT_GT(bar->maximum(), 0);
        keys.setFocus();
        for (int i = 0; i < 60; ++i)
            QTest::keyClick(&keys, Qt::Key_Down);
        for (int i = 0; i < 60; ++i)
            QTest::keyClick(&keys, Qt::Key_PageDown);
        for (int i = 0; i < 60; ++i)
            wheel(view, -120);
        QTest::keyClick(&keys, Qt::Key_End,
                        Qt::ControlModifier); // a table's End is that of its row
        QTest::qWait(1);
        EXPECT_EQ(bar->value(), bar->maximum());
        for (int i = 0; i < 60; ++i)
            wheel(view, 120);
        EXPECT_LT(bar->value(), bar->maximum());
        QTest::keyClick(&keys, Qt::Key_Home, Qt::ControlModifier);
        QTest::qWait(1);
        EXPECT_EQ(bar->value(), bar->minimum());
    }
    void wheel(QAbstractScrollArea& view, int angle) {
        const QPointF at = view.viewport()->rect().center();
        QWheelEvent event(at, view.viewport()->mapToGlobal(at), {}, {0, angle}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
        QTest::qWait(1);
    }
};

} // namespace

TEST_F(Large, AGraphOf2500NodesOpens) {
    LOOPSCOPE_LONG_TEST();
    LOOPSCOPE_TEST_IN_TURN(1, 2);
    const auto path = QString::fromStdString(network(500));
    auto& window = show();
    LatencyRecorder::instance().restart();
    Stopwatch clock;
    ASSERT_TRUE(window.open_path(path));
    record("open_path of 2502 nodes", clock);
    auto* graph = graph_view(window);
    ASSERT_TRUE(wait_until([&] { return !graph->layout_pending(); }));
    EXPECT_EQ(graph->graph().nodes.size(), 3u) << "too many to be read: it opens folded";
    QTest::keyClick(graph, Qt::Key_G, Qt::ShiftModifier);
    ASSERT_TRUE(wait_until([&] { return !graph->layout_pending(); }));
    record("graph of 2502 nodes is drawn after", clock);
    ASSERT_EQ(graph->graph().nodes.size(), 2502u);
    EXPECT_EQ(graph->layout_shown().nodes.size(), 2502u);
    record_block("opening");
    ASSERT_TRUE(settle());
    record("everything of 2502 nodes is shown after", clock);
    record_block("estimating");
    graph->setFocus();
    for (int i = 0; i < 20; ++i) {
        graph->zoom_by(i < 10 ? 1.5 : 0.7);
        graph->repaint();
    }
    record_block("zooming");
    clock = Stopwatch();
    QTest::keyClick(graph, Qt::Key_G, Qt::ShiftModifier);
    ASSERT_TRUE(wait_until([&] { return !graph->layout_pending(); }));
    EXPECT_EQ(graph->graph().nodes.size(), 3u);
    record("folding", clock);
    // An edit with all of it open.
    QTest::keyClick(graph, Qt::Key_G, Qt::ShiftModifier);
    ASSERT_TRUE(wait_until([&] { return !graph->layout_pending(); }));
    clock = Stopwatch();
    ASSERT_TRUE(window.session().apply_directive("act7.inline()"));
    record("an edit", clock);
    ASSERT_TRUE(settle());
    record("an edit is shown after", clock);
    record_block("an edit");
}

TEST_F(Large, AScheduleTreeOf5000RowsScrolls) {
    LOOPSCOPE_LONG_TEST();
    const auto path = QString::fromStdString(network(200)); // 1,001 stages, five rows each
    auto& window = show();
    ASSERT_TRUE(window.open_path(path));
    ASSERT_TRUE(settle());
    auto* tree = tree_view(window);
    key(Qt::Key_G, Qt::ShiftModifier); // it opens folded
    ASSERT_TRUE(settle());
    const auto rows = tree->schedule_model()->count_rows(100'000);
    std::printf("[ RECORD   ] rows of the schedule tree: %zu, made: %zu\n", rows,
                tree->schedule_model()->rows_made());
    EXPECT_GE(rows, 4000u);
    EXPECT_LT(tree->schedule_model()->rows_made(), 2 * rows / 3) << "most were never opened";
    EXPECT_TRUE(tree->uniformRowHeights());
    LatencyRecorder::instance().restart();
    scroll(*tree, *tree);
    record_block("scrolling the schedule tree");
    Stopwatch clock;
    window.session().select({"out200", 0, "i"});
    QTest::qWait(1);
    record("selecting the last stage", clock);
    EXPECT_EQ(tree->selected(), (NodeId{"out200", 0, "i"}));
    EXPECT_TRUE(tree->viewport()->rect().intersects(tree->visualRect(tree->currentIndex())));
    record_block("selecting");
    clock = Stopwatch();
    tree->collapse_all();
    QTest::qWait(1);
    tree->expand_all();
    QTest::qWait(1);
    record("folding and unfolding every row", clock);
    record_block("folding");
}

TEST_F(Large, AMeasurementTableOf5000RowsScrolls) {
    views::MeasurementsView view;
    view.resize(900, 300);
    view.show();
    auto rows = std::make_shared<std::vector<views::MeasurementRow>>(5000);
    for (std::size_t i = 0; i < rows->size(); ++i) {
        auto& row = (*rows)[i];
        row.id = static_cast<qint64>(i);
        row.schedule = QStringLiteral("split C.k by %1").arg(i % 97);
        row.device = "host";
        row.when = QDateTime::fromSecsSinceEpoch(1700000000 + static_cast<qint64>(i));
        row.median_seconds = 1e-3 * static_cast<double>(1 + (i * 7919) % 5000);
        row.predicted_seconds = row.median_seconds * 0.9;
        row.baseline_seconds = 2.5;
    }
    LatencyRecorder::instance().restart();
    Stopwatch clock;
    view.set_rows(rows);
    QTest::qWait(1);
    record("5000 measurements are shown after", clock);
    auto* table = view.findChild<QTableView*>();
    ASSERT_TRUE(table);
    EXPECT_EQ(table->model()->rowCount(), 5000);
    scroll(*table, *table);
    record_block("scrolling the measurements");
    clock = Stopwatch();
    table->sortByColumn(views::MeasurementTableModel::Median, Qt::AscendingOrder);
    QTest::qWait(1);
    record("sorting 5000 measurements", clock);
    record_block("sorting the measurements");
    clock = Stopwatch();
    rows = std::make_shared<std::vector<views::MeasurementRow>>(*rows);
    rows->push_back(rows->back());
    view.set_rows(rows);
    QTest::qWait(1);
    record("one more measurement", clock);
}

TEST_F(Large, AHistoryOf5000SchedulesScrolls) {
    views::HistoryView view;
    view.resize(300, 300);
    view.show();
    std::vector<views::HistoryRow> rows;
    for (int i = 1; i <= 5000; ++i)
        rows.push_back({i,
                        i % 50 == 0 ? i - 7 : i - 1,
                        QStringLiteral("split C.k by %1").arg(i),
                        {},
                        QStringLiteral("%1 ms").arg(i)});
    LatencyRecorder::instance().restart();
    Stopwatch clock;
    view.set_rows(rows, 5000);
    QTest::qWait(1);
    record("5000 schedules are shown after", clock);
    EXPECT_TRUE(view.uniformRowHeights());
    scroll(view, view);
    record_block("scrolling the history");
    clock = Stopwatch();
    for (auto& row : rows)
        row.estimated += " 1.1×";
    view.set_rows(rows, 4999);
    QTest::qWait(1);
    record("new times for 5000 schedules", clock);
    rows.push_back({5001, 5000, "one more", "", "1 ms"});
    clock = Stopwatch();
    view.set_rows(rows, 5001);
    QTest::qWait(1);
    record("one more schedule", clock);
    record_block("changing the history");
}

} // namespace loopscope::app::test
