#include "core/base/result.h"
#include "views/models/diagnostic_list.h"
#include "views/models/measurement_table.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace loopscope::views {

namespace test_lists_and_tables {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

MeasurementRow measured() {
    MeasurementRow row;
    row.id = 7;
    row.revision = 3;
    row.schedule = "tiled, \"8 by 8\"";
    row.device = "host";
    row.when = QDateTime(QDate(2026, 11, 20), QTime(12, 0), Qt::UTC);
    row.median_seconds = 0.00205;
    row.min_seconds = 0.002;
    row.interval_seconds = 1e-5;
    row.predicted_seconds = 0.00196;
    row.samples = 31;
    row.threads = 2;
    row.flops_per_second = 4e9;
    return row;
}

MeasurementRow failed() {
    MeasurementRow row;
    row.schedule = "deep";
    row.failed = true;
    row.message = "the worker ran out of memory";
    return row;
}

MeasurementRows rows(std::vector<MeasurementRow> list) {
    return std::make_shared<const std::vector<MeasurementRow>>(std::move(list));
}

TEST(MeasurementTable, IsAModel) {
    MeasurementTableModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.set_rows(rows({measured(), failed()}));
    model.set_rows(nullptr);
    EXPECT_EQ(model.rowCount({}), 0);
    model.set_rows(rows({failed()}));
    EXPECT_EQ(model.rowCount({}), 1);
}

TEST(MeasurementTable, FormatsAndSorts) {
    MeasurementTableModel model;
    model.set_rows(rows({measured(), failed()}));
    const auto text = [&](int row, int column) {
        return model.index(row, column).data().toString();
    };
    EXPECT_EQ(text(0, MeasurementTableModel::Median), QString("2.05\u202fms"));
    EXPECT_EQ(text(0, MeasurementTableModel::Ratio), QStringLiteral("1×"));
    EXPECT_EQ(text(0, MeasurementTableModel::Bandwidth), QStringLiteral("–"));
    EXPECT_EQ(text(1, MeasurementTableModel::Median), "failed");
    EXPECT_EQ(text(1, MeasurementTableModel::Predicted), QStringLiteral("–"))
        << "a failure has no figures";
    EXPECT_EQ(model.index(1, 0).data(Qt::ToolTipRole).toString(), "the worker ran out of memory");
    EXPECT_LT(model.index(0, MeasurementTableModel::Median)
                  .data(MeasurementTableModel::SortRole)
                  .toDouble(),
              model.index(1, MeasurementTableModel::Median)
                  .data(MeasurementTableModel::SortRole)
                  .toDouble());
    for (int column = 0; column < model.columnCount({}); ++column)
        EXPECT_FALSE(
            model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
}

TEST(MeasurementTable, CsvKeepsEveryDigitAndQuotesWhatNeedsIt) {
    const QStringList lines = to_csv({measured(), failed()}).split("\r\n");
    ASSERT_EQ(lines.size(), 4);
    EXPECT_EQ(lines[0], "schedule,median_s,min_s,ci95_s,predicted_s,flops_per_s,bytes_per_s,"
                        "threads,samples,device,when,error");
    EXPECT_EQ(lines[1].toStdString(),
              "\"tiled, \"\"8 by "
              "8\"\"\",0.00205,0.002,1e-05,0.00196,4e+09,,2,31,host,2026-11-20T12:00:00Z,");
    EXPECT_EQ(lines[2].count(','), lines[0].count(','));
    EXPECT_TRUE(lines[2].endsWith("the worker ran out of memory"));
    EXPECT_EQ(lines[3], "");
}

TEST(MeasurementTable, AGpuHasNoThreadsOfAProcessor) {
    auto row = measured();
    row.threads = 0;
    MeasurementTableModel model;
    model.set_rows(rows({row}));
    EXPECT_EQ(model.index(0, MeasurementTableModel::Threads).data().toString(),
              QStringLiteral("–"));
    EXPECT_TRUE(to_csv({row}).contains(",4e+09,,,31,host"));
}

TEST(DiagnosticList, IsAModelInTheOrderOfTheText) {
    DiagnosticListModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    auto file = std::make_shared<SourceFile>("a.sched", "schedule for x\nA.split(q)\nB.inlin()\n");
    Diagnostics found;
    found.push_back(error("there is no directive `inlin`", "did you mean `inline`?",
                          SourceRange{file, 28, 33}));
    found.push_back(error("there is no loop `q`", {}, SourceRange{file, 23, 24}));
    model.set_diagnostics(found);
    ASSERT_EQ(model.rowCount({}), 2);
    EXPECT_EQ(model.index(0).data().toString(), "line 2: error: there is no loop `q`");
    EXPECT_EQ(model.index(1).data(DiagnosticListModel::LineRole).toInt(), 3);
    EXPECT_EQ(model.index(1).data(DiagnosticListModel::ColumnRole).toInt(), 3);
    EXPECT_EQ(model.index(1).data(Qt::ToolTipRole).toString(), "did you mean `inline`?");
    model.set_diagnostics({});
    EXPECT_EQ(model.rowCount({}), 0);
}

TEST(DiagnosticList, OfVeryManyTheFirstAreListed) {
    DiagnosticListModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.set_diagnostics(Diagnostics(25, error("there is no loop `q`")));
    ASSERT_EQ(model.rowCount({}), 21);
    EXPECT_EQ(model.index(19).data().toString(), "error: there is no loop `q`");
    EXPECT_EQ(model.index(20).data().toString(), "and 5 more");
    EXPECT_FALSE(model.index(20).data(DiagnosticListModel::LineRole).isValid());
    model.set_diagnostics(Diagnostics(20, error("there is no loop `q`")));
    EXPECT_EQ(model.rowCount({}), 20);
}

TEST(DiagnosticList, WithoutAPlaceThereIsNoLine) {
    DiagnosticListModel model;
    model.set_diagnostics(Diagnostics(1, error("the device has too little memory")));
    EXPECT_EQ(model.index(0).data().toString(), "error: the device has too little memory");
}

} // namespace test_lists_and_tables
} // namespace loopscope::views
