// What was measured, and the history with its times.

#include "app/windows/main_window.h"

#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "compiler/measure/requests.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/roofline_view.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QDockWidget>

#include <cmath>

namespace loopscope::app {

using namespace views;

namespace {

// One row from what the worker answered; a document from a stranger may hold anything here.
std::optional<MeasurementRow> row_of(const session::Measurement& m) {
    auto json = nlohmann::json::parse(m.json, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    MeasurementRow row;
    row.id = m.id;
    row.revision = m.revision;
    row.when = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(m.time * 1000));
    auto measured = measure::measurement_from_json(json);
    if (!measured)
        return std::nullopt;
    row.device = to_qstring(measured->device);
    row.median_seconds = measured->median_s;
    row.min_seconds = measured->min_s;
    if (measured->ci95_s)
        row.interval_seconds = (measured->ci95_s->second - measured->ci95_s->first) / 2;
    row.samples = measured->samples;
    row.threads = measured->threads;
    row.flops_per_second = measured->gflops.value_or(0) * 1e9;
    row.bytes_per_second = measured->gbytes_per_s.value_or(0) * 1e9;
    if (auto predicted = json.find("predicted_s");
        predicted != json.end() && predicted->is_number())
        row.predicted_seconds = predicted->get<double>();
    return row;
}

// What was measured of the nearest schedule from which the present one was made; else what was measured last.
std::optional<MeasuredTime> of_an_earlier_schedule(const session::Document& document,
                                                   const std::vector<MeasurementRow>& rows) {
    const MeasurementRow* found = nullptr;
    const auto* at = &document.current();
    while (at && !found) {
        for (const auto& row : rows)
            if (row.revision == at->id)
                found = &row;
        at = at->parent < at->id ? document.find(at->parent) : nullptr;
    }
    if (!found && !rows.empty())
        found = &rows.back();
    if (!found)
        return std::nullopt;
    return MeasuredTime{found->median_seconds, found->interval_seconds, true, found->samples,
                        found->schedule};
}

} // namespace

void MainWindow::show_measurements() {
    auto rows = std::make_shared<std::vector<MeasurementRow>>();
    std::optional<MeasuredTime> latest;
    const auto* document = session_->document();
    // Everything is measured on this machine, whatever device the estimates are for.
    const auto now =
        document ? session_->measurement_key_on(session_->host()->name) : std::string();
    // The pinned schedule's newest median of each device: measured is compared with measured, on one machine.
    std::map<QString, double> pinned;
    if (const auto revision = session_->baseline().revision(); document && revision > 0)
        for (const auto& m : document->measurements())
            if (m.revision == revision)
                if (auto row = row_of(m))
                    pinned[row->device] = row->median_seconds;
    if (document)
        for (const auto& m : document->measurements()) {
            auto row = row_of(m);
            if (!row)
                continue;
            const auto* revision = document->find(m.revision);
            row->schedule = revision ? to_qstring(revision->name) : QString();
            row->stale = m.key != now;
            if (const auto before = pinned.find(row->device); before != pinned.end())
                row->baseline_seconds = before->second;
            if (!row->stale)
                latest = MeasuredTime{row->median_seconds,
                                      row->interval_seconds,
                                      false,
                                      row->samples,
                                      {},
                                      row->revision == session_->baseline().revision()
                                          ? std::nullopt
                                          : row->baseline_seconds};
            rows->push_back(std::move(*row));
        }
    // Without one of this schedule an earlier one's is shown, and marked as such. Beside the estimate for
    // another machine none is: it would look like its confirmation.
    if (!session_->device()->is_host)
        latest.reset();
    else if (!latest && document)
        latest = of_an_earlier_schedule(*document, *rows);
    measurements_->set_rows(rows);
    measurements_dock_->setWindowTitle(rows->empty() ? tr("Measurements")
                                                     : tr("Measurements %1").arg(rows->size()));
    measurements_dock_->toggleViewAction()->setText(tr("Measurements")); // no number in menus
    estimate_->set_measured(latest);
    roofline_->set_measured(latest && !latest->stale ? std::optional<double>(latest->median_seconds)
                                                     : std::nullopt);
    show_history();
}

void MainWindow::show_history() {
    const auto* document = session_->document();
    if (!document)
        return;
    std::map<std::int64_t, double> measured;
    for (const auto& m : document->measurements())
        if (auto row = row_of(m)) {
            auto [it, fresh] = measured.emplace(m.revision, row->median_seconds);
            if (!fresh)
                it->second = std::min(it->second, row->median_seconds);
        }
    const auto& predicted = session_->estimates().predictions();
    // Measured against measured, predicted against predicted: a speed-up never mixes the two.
    auto text_in = [](const std::map<std::int64_t, double>& seconds, const session::Revision& r,
                      const QString& mark) {
        auto now = seconds.find(r.id), before = seconds.find(r.parent);
        if (now == seconds.end())
            return QString();
        auto text = mark + format_seconds(now->second);
        if (before != seconds.end() && std::abs(before->second / now->second - 1) > 0.005)
            text += QStringLiteral("  ") + format_factor(before->second / now->second);
        return text;
    };
    std::vector<HistoryRow> rows;
    for (const auto& r : document->revisions()) {
        const bool has = measured.count(r.id) > 0;
        rows.push_back(
            {r.id, r.parent, to_qstring(r.name),
             has ? text_in(measured, r, {}) : text_in(predicted, r, QStringLiteral("≈ ")),
             has ? tr("measured, and the speed-up on the schedule before")
                 : tr("predicted, and the speed-up on the schedule before")});
    }
    history_->set_rows(std::move(rows), document->current().id);
}

} // namespace loopscope::app
