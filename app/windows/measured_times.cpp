#include "app/windows/measured_times.h"

#include "app/session/pinned_baseline.h"
#include "app/session/session.h"
#include "app/session/worker_tasks.h"
#include "compiler/measure/other_work.h"
#include "compiler/measure/requests.h"
#include "core/base/json_text.h"
#include "views/models/snapshots.h"

#include <algorithm>

namespace loopscope::app {

using namespace views;

namespace {

// One row from what the worker answered; a document from a stranger may hold anything here.
std::optional<MeasurementRow> row_of(const session::Measurement& m) {
    auto json = json_or_null(m.json);
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
    row.threads = measured->kernels.empty() ? measured->threads : 0;
    row.flops_per_second = measured->gflops.value_or(0) * 1e9;
    row.bytes_per_second = measured->gbytes_per_s.value_or(0) * 1e9;
    if (auto predicted = json.find("predicted_s");
        predicted != json.end() && predicted->is_number())
        row.predicted_seconds = predicted->get<double>();
    for (auto& kernel : measured->kernels)
        row.kernels.push_back({std::move(kernel.launch), kernel.median_s, kernel.registers,
                               kernel.local_bytes, kernel.blocks_per_multiprocessor});
    row.clock_hertz = measured->clock_hertz;
    row.cold = measured->cold;
    if (measured->other_work_cores.value_or(0) >= measure::kDisturbingCores)
        row.busy_cores = *measured->other_work_cores;
    if (!row.kernels.empty()) // of a GPU: which, and in what state (WorkerTasks::machine)
        row.device = to_qstring(m.device);
    return row;
}

MeasuredTime time_of(const MeasurementRow& row) {
    MeasuredTime time;
    time.median_seconds = row.median_seconds;
    time.interval_seconds = row.interval_seconds;
    time.samples = row.samples;
    time.kernels = row.kernels;
    time.clock_hertz = row.clock_hertz;
    time.cold = row.cold;
    time.busy_cores = row.busy_cores;
    return time;
}

// What was measured of the nearest schedule from which the present one was made; else what was
// measured last.
std::optional<MeasuredTime> of_an_earlier_schedule(const session::Document& document,
                                                   const std::vector<MeasurementRow>& rows) {
    const MeasurementRow* found = nullptr;
    const auto* at = &document.current();
    while (at && !found) {
        for (const auto& row : rows)
            if (row.revision == at->id && document.has_program_of_now(at->id))
                found = &row;
        at = at->parent < at->id ? document.find(at->parent) : nullptr;
    }
    if (!found && !rows.empty() && document.has_program_of_now(rows.back().revision))
        found = &rows.back();
    if (!found)
        return std::nullopt;
    auto time = time_of(*found);
    time.stale = true;
    time.schedule = found->schedule;
    return time;
}

// The newest median of the pinned schedule on each device: measured is compared with measured, on
// one machine.
std::map<QString, double> pinned_medians(const session::Document& document, std::int64_t revision) {
    std::map<QString, double> medians;
    for (const auto& m : document.measurements())
        if (revision > 0 && m.revision == revision && document.has_program_of_now(revision))
            if (auto row = row_of(m))
                medians[row->device] = row->median_seconds;
    return medians;
}

} // namespace

MeasuredTimes::MeasuredTimes(const session::Session& session) : session_(session) {
    for (auto changed : {&session::Session::measurementsChanged, &session::Session::released})
        connect(&session_, changed, this, &MeasuredTimes::read);
    connect(&session_.baseline(), &session::PinnedBaseline::changed, this, &MeasuredTimes::read);
    connect(&session_.tasks(), &session::WorkerTasks::machineChanged, this, &MeasuredTimes::read);
}

void MeasuredTimes::read() {
    auto rows = std::make_shared<Rows>();
    latest_.reset();
    newest_.clear();
    medians_ = session::MeasuredMedians(session_);
    if (const auto* document = session_.document()) {
        const auto machine = session_.tasks().machine();
        const auto baseline = session_.baseline().revision();
        const auto pinned = pinned_medians(*document, baseline);
        std::map<std::string, std::string> now; // keys of the present schedule, by device
        Rows on_device;                         // the present one
        for (const auto& m : document->measurements()) {
            auto row = row_of(m);
            if (!row)
                continue;
            const auto* revision = document->find(m.revision);
            row->schedule = revision ? to_qstring(revision->name) : QString();
            auto& key = now[m.device];
            if (key.empty())
                key = session_.measurement_key_on(m.device);
            row->stale = m.key != key;
            if (const auto before = pinned.find(row->device); before != pinned.end())
                row->baseline_seconds = before->second;
            if (m.device == machine) {
                newest_[row->revision] = row->median_seconds;
                if (!row->stale) {
                    latest_ = time_of(*row);
                    if (row->revision != baseline)
                        latest_->baseline_seconds = row->baseline_seconds;
                }
                on_device.push_back(*row);
            }
            rows->push_back(std::move(*row));
        }
        if (!session_.device()->is_here())
            latest_.reset();
        else if (!latest_)
            latest_ = of_an_earlier_schedule(*document, on_device);
    }
    rows_ = std::move(rows);
    emit changed();
}

} // namespace loopscope::app
