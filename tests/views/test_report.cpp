// The report as a page: it has all parts, and nothing in it is more than text.

#include "tests/support/support.h"
#include "tests/views/gpu_fixtures.h"
#include "tuner/model/gpu/shared_use.h"
#include "views/models/kernel_text.h"
#include "views/models/report.h"
#include "views/models/report_page.h"
#include "views/style/number_format.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/picture_export.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/timeline_view.h"

#include <gtest/gtest.h>

#include <QXmlStreamReader>

#include <string>

namespace loopscope::views::test {

namespace test_report {

// All texts between elements, where it is well-formed; else why it is not.
QString text_of(const QByteArray& page) {
    QString text;
    QXmlStreamReader reader(page);
    while (!reader.atEnd())
        if (reader.readNext() == QXmlStreamReader::Characters)
            text += reader.text();
    return reader.hasError() ? "no XML: " + reader.errorString() : text;
}

qsizetype count_of(const QByteArray& page, const char* element) {
    return page.count('<' + QByteArray(element) + '>') +
           page.count('<' + QByteArray(element) + ' ');
}

ReportFigure figure(Pictured& of) {
    const auto picture = of.picture().value();
    return {picture.title, picture_bytes(picture, PictureForm::Svg).value(), {}};
}

MeasurementRow measured(const QString& schedule) {
    MeasurementRow row;
    row.revision = 2;
    row.schedule = schedule;
    row.device = "host";
    row.when = QDateTime(QDate(2026, 11, 20), QTime(12, 0), Qt::UTC);
    row.median_seconds = 0.00205;
    row.min_seconds = 0.002;
    row.interval_seconds = 1e-5;
    row.samples = 31;
    row.threads = 2;
    return row;
}

Report report_of(const std::string& name, const ScheduleTreePtr& tree, const DevicePtr& device,
                 const EstimatePtr& estimate, const std::string& script) {
    Report report;
    report.pipeline = to_qstring(name);
    report.file = to_qstring(name + ".loopscope");
    report.made = QDateTime(QDate(2026, 11, 28), QTime(9, 5), Qt::UTC);
    report.pipeline_text = "pipeline " + to_qstring(name) + "\n# the pipeline's own text\n";
    report.params = {{"H", 480}};
    report.device = device;
    report.schedules = {{"Present schedule", "tiled", to_qstring(script), estimate, tree}};
    report.revision = 2;
    report.measurements = std::make_shared<const std::vector<MeasurementRow>>();
    report.versions = {{"Loopscope", "0.1.0"}};
    return report;
}

Report blur_report() {
    const auto tree = bundled_tree("blur");
    auto report = report_of("blur", tree, described_device(), estimate_of(tree),
                            bundled_schedule_text("blur"));
    const auto slow = default_tree("blur");
    report.schedules.push_back(
        {"Pinned baseline", "default schedule", "schedule for blur\n", estimate_of(slow), slow});
    report.measurements =
        std::make_shared<const std::vector<MeasurementRow>>(std::vector{measured("tiled")});
    report.verdicts = {
        {2, "tiled", "host", true, "The output is right to the bit.", "H = 40, W = 70"}};
    PipelineGraphView graph;
    graph.set_tree(tree);
    report.figures.push_back(figure(graph));
    ScheduleTreeView rows;
    rows.set_tree(tree);
    report.figures.push_back(figure(rows));
    return report;
}

TEST(Report, OfAProcessorHasAllParts) {
    const auto report = blur_report();
    const auto page = report_html(report);
    const auto text = text_of(page);
    for (const char* heading : {"Schedules", "Pictures", "Estimates", "Measurements", "Checks",
                                "Pipeline and scripts", "Device", "Made by"})
        EXPECT_TRUE(page.contains(QByteArray("<h2>") + heading + "</h2>")) << heading;
    for (const QString& part :
         {QString("2026-11-28 09:05"), QString("the pipeline's own text"), QString("H = 480"),
          report.schedules[0].script, QString("Pinned baseline"), QString("default schedule"),
          format_seconds(*report.schedules[0].estimate->seconds),
          format_seconds(*report.schedules[1].estimate->seconds),
          to_qstring(report.schedules[0].estimate->bound), format_seconds(0.00205),
          QStringLiteral("± ") + format_seconds(1e-5), QString("The output is right to the bit."),
          QString("revision 2"), QString("0.1.0"), QString("Peaks"), QString("Pipeline graph"),
          QString("Schedule tree"), QString("Stages"), QString("Kernels")})
        EXPECT_TRUE(text.contains(part)) << part.toStdString() << "\n"
                                         << text.left(300).toStdString();
    EXPECT_EQ(count_of(page, "svg"), 2);
    EXPECT_TRUE(text.contains("H = 40, W = 70")) << "at which it was checked";
    EXPECT_TRUE(page.contains(">Threads<"));
}

TEST(Report, OfAGpuHasItsStateItsKernelsAndItsOwnPictures) {
    const auto script = loopscope::test::read_file(
        loopscope::test::source_path("resources/pipelines/matmul_f16.gpu.sched"));
    const auto s = on_gpu("matmul_f16", script, "h200");
    auto report = report_of("matmul_f16", s.tree, s.device, s.estimate, script);
    auto row = measured("tiled");
    row.device = "h200, GPU 1";
    row.clock_hertz = 1.76e9;
    row.cold = true;
    row.busy_cores = 1.3;
    row.kernels = {{"C", 0.001, 168, 24, 2}};
    row.threads = 0;
    report.measurements = std::make_shared<const std::vector<MeasurementRow>>(std::vector{row});
    TimelineView timeline;
    timeline.set_snapshot(s.tree, s.estimate, s.schedule, s.device);
    report.figures.push_back(figure(timeline));
    BanksView banks;
    banks.set_snapshot(std::make_shared<const std::vector<model::gpu::SharedBuffer>>(
                           model::gpu::shared_use(*s.tree, *s.device)),
                       s.schedule, s.device);
    report.figures.push_back(figure(banks));
    report.figures.push_back({"Roofline", {}, "there is no roofline to draw"});
    const auto page = report_html(report);
    const auto text = text_of(page);
    for (const QString& part :
         {QString("a described device"), QString("clock 1.76 GHz"),
          QString("L2 cache emptied before each run"), QString("other work had 1.3 cores"),
          QString("h200, GPU 1"), QString("168"), QString("Timeline of"),
          QString("Shared memory of"), QString("Roofline: there is no roofline to draw"),
          QString("Nothing was checked."), QString("No baseline is pinned")})
        EXPECT_TRUE(text.contains(part)) << part.toStdString() << "\n"
                                         << text.left(300).toStdString();
    EXPECT_EQ(count_of(page, "svg"), 2);
    EXPECT_TRUE(
        text.contains(launch_text(*s.estimate->kernels.front().gpu, s.device->gpu->warp_threads)));
    EXPECT_TRUE(text.contains("Estimated by the model “" + to_qstring(s.estimate->model) + "”."));
    EXPECT_FALSE(page.contains(">Threads<")) << "those of a processor, which it has none of";
}

TEST(Report, ANameFromAStrangersFileIsText) {
    const QString hostile =
        QStringLiteral("</title></pre></style><script>alert(1)</script><img src=x> & \"' ") +
        QChar(1) + QChar(0xd800) + QStringLiteral(" ]]> <!--");
    auto report = blur_report();
    report.pipeline = report.file = report.pipeline_text = hostile;
    for (auto& schedule : report.schedules)
        schedule.role = schedule.name = schedule.script = hostile;
    report.verdicts = {{1, hostile, hostile, false, hostile}};
    auto row = measured(hostile);
    row.device = row.message = hostile;
    row.failed = true;
    report.measurements = std::make_shared<const std::vector<MeasurementRow>>(std::vector{row});
    report.figures.push_back({hostile, "<svg><script>alert(1)</svg>", {}});
    report.figures.push_back({hostile, {}, hostile});
    report.versions.push_back({hostile, hostile});
    const auto page = report_html(report);
    const auto text = text_of(page);
    EXPECT_FALSE(text.startsWith("no XML")) << text.toStdString();
    for (const char* element : {"script", "img", "iframe", "object", "link", "base"})
        EXPECT_EQ(count_of(page, element), 0) << element;
    EXPECT_EQ(count_of(page, "style"), 1);
    EXPECT_EQ(count_of(page, "svg"), 2) << "the damaged one is left out";
    EXPECT_TRUE(text.contains("<script>alert(1)</script>")) << "it is shown as it is written";
    EXPECT_TRUE(text.contains("This picture could not be drawn."));
}

TEST(Report, StandsAloneAndIsReadInBothThemesAndOnPaper) {
    const auto page = report_html(blur_report());
    EXPECT_TRUE(page.startsWith("<!DOCTYPE html>"));
    EXPECT_TRUE(page.contains("charset=\"utf-8\""));
    EXPECT_TRUE(page.contains("default-src 'none'"));
    EXPECT_TRUE(page.contains("prefers-color-scheme: dark"));
    EXPECT_TRUE(page.contains("@media print"));
    for (const char* fetched : {" src=", " href=", "xlink:href", "@import", "url("})
        EXPECT_FALSE(page.contains(fetched)) << fetched;
    const auto style =
        page.mid(page.indexOf("<style>"), page.indexOf("</style>") - page.indexOf("<style>"));
    EXPECT_FALSE(style.contains('&')) << "in HTML the text of a style is read as it stands";
}

TEST(Report, MeasurementsThatAreLeftOutAreCounted) {
    auto report = blur_report();
    report.measured_otherwise = 7;
    const auto some = text_of(report_html(report));
    EXPECT_TRUE(some.contains("other parameters: 7."));
    report.measurements = std::make_shared<const std::vector<MeasurementRow>>();
    const auto none = text_of(report_html(report));
    EXPECT_TRUE(none.contains("other parameters: 7."));
    EXPECT_TRUE(none.contains("Nothing was measured with these."));
}

TEST(Report, MeasuredTimesStandBesideEstimatesUnderTheirOwnName) {
    auto report = blur_report();
    EXPECT_FALSE(text_of(report_html(report)).contains("time, measured"));
    report.schedules[0].measured = 0.0123;
    report.schedules[1].measured = 0.0456;
    const auto text = text_of(report_html(report));
    for (const QString& part : {QString("Measured time"), QString("time, measured"),
                                format_seconds(0.0123), format_seconds(0.0456)})
        EXPECT_TRUE(text.contains(part)) << part.toStdString();
}

TEST(Report, WhatIsNotKnownIsSaid) {
    auto report = blur_report();
    report.schedules.resize(1);
    report.schedules[0].estimate = nullptr;
    report.schedules[0].tree = nullptr;
    report.measurements = std::make_shared<const std::vector<MeasurementRow>>();
    report.verdicts.clear();
    const auto text = text_of(report_html(report));
    for (const char* part :
         {"not estimated", "There is no estimate", "Nothing was measured.", "Nothing was checked."})
        EXPECT_TRUE(text.contains(part)) << part;
}

} // namespace test_report

} // namespace loopscope::views::test
