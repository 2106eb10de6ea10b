#include "views/models/report.h"

#include "views/models/comparison.h"
#include "views/models/kernel_text.h"
#include "views/models/pipeline_graph.h"
#include "views/models/report_page.h"
#include "views/style/number_format.h"
#include "views/style/speed_format.h"

#include <QObject>

#include <algorithm>

namespace loopscope::views {

namespace {

ReportTable::Column words(const QString& title) { return {title, false}; }
ReportTable::Column numbers(const QString& title) { return {title, true}; }

QString time_or_reason(const EstimatePtr& estimate) {
    return !estimate           ? QObject::tr("not estimated")
           : estimate->seconds ? format_seconds(*estimate->seconds)
                               : to_qstring(estimate->reason);
}

QString share_of(const model::Estimate& estimate, double seconds) {
    return estimate.seconds && *estimate.seconds > 0 ? format_share(seconds / *estimate.seconds)
                                                     : kNone;
}

double integers_of(const model::Estimate& estimate) {
    double all = 0;
    for (const auto& kernel : estimate.kernels)
        all += kernel.integer_operations;
    return all;
}

void add_head(ReportPage& page, const Report& report) {
    page.paragraph(QObject::tr("%1, %2, for %3.")
                       .arg(report.file, report.made.toString("yyyy-MM-dd HH:mm t"),
                            report.device->is_here()
                                ? to_qstring(report.device->name)
                                : QObject::tr("%1, a described device: estimates for it are "
                                              "confirmed by no measurement here")
                                      .arg(to_qstring(report.device->name))));
}

void add_summary(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Schedules"));
    const auto& now = report.schedules.front().estimate;
    ReportTable table{{},
                      {words(QObject::tr("Schedule")), words(QObject::tr("Name")),
                       numbers(QObject::tr("Estimated time")),
                       numbers(QObject::tr("The present one against it")),
                       numbers(QObject::tr("Measured time")), words(QObject::tr("Bound by")),
                       numbers(QObject::tr("Operations")), numbers(QObject::tr("Recomputation"))},
                      {}};
    for (const auto& each : report.schedules) {
        const auto& e = each.estimate;
        const bool compared = e && e != now && now && e->seconds && now->seconds;
        table.rows.push_back({each.role, each.name, time_or_reason(e),
                              compared ? format_time_change(*e->seconds, *now->seconds) : kNone,
                              each.measured ? format_seconds(*each.measured) : kNone,
                              e && !e->bound.empty() ? to_qstring(e->bound) : kNone,
                              e ? format_arithmetic(e->flops, integers_of(*e)) : kNone,
                              e ? format_factor(e->recompute_factor) : kNone});
    }
    page.table(table);
    if (report.schedules.size() == 1)
        page.paragraph(QObject::tr("No baseline is pinned, and no expert schedule is shipped for "
                                   "this pipeline and device."));
    if (now && report.device->gpu) // its threads are those of each launch
        page.paragraph(QObject::tr("Estimated by the model “%1”.").arg(to_qstring(now->model)));
    else if (now)
        page.paragraph(QObject::tr("Estimated by the model “%1” with %2 threads.")
                           .arg(to_qstring(now->model))
                           .arg(now->threads));
}

void add_pipeline(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Pipeline and scripts"));
    QStringList params;
    for (const auto& [name, value] : report.params)
        params << QStringLiteral("%1 = %2").arg(to_qstring(name)).arg(value);
    if (!params.isEmpty())
        page.paragraph(QObject::tr("Parameters set for it: %1.").arg(params.join(", ")));
    page.code(QObject::tr("Pipeline %1").arg(report.pipeline), report.pipeline_text);
    for (const auto& each : report.schedules)
        page.code(QStringLiteral("%1: %2").arg(each.role, each.name), each.script);
}

void add_kernels(ReportPage& page, const model::Estimate& estimate, const device::Device& device) {
    ReportTable table{QObject::tr("Kernels"),
                      {words(QObject::tr("Kernel")), numbers(QObject::tr("Time")),
                       numbers(QObject::tr("Share")), words(QObject::tr("Bound by")),
                       numbers(QObject::tr("Operations")),
                       device.gpu ? words(QObject::tr("Launch")) : numbers(QObject::tr("Threads")),
                       words(QObject::tr("Bytes moved, by level"))},
                      {}};
    for (const auto& kernel : estimate.kernels) {
        QStringList traffic;
        for (const auto& level : kernel.traffic)
            traffic << to_qstring(level.level) + ' ' + format_bytes(level.bytes);
        table.rows.push_back({to_qstring(kernel.name), format_seconds(kernel.seconds),
                              share_of(estimate, kernel.seconds), to_qstring(kernel.bound),
                              format_arithmetic(kernel.flops, kernel.integer_operations),
                              kernel.gpu && device.gpu
                                  ? launch_text(*kernel.gpu, device.gpu->warp_threads)
                                  : format_significant(kernel.parallelism),
                              traffic.join(", ")});
    }
    page.table(table);
}

void add_stages(ReportPage& page, const ReportSchedule& schedule) {
    ReportTable table{QObject::tr("Stages"),
                      {words(QObject::tr("Stage")), numbers(QObject::tr("Time of its own")),
                       numbers(QObject::tr("Share")),
                       numbers(QObject::tr("Points computed for each needed"))},
                      {}};
    const auto& estimate = *schedule.estimate;
    for (const auto& [stage, seconds] : stage_seconds(*schedule.tree, estimate)) {
        const auto recompute = estimate.stage_recompute.find(stage);
        table.rows.push_back(
            {to_qstring(stage), format_seconds(seconds), share_of(estimate, seconds),
             recompute == estimate.stage_recompute.end() ? kNone
                                                         : format_factor(recompute->second)});
    }
    page.table(table);
}

void add_terms(ReportPage& page, const std::vector<model::Term>& terms) {
    ReportTable table{QObject::tr("How the time came about"),
                      {words(QObject::tr("Term")), numbers(QObject::tr("Value")),
                       words(QObject::tr("Formula")), words(QObject::tr("Taken from"))},
                      {}};
    for (const auto& term : terms)
        table.rows.push_back({to_qstring(term.name),
                              term.unit == "s"
                                  ? format_seconds(term.value)
                                  : format_significant(term.value) + ' ' + to_qstring(term.unit),
                              to_qstring(term.formula), to_qstring(term.source)});
    if (!table.rows.empty())
        page.table(table);
}

void add_comparison(ReportPage& page, const ReportSchedule& before, const ReportSchedule& now) {
    ReportTable table{QObject::tr("%1 (%2) and the present schedule").arg(before.role, before.name),
                      {words(QObject::tr("Quantity")), numbers(before.role),
                       numbers(QObject::tr("Present")), numbers(QObject::tr("Change"))},
                      {}};
    for (const auto& each :
         compare_numbers(*before.estimate, *now.estimate, {before.measured, now.measured}))
        table.rows.push_back({each.name, each.before, each.now, each.change});
    page.table(table);
}

void add_estimates(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Estimates"));
    const auto& now = report.schedules.front();
    if (!now.estimate)
        return page.paragraph(QObject::tr("There is no estimate of the present schedule."));
    if (!now.estimate->seconds)
        page.paragraph(to_qstring(now.estimate->reason));
    add_kernels(page, *now.estimate, *report.device);
    if (now.tree)
        add_stages(page, now);
    for (auto each = report.schedules.begin() + 1; each != report.schedules.end(); ++each)
        if (each->estimate)
            add_comparison(page, *each, now);
    add_terms(page, now.estimate->terms);
    for (const auto& sentence : now.estimate->advice)
        page.paragraph(to_qstring(sentence));
}

// "1.76 GHz · the L2 cache emptied before each run · other work had 1.3 cores".
QString state_of(const MeasurementRow& row) {
    QStringList parts;
    if (row.clock_hertz)
        parts << QObject::tr("clock %1 GHz").arg(format_significant(*row.clock_hertz / 1e9));
    if (!row.kernels.empty())
        parts << (row.cold ? QObject::tr("L2 cache emptied before each run")
                           : QObject::tr("caches as the run before left them"));
    if (row.busy_cores > 0)
        parts << QObject::tr("other work had %1 cores").arg(format_significant(row.busy_cores, 2));
    return parts.isEmpty() ? kNone : parts.join(QStringLiteral(" · "));
}

void add_measured_kernels(ReportPage& page, const MeasurementRow& row) {
    ReportTable table{QObject::tr("Kernels of revision %1, as the driver made them: %2")
                          .arg(row.revision)
                          .arg(row.schedule),
                      {words(QObject::tr("Kernel")), numbers(QObject::tr("Median")),
                       numbers(QObject::tr("Registers")), numbers(QObject::tr("Spilled bytes")),
                       numbers(QObject::tr("Blocks on a multiprocessor"))},
                      {}};
    for (const auto& kernel : row.kernels)
        table.rows.push_back(
            {to_qstring(kernel.name), kernel.seconds ? format_seconds(*kernel.seconds) : kNone,
             QString::number(kernel.registers), QString::number(kernel.local_bytes),
             QString::number(kernel.blocks_per_multiprocessor)});
    page.table(table);
}

void add_measurements(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Measurements"));
    if (report.measured_otherwise > 0)
        page.paragraph(QObject::tr("Not listed are measurements of another text of the pipeline, "
                                   "or of other parameters: %1.")
                           .arg(report.measured_otherwise));
    if (report.measurements->empty() && report.measured_otherwise > 0)
        return page.paragraph(QObject::tr("Nothing was measured with these."));
    if (report.measurements->empty())
        return page.paragraph(QObject::tr("Nothing was measured."));
    // Of a GPU there are none to be listed.
    const bool threads = std::any_of(report.measurements->begin(), report.measurements->end(),
                                     [](const auto& row) { return row.threads > 0; });
    ReportTable table{{},
                      {numbers(QObject::tr("Revision")), words(QObject::tr("Schedule")),
                       numbers(QObject::tr("Median")), numbers(QObject::tr("Spread (95 %)")),
                       numbers(QObject::tr("Least")), numbers(QObject::tr("Samples")),
                       numbers(QObject::tr("Predicted")), words(QObject::tr("Device"))},
                      {}};
    if (threads)
        table.columns.push_back(numbers(QObject::tr("Threads")));
    table.columns.insert(table.columns.end(),
                         {words(QObject::tr("State")), words(QObject::tr("When"))});
    for (const auto& row : *report.measurements) {
        QStringList cells{QString::number(row.revision), row.schedule};
        if (row.failed)
            cells << QObject::tr("failed") << kNone << kNone;
        else
            cells << format_seconds(row.median_seconds)
                  << (row.interval_seconds
                          ? QStringLiteral("± ") + format_seconds(*row.interval_seconds)
                          : QObject::tr("unknown"))
                  << format_seconds(row.min_seconds);
        cells << QString::number(row.samples)
              << (row.predicted_seconds ? format_seconds(*row.predicted_seconds) : kNone)
              << row.device;
        if (threads)
            cells << (row.threads > 0 ? QString::number(row.threads) : kNone);
        cells << (row.failed ? row.message : state_of(row))
              << row.when.toString("yyyy-MM-dd HH:mm");
        table.rows.push_back(cells);
    }
    page.table(table);
    page.paragraph(QObject::tr("The present schedule is revision %1.").arg(report.revision));
    const auto& rows = *report.measurements;
    if (const auto newest = std::find_if(rows.rbegin(), rows.rend(),
                                         [](const auto& row) { return !row.kernels.empty(); });
        newest != rows.rend())
        add_measured_kernels(page, *newest);
}

void add_verdicts(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Checks"));
    if (report.verdicts.empty())
        return page.paragraph(QObject::tr("Nothing was checked."));
    ReportTable table{{},
                      {numbers(QObject::tr("Revision")), words(QObject::tr("Schedule")),
                       words(QObject::tr("Verdict")), words(QObject::tr("Where")),
                       words(QObject::tr("Sizes")), words(QObject::tr("What was compared"))},
                      {}};
    for (const auto& each : report.verdicts)
        table.rows.push_back({QString::number(each.revision), each.schedule,
                              each.right ? QObject::tr("✓ right") : QObject::tr("✗ wrong"),
                              each.machine, each.at.isEmpty() ? kNone : each.at, each.text});
    page.table(table);
}

void add_figures(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Pictures"));
    for (const auto& figure : report.figures)
        if (figure.absent.isEmpty())
            page.figure(figure.title, figure.svg);
        else
            page.paragraph(QStringLiteral("%1: %2").arg(figure.title, figure.absent));
}

void add_device(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Device"));
    const auto& device = *report.device;
    page.paragraph(
        QStringLiteral("%1: %2").arg(to_qstring(device.name), to_qstring(device.description)));
    ReportTable table{QObject::tr("Peaks"),
                      {words(QObject::tr("What")), numbers(QObject::tr("At most")),
                       words(QObject::tr("Taken from"))},
                      {}};
    for (const auto& each : model::roofline_ceilings(device, device.cores))
        table.rows.push_back({to_qstring(each.name),
                              each.bandwidth  ? format_bytes_per_second(each.value)
                              : each.integers ? format_integers_per_second(each.value)
                                              : format_flops_per_second(each.value),
                              to_qstring(each.source)});
    if (table.rows.empty())
        page.paragraph(QObject::tr("Its peaks are not known."));
    else
        page.table(table);
}

void add_versions(ReportPage& page, const Report& report) {
    page.section(QObject::tr("Made by"));
    ReportTable table{{}, {words(QObject::tr("Program")), words(QObject::tr("Version"))}, {}};
    for (const auto& [what, version] : report.versions)
        table.rows.push_back({what, version});
    page.table(table);
}

} // namespace

QByteArray report_html(const Report& report) {
    ReportPage page(report.pipeline);
    add_head(page, report);
    add_summary(page, report);
    add_figures(page, report);
    add_estimates(page, report);
    add_measurements(page, report);
    add_verdicts(page, report);
    add_pipeline(page, report);
    add_device(page, report);
    add_versions(page, report);
    return page.finish();
}

} // namespace loopscope::views
