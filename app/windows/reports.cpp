#include "app/windows/reports.h"

#include "app/session/check_verdicts.h"
#include "app/session/estimates.h"
#include "app/session/expert_schedule.h"
#include "app/session/pinned_baseline.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "core/base/whole_file.h"
#include "views/widgets/picture_export.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QStatusBar>
#include <QSysInfo>

#include <memory>
#include <utility>

namespace loopscope::app {

using namespace views;

Reports::Reports(Services& services, std::vector<Panel*> panels)
    : services_(services), panels_(std::move(panels)), wait_(services, panels_) {}

void Reports::ask() {
    auto* dialog = services_.files.make(tr("Report"), tr("Page (*.html)"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    FileDialogs::set_ending(*dialog, QFileInfo(services_.session.title()).completeBaseName(),
                            QStringLiteral(".html"));
    connect(dialog, &QFileDialog::accepted, this, [this, dialog] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty())
            return;
        services_.files.set_folder(path);
        write(path,
              [this, path](const Status& status) { services_.files.say_saved(path, status); });
    });
    dialog->open();
}

void Reports::write(const QString& path, Done done) {
    auto& line = services_.parts.status;
    const auto making = tr("The report is being made…");
    line.showMessage(making);
    wait_.begin(
        [this, path, &line, making, done = std::move(done)](const Status& drawn) {
            if (line.currentMessage() == making)
                line.clearMessage();
            done(drawn ? write_whole(path.toStdString(), {report_html(contents()).toStdString()})
                       : drawn);
        },
        [this] { return known(); });
}

bool Reports::known() const {
    const auto& session = services_.session;
    return session.estimates().settled() && session.baseline().settled() &&
           session.expert().settled();
}

Report Reports::contents() const {
    const auto& session = services_.session;
    const auto& document = *session.document();
    Report report;
    report.pipeline = to_qstring(session.pipeline()->name);
    report.file = session.title();
    report.made = QDateTime::currentDateTime();
    const auto program = document.program();
    report.pipeline_text = to_qstring(program->text);
    report.params = program->params;
    report.device = session.device();
    report.schedules = schedules();
    report.revision = document.current().id;
    report.measurements = measurements();
    report.measured_otherwise = services_.measured.rows()->size() - report.measurements->size();
    report.verdicts = verdicts();
    report.figures = figures();
    report.versions = {{QStringLiteral("Loopscope"), QCoreApplication::applicationVersion()},
                       {QStringLiteral("Qt"), QString::fromLatin1(qVersion())},
                       {tr("System"), QSysInfo::prettyProductName()}};
    return report;
}

std::vector<ReportSchedule> Reports::schedules() const {
    const auto& session = services_.session;
    const auto& document = *session.document();
    const auto& medians = services_.measured.medians();
    std::vector<ReportSchedule> all{{tr("Present schedule"), to_qstring(document.current().name),
                                     to_qstring(session.script()), session.estimates().now(),
                                     session.tree(), medians.of(session.script())}};
    const auto& baseline = session.baseline();
    if (baseline.tree()) {
        const auto* revision = document.find(baseline.revision());
        all.push_back({tr("Pinned baseline"), revision ? to_qstring(revision->name) : QString(),
                       to_qstring(baseline.script()), baseline.estimate(), baseline.tree(),
                       medians.of(baseline.script())});
    }
    if (const auto* expert = session.expert().now())
        all.push_back({tr("Expert schedule"), QFileInfo(to_qstring(expert->file)).fileName(),
                       to_qstring(expert->script), expert->estimate, nullptr,
                       medians.of(expert->script)});
    return all;
}

// Of the program that the report is of.
MeasurementRows Reports::measurements() const {
    const auto& document = *services_.session.document();
    auto rows = std::make_shared<std::vector<MeasurementRow>>();
    for (const auto& row : *services_.measured.rows())
        if (document.has_program_of_now(row.revision))
            rows->push_back(row);
    return rows;
}

std::vector<ReportVerdict> Reports::verdicts() const {
    std::vector<ReportVerdict> all;
    for (const auto& revision : services_.session.document()->revisions())
        if (const auto* verdict = services_.session.verdicts().of(revision.id))
            all.push_back({revision.id, to_qstring(revision.name), verdict->machine, verdict->right,
                           verdict->text, verdict->at});
    return all;
}

std::vector<ReportFigure> Reports::figures() const {
    std::vector<ReportFigure> all;
    for (auto* panel : panels_) {
        if (!panel->pictured() || !panel->is_of_device())
            continue;
        const auto picture = panel->pictured()->picture();
        const auto svg = picture ? picture_bytes(*picture, PictureForm::Svg)
                                 : Result<QByteArray>(picture.errors());
        all.push_back(
            svg ? ReportFigure{picture->title, *svg, {}}
                : ReportFigure{panel->title(), {}, to_qstring(svg.errors().front().message)});
    }
    return all;
}

} // namespace loopscope::app
