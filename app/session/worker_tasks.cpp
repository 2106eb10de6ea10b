#include "app/session/worker_tasks.h"

#include "app/session/check_answer.h"
#include "app/session/check_sizes.h"
#include "app/session/check_verdicts.h"
#include "app/session/estimates.h"
#include "app/session/gpus_elsewhere.h"
#include "app/session/opencl_devices.h"
#include "app/session/program_arguments.h"
#include "app/session/session.h"
#include "app/session/verdict_words.h"
#include "compiler/measure/gpu_devices.h"
#include "compiler/measure/host_device.h"
#include "compiler/measure/requests.h"
#include "compiler/measure/targets.h"
#include "core/schedule/tree_search.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::session {

namespace {

using nlohmann::json;

constexpr double kOpenclSeconds = 120; // of a measurement: kernels that hang are ended then

// Warnings of loops that are vectorised in vain. Empty: none.
QString warnings_of(const json& answer) {
    auto warnings = answer.find("warnings");
    return warnings != answer.end() && warnings->is_string()
               ? QString::fromStdString(warnings->get<std::string>())
               : QString();
}

// At sizes that the interpreter of SIMT programs can do; off the main thread, for finding them
// applies the schedule some times.
json at_check_sizes(json arguments, const device::Device& device) {
    const auto& pipeline = arguments.at("pipeline");
    arguments["params"] =
        check_sizes(pipeline.at("name"), pipeline.at("text"),
                    arguments.value("params", std::map<std::string, std::int64_t>()),
                    arguments.at("schedule").at("text"), device);
    return arguments;
}

} // namespace

WorkerTasks::WorkerTasks(Session& session, const Estimates& estimates)
    : session_(session),
      estimates_(estimates),
      worker_(std::make_shared<measure::WorkerClient>()),
      cancel_(std::make_shared<std::atomic<bool>>(false)) {
    job_ = std::make_unique<Job>(
        [this, worker = worker_, cancel = cancel_](const Request& request,
                                                   const views::CancelToken&) {
            measure::RequestOptions options;
            options.cancel = cancel.get();
            options.on_progress = [this](const measure::Progress& p) {
                handover_.post([this, p] {
                    if (p.stage != "compile" && p.stage != "remote" && !runs_since_.isValid())
                        runs_since_.start();
                    emit progress(QString::fromStdString(p.text), p.fraction);
                });
            };
            return ask(*worker, request, options);
        },
        [this](const Request& request, const Answer& answer) { finish(request, answer); });
    connect(job_.get(), &views::LatestJobBase::failed, this, [this](const QString& text) {
        running_.clear();
        set_busy({});
        session_.say(text, true);
    });
    connect(&session_, &Session::treeChanged, this, &WorkerTasks::forget_report);
    connect(&session_, &Session::deviceChanged, this, &WorkerTasks::ensure_figures);
    connect(&session_, &Session::released, this, [this] {
        if (!probing())
            cancel();
        waiting_.reset();
        forget_report();
    });
}

WorkerTasks::~WorkerTasks() {
    *cancel_ = true;
    job_.reset();
}

// In the job's thread.
Result<device::Device> WorkerTasks::peaks_of(measure::WorkerClient& worker, const Request& request,
                                             const measure::RequestOptions& options) {
    if (!request.device)
        return measure::probe_host(worker, options);
    const auto& target = request.device->target;
    if (request.elsewhere)
        return request.elsewhere->probe(worker, target, options);
    return measure::is_opencl(target) ? probe_opencl(target, options)
                                      : measure::probe_gpu(worker, target, options);
}

// In the job's thread.
WorkerTasks::Answer WorkerTasks::ask(measure::WorkerClient& worker, Request request,
                                     const measure::RequestOptions& options) {
    Answer answer;
    if (request.verb == "probe") {
        auto device = peaks_of(worker, request, options);
        if (device)
            answer.device = std::make_shared<const device::Device>(std::move(*device));
        else
            answer.errors = device.errors();
        return answer;
    }
    auto arguments = *request.arguments;
    if (request.run) {
        auto made = request.run->arguments();
        if (!made) {
            answer.errors = made.errors();
            return answer;
        }
        arguments = std::move(*made);
    }
    if (request.device) {
        arguments = at_check_sizes(std::move(arguments), *request.device);
        answer.params = arguments.value("params", answer.params);
    }
    auto result = request.elsewhere
                      ? request.elsewhere->request(worker, request.verb, arguments, options)
                      : worker.request(request.verb, arguments, options);
    if (result)
        answer.json = std::make_shared<const json>(std::move(*result));
    else
        answer.errors = result.errors();
    return answer;
}

void WorkerTasks::set_busy(const QString& text) {
    busy_text_ = text;
    emit busyChanged();
}

// Seconds, where they are known of that revision by now.
std::optional<double> WorkerTasks::predicted(std::int64_t revision) const {
    const bool known =
        estimates_.now() && estimates_.current() && session_.document()->current().id == revision;
    return known ? estimates_.now()->seconds : std::nullopt;
}

WorkerTasks::Request WorkerTasks::request(const std::string& verb, const std::string& text,
                                          json arguments) const {
    Request request;
    request.verb = verb;
    request.text = text;
    request.arguments = std::make_shared<const json>(std::move(arguments));
    request.opening = session_.opening();
    if (!session_.is_open())
        return request;
    request.revision = session_.document()->current().id;
    request.machine = machine();
    request.script = CheckVerdicts::hash_of_script(session_.script());
    request.on = session_.device()->name;
    for (const auto& param : session_.pipeline()->params)
        request.params[param.name] = param.value;
    request.key = session_.measurement_key_on(request.machine);
    request.predicted = predicted(request.revision);
    return request;
}

void WorkerTasks::start(Request request) {
    if (busy() && probing() && request.verb != "probe" && !waiting_) {
        session_.say(tr("It starts once the peaks are measured"), false);
        waiting_ = std::move(request);
        return;
    }
    if (busy()) {
        session_.say(tr("Busy: %1; Esc cancels it").arg(busy_text_), true);
        return;
    }
    *cancel_ = false;
    running_ = request.verb;
    expected_.reset();
    runs_since_.invalidate();
    if (request.predicted && request.budget)
        expected_ = expected_measurement(*request.predicted, *request.budget);
    set_busy(QString::fromStdString(request.text));
    job_->request(std::move(request));
}

bool WorkerTasks::longer_than_expected() const {
    return expected_ && runs_since_.isValid() &&
           session::longer_than_expected(*expected_,
                                         static_cast<double>(runs_since_.elapsed()) / 1000);
}

void WorkerTasks::set_cold(bool cold) {
    if (cold_ == cold)
        return;
    cold_ = cold;
    emit machineChanged();
}

std::string WorkerTasks::machine() const {
    const auto device = session_.device();
    auto name = device->name;
    if (!device->gpu || !device->is_here())
        return name;
    const bool opencl = measure::is_opencl(device->target);
    const auto& beside = opencl ? session_.opencl() : session_.attached();
    if (remote::is_place(device->target))
        name += ", " + device->target;
    else if (std::count_if(beside.begin(), beside.end(),
                           [&](const auto& other) { return other->name == device->name; }) > 1)
        name +=
            (opencl ? ", device " : ", GPU ") + device->target.substr(device->target.find(':') + 1);
    return cold_ && !opencl ? name + ", cold L2 cache" : name;
}

void WorkerTasks::measure(double budget_seconds) {
    if (!session_.is_open())
        return;
    const auto device = session_.device();
    if (!device->is_here()) {
        session_.say(
            tr("%1 is described, and not at hand: choose this machine or a GPU that is, to "
               "measure")
                .arg(QString::fromStdString(device->name)),
            true);
        return;
    }
    auto arguments = program_arguments(*session_.document(), session_.script(), *device);
    arguments["target"] = device->target;
    arguments["budget_s"] = budget_seconds;
    if (measure::is_opencl(device->target))
        arguments["timeout_s"] = kOpenclSeconds; // then its kernels are given up
    else if (device->gpu)
        arguments["cache"] = cold_ ? "cold" : "warm";
    arguments["threads"] = 0;
    session_.end_typing(); // what is measured stays as it is
    auto measuring = request("measure", "measuring", std::move(arguments));
    measuring.budget = budget_seconds;
    measuring.on_processor = !device->gpu;
    measuring.elsewhere = session_.gpus_elsewhere().client(device->target);
    measuring.parallel = any_node(*session_.tree()->root, [](const TreeNode& node) {
        return node.loop_kind == LoopKind::Parallel;
    });
    start(std::move(measuring));
}

void WorkerTasks::run(ArraysRun run) {
    if (!session_.is_open())
        return;
    auto running = request("run", run.text, json::object());
    running.elsewhere = run.elsewhere;
    running.run = std::move(run);
    session_.end_typing(); // what is run stays as it is
    start(std::move(running));
}

// On what is here the compiled code.
void WorkerTasks::check() { start_check(session_.device()->gpu && !session_.device()->is_here()); }

void WorkerTasks::check_in_interpreter() {
    if (session_.device()->gpu)
        start_check(true);
}

void WorkerTasks::start_check(bool interpreted) {
    if (!session_.is_open())
        return;
    const auto device = session_.device();
    auto arguments = program_arguments(*session_.document(), session_.script(), *device);
    arguments["target"] = interpreted ? "simt" : device->gpu ? device->target : "cpu";
    auto checking = request("check",
                            interpreted   ? "checking the kernels in the SIMT interpreter"
                            : device->gpu ? "checking on " + device->name
                                          : "checking against the reference interpreter",
                            std::move(arguments));
    checking.on_processor = !device->gpu;
    if (interpreted)
        checking.device = device;
    else
        checking.elsewhere = session_.gpus_elsewhere().client(device->target);
    session_.end_typing(); // what is checked stays as it is
    start(std::move(checking));
}

void WorkerTasks::probe_host() {
    probed_ = true;
    start(request("probe", "measuring this machine's peaks", json::object()));
}

void WorkerTasks::probe_gpu() {
    const auto device = session_.device();
    if (!device->gpu || !device->is_here())
        return;
    auto probing = request("probe", "measuring the peaks of " + device->name, json::object());
    probing.device = device;
    probing.elsewhere = session_.gpus_elsewhere().client(device->target);
    start(std::move(probing));
}

// Without peaks there is no estimate: they are measured once, unasked.
void WorkerTasks::ensure_figures() {
    if (session_.is_open() && session_.device()->is_host &&
        !measure::has_figures(*session_.device()) && !probed_ && !busy())
        probe_host();
}

void WorkerTasks::cancel() {
    if (busy())
        *cancel_ = true;
    waiting_.reset();
}

void WorkerTasks::forget_report() {
    if (!check_report_)
        return;
    check_report_.reset(); // of another schedule
    emit checkReportChanged();
}

void WorkerTasks::finish(const Request& request, const Answer& answer) {
    running_.clear();
    expected_.reset();
    set_busy({});
    if (const auto warnings = answer.json ? warnings_of(*answer.json) : QString();
        !warnings.isEmpty())
        session_.say(warnings, true);
    if (answer.device && answer.device->gpu) {
        session_.take_gpu(answer.device);
        session_.say(
            tr("The peaks of %1 are measured").arg(QString::fromStdString(answer.device->name)),
            false);
    } else if (answer.device) {
        session_.take_host(answer.device);
        session_.say(tr("This machine's peaks are measured"), false);
    } else if (!answer.json) {
        const bool cancelled =
            !answer.errors.empty() && answer.errors.front().code == measure::kCodeCancelled;
        const auto text = answer.errors.empty()
                              ? tr("The worker gave no answer")
                              : QString::fromStdString(answer.errors.front().message);
        session_.say(cancelled ? tr("Cancelled: %1").arg(QString::fromStdString(request.text))
                               : text,
                     !cancelled);
        if (request.run)
            request.run->done(answer.errors.empty()
                                  ? Diagnostics{error("the worker gave no answer")}
                                  : answer.errors);
    } else if (request.run) {
        request.run->done(*answer.json);
    } else if (request.verb == "check") {
        finish_check(request, answer);
    } else {
        finish_measurement(request, answer);
    }
    if (waiting_) {
        auto next = std::move(*waiting_);
        waiting_.reset();
        if (!next.predicted && session_.is_open())
            next.predicted = predicted(next.revision);
        start(std::move(next));
    } else {
        ensure_figures();
    }
}

QString WorkerTasks::where(const Request& request) {
    return request.device ? tr("the interpreter, as %1's kernels")
                                .arg(QString::fromStdString(request.device->name))
           : request.on_processor ? tr("this machine")
                                  : QString::fromStdString(request.machine);
}

// `text`: what is said of it, whole; `at`: the sizes.
void WorkerTasks::keep_verdict(const Request& request, const measure::CheckResult& check,
                               const QString& text, const QString& at) {
    CheckVerdict verdict;
    verdict.right = check.right;
    verdict.interpreted = request.device != nullptr;
    verdict.machine = where(request);
    verdict.text = text;
    verdict.at = at;
    verdict.script = request.script;
    verdict.device = request.on;
    session_.verdicts().add(request.revision, std::move(verdict));
}

void WorkerTasks::finish_check(const Request& request, const Answer& answer) {
    auto check = measure::check_from_json(*answer.json);
    if (!check) {
        session_.report(check.errors());
        return;
    }
    const bool here = session_.is_open() && request.opening == session_.opening();
    if (here && !request.device)
        keep_verdict(request, *check, verdict_words(*check), sizes_text(request.params));
    if (!request.device || !session_.is_open() || request.opening != session_.opening()) {
        session_.say((check->right ? tr("Right, on %1: %2") : tr("Wrong result, on %1: %2"))
                         .arg(where(request), verdict_words(*check)),
                     !check->right);
        return;
    }
    auto report =
        std::make_shared<const views::CheckReport>(report_of(*check, *answer.json, answer.params));
    keep_verdict(request, *check, report->verdict, report->at);
    if (session_.document()->current().id != request.revision) {
        session_.say(tr("The schedule has changed since it was checked. ") + report->verdict,
                     !report->right);
        return;
    }
    check_report_ = std::move(report);
    emit checkReportChanged();
    session_.say(check_report_->verdict, !check_report_->right);
}

void WorkerTasks::finish_measurement(const Request& request, const Answer& answer) {
    // another document was opened meanwhile
    if (!session_.is_open() || request.opening != session_.opening())
        return;
    auto json = *answer.json;
    const auto check = json.contains("check") ? measure::check_from_json(json["check"])
                                              : Result<measure::CheckResult>(Diagnostics());
    if (check) // on a GPU nothing is timed unchecked
        keep_verdict(request, *check, verdict_words(*check), sizes_text(request.params));
    if (json.contains("check") && !json.value("median_s", nlohmann::json()).is_number()) {
        session_.say(tr("Not timed, for the result is wrong: %1")
                         .arg(check ? difference_words(*check) : QString()),
                     true);
        return;
    }
    if (const auto seconds = request.predicted ? request.predicted : predicted(request.revision))
        json["predicted_s"] = *seconds;
    // A GPU's are those of its launches; of a processor those that the worker would have given to
    // parallel loops.
    if (!request.on_processor)
        json["threads"] = 0;
    else if (!request.parallel)
        json["threads"] = 1;
    Measurement m;
    m.key = request.key;
    m.revision = request.revision;
    m.device = request.machine;
    m.json = json.dump();
    session_.add_measurement(std::move(m));
}

} // namespace loopscope::session
