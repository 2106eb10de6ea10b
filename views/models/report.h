#pragma once
// What goes out of the window as one page: the pipeline, the schedules that are compared, what is
// estimated and measured of them, what was checked, and pictures. Formats what it is given and
// derives nothing.

#include "views/models/measurement_table.h"
#include "views/models/snapshots.h"

#include <QByteArray>
#include <QDateTime>
#include <QString>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::views {

struct ReportSchedule {
    QString role; // "Pinned baseline"
    QString name; // "tiled, parallel", "blur.cpu.sched"
    QString script;
    EstimatePtr estimate; // null: not made
    ScheduleTreePtr tree; // null: costs of stages are not listed
    // the newest median of that very schedule on the device, seconds
    std::optional<double> measured = {};
};

struct ReportVerdict {
    qint64 revision = 0;
    QString schedule; // what the revision is called
    QString machine;
    bool right = false;
    QString text;    // what was compared, and how it came out
    QString at = {}; // the sizes, "M = 131, N = 131"; empty: not known, or there are none
};

struct ReportFigure {
    QString title;
    QByteArray svg;
    QString absent; // why there is none; empty: there is one
};

struct Report {
    QString pipeline; // its name
    QString file;     // the document's
    QDateTime made;
    QString pipeline_text;
    std::map<std::string, std::int64_t> params;
    DevicePtr device;                      // never null
    std::vector<ReportSchedule> schedules; // the present one first, then those it is compared with
    qint64 revision = 0;                   // of the present one
    MeasurementRows measurements;          // never null
    std::size_t measured_otherwise = 0;    // left out: of another text, or with other params
    std::vector<ReportVerdict> verdicts;
    std::vector<ReportFigure> figures;
    std::vector<std::pair<QString, QString>> versions; // of what made it: "Loopscope", "0.1.0"
};

// As ReportPage writes it.
QByteArray report_html(const Report& report);

} // namespace loopscope::views
