#pragma once
// What the worker does for a person who waits for it: measuring, checking, and finding out this
// machine's peaks. One at a time; what is asked for meanwhile is refused, or waits for a probe's
// end.

#include "app/session/expected_time.h"
#include "compiler/measure/requests.h"
#include "compiler/protocol/worker_client.h"
#include "core/device/device.h"
#include "views/jobs/latest_job.h"
#include "views/models/check_report.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace loopscope::remote {
class RemoteClient;
}

namespace loopscope::session {

class Estimates;
class Session;

class WorkerTasks : public QObject {
    Q_OBJECT
public:
    WorkerTasks(Session& session, const Estimates& estimates);
    ~WorkerTasks() override;

    void measure(double budget_seconds = 2);
    // Measurements on a GPU empty its L2 cache before each run.
    bool cold() const { return cold_; }
    void set_cold(bool cold);
    // What is measured now is measured there: the device's name, with what tells it from others
    // whose figures are not comparable ("h200, GPU 1, cold L2 cache").
    std::string machine() const;
    void check();
    // The kernels of a GPU schedule in the interpreter of SIMT programs, which finds races and
    // reads of what nobody wrote, at sizes that it can do.
    void check_in_interpreter();
    void probe_host(); // measures the host's peaks
    void probe_gpu();  // the same of the GPU that the document is for, attached or elsewhere
    // The verb `run`, on arrays in files, for `run`'s asker: `done` has the answer, or why there is
    // none; it is not called where the worker is busy, or what waits for it is cancelled.
    struct ArraysRun {
        std::string text; // for people
        // Of the request; made off the main thread, for it may load a pipeline.
        std::function<Result<nlohmann::json>()> arguments;
        std::shared_ptr<remote::RemoteClient> elsewhere; // null: it runs here
        std::function<void(const Result<nlohmann::json>&)> done;
    };
    void run(ArraysRun run);
    void cancel();

    QString busy_text() const { return busy_text_; } // what the worker does; empty: nothing
    bool busy() const { return !busy_text_.isEmpty(); }
    bool checking() const { return running_ == "check"; }
    bool running() const { return running_ == "run"; }
    bool probing() const { return running_ == "probe"; } // peaks are being measured
    // The time expected of the running measurement, where its schedule has an estimate.
    std::optional<ExpectedTime> expected_time() const { return expected_; }
    bool longer_than_expected() const; // by the time since it was compiled
    // The report on the present schedule, where it was checked as a GPU's; else null.
    views::CheckReportPtr check_report() const { return check_report_; }

signals:
    void busyChanged();
    void progress(const QString& text, double fraction);
    void checkReportChanged();
    void machineChanged();

private:
    struct Request {
        std::string verb;
        std::string text; // for people
        std::shared_ptr<const nlohmann::json> arguments;
        std::uint64_t opening = 0; // which opening of a document asked
        std::int64_t revision = 0;
        // The key of the measured schedule, which may not be the present one when the answer comes,
        // and what it was measured on.
        std::string key, machine;
        std::string script, on; // that script's hash, and the session's device
        // Of the program, all of them.
        std::map<std::string, std::int64_t> params;
        std::optional<double> predicted; // seconds, by the estimate of that schedule
        std::optional<double> budget;    // seconds, of a measurement
        // Of a check in the interpreter of SIMT programs, at smaller sizes; the GPU whose peaks are
        // measured.
        std::shared_ptr<const device::Device> device;
        std::shared_ptr<remote::RemoteClient> elsewhere; // null: it runs here
        std::optional<ArraysRun> run;
        bool on_processor = true; // what it runs on, whatever it is estimated for
        bool parallel = true;     // false: no loop of that schedule runs on several threads
    };
    struct Answer {
        std::shared_ptr<const nlohmann::json> json;
        std::shared_ptr<const device::Device> device; // of a probe
        std::map<std::string, std::int64_t> params;   // of a check at other sizes
        Diagnostics errors;
    };
    using Job = views::LatestJob<Request, Answer>;

    static Result<device::Device> peaks_of(measure::WorkerClient& worker, const Request& request,
                                           const measure::RequestOptions& options);
    static Answer ask(measure::WorkerClient& worker, Request request,
                      const measure::RequestOptions& options);
    Request request(const std::string& verb, const std::string& text,
                    nlohmann::json arguments) const;
    std::optional<double> predicted(std::int64_t revision) const;
    void start_check(bool interpreted);
    void start(Request request);
    void finish(const Request& request, const Answer& answer);
    void finish_check(const Request& request, const Answer& answer);
    static QString where(const Request& request); // it ran, for people
    void keep_verdict(const Request& request, const measure::CheckResult& check,
                      const QString& text, const QString& at);
    void finish_measurement(const Request& request, const Answer& answer);
    void set_busy(const QString& text);
    void forget_report();
    void ensure_figures();

    Session& session_;
    const Estimates& estimates_;
    bool cold_ = false;
    QString busy_text_;
    std::string running_; // the verb that the worker is busy with
    std::optional<ExpectedTime> expected_;
    QElapsedTimer runs_since_;       // of the measurement that runs; invalid while it is compiled
    std::optional<Request> waiting_; // for the end of a probe
    bool probed_ = false;            // a probe was started: a failed one is not repeated unasked
    views::CheckReportPtr check_report_;
    std::shared_ptr<measure::WorkerClient> worker_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    views::Handover handover_; // the worker's progress
    std::unique_ptr<Job> job_; // ends before what it reports to
};

} // namespace loopscope::session
