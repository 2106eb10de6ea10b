// What the session asks of the worker: measuring, checking, probing, source texts.

#include "app/session/session.h"

#include "compiler/measure/host_device.h"
#include "compiler/measure/requests.h"
#include "core/base/output_forms.h"
#include "core/language/loop_parser.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr double kSourceSeconds = 120; // a text that takes longer is given up

bool has_parallel_loop(const TreeNode& node) {
    return node.loop_kind == LoopKind::Parallel ||
           std::any_of(node.children.begin(), node.children.end(),
                       [](const auto& child) { return has_parallel_loop(*child); });
}

// Of loops that are vectorised in vain. Empty: none.
QString warnings_of(const nlohmann::json& answer) {
    auto warnings = answer.find("warnings");
    return warnings != answer.end() && warnings->is_string()
               ? QString::fromStdString(warnings->get<std::string>())
               : QString();
}

// "C: 54 registers a thread, nothing spilled, 24576 bytes of shared memory", kernel by kernel; why the assembler said nothing.
std::string remark_on(const nlohmann::json& answer) {
    std::string out;
    auto kernels = answer.find("kernels");
    if (kernels == answer.end() || !kernels->is_array())
        return out;
    for (const auto& kernel : *kernels) {
        if (!kernel.contains("registers"))
            continue;
        const auto spilled = kernel.value("spill_bytes", std::int64_t{0});
        out += (out.empty() ? "ptxas: " : "; ") + kernel.value("name", "") + " takes " +
               std::to_string(kernel.value("registers", 0)) + " registers a thread, " +
               (spilled > 0 ? "spills " + std::to_string(spilled) + " bytes" : "spills nothing") +
               ", " +
               std::to_string(kernel.value("shared_bytes", std::int64_t{0}) +
                              kernel.value("dynamic_bytes", std::int64_t{0})) +
               " bytes of shared memory a block";
    }
    if (auto why = answer.find("ptxas"); out.empty() && why != answer.end() && why->is_string()) {
        out = why->get<std::string>();
        out = "Registers are not known: " + out.substr(0, out.find('\n'));
    }
    return out;
}

} // namespace

std::vector<NodeId> origins_of_lines(const nlohmann::json& answer) {
    std::vector<NodeId> out;
    auto lines = answer.find("lines");
    if (lines == answer.end())
        return out;
    for (const auto& line : *lines) {
        NodeId id;
        if (line.is_string())
            NodeId::parse(line.get<std::string>(), id);
        out.push_back(id);
    }
    return out;
}

void Session::make_work_jobs() {
    auto run = [](measure::WorkerClient& worker, const WorkRequest& request,
                  const measure::RequestOptions& options) {
        WorkAnswer answer;
        if (request.verb == "probe") {
            auto device = measure::probe_host(worker, options);
            if (device)
                answer.device = std::make_shared<const device::Device>(std::move(*device));
            else
                answer.errors = device.errors();
            return answer;
        }
        auto asked = request;
        if (asked.device) {
            shrink(asked);
            answer.params = asked.arguments->value("params", answer.params);
        }
        auto result = worker.request(request.verb, *asked.arguments, options);
        if (result)
            answer.json = std::make_shared<const nlohmann::json>(std::move(*result));
        else
            answer.errors = result.errors();
        return answer;
    };
    worker_ = std::make_shared<measure::WorkerClient>();
    source_worker_ = std::make_shared<measure::WorkerClient>();
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    work_job_ = std::make_unique<WorkJob>(
        [this, run, worker = worker_, cancel = cancel_](const WorkRequest& request,
                                                        const views::CancelToken&) {
            measure::RequestOptions options;
            options.cancel = cancel.get();
            options.on_progress = [this](const measure::Progress& p) {
                handover_.post([this, p] {
                    if (p.stage != "compile" && !runs_since_.isValid())
                        runs_since_.start();
                    emit progress(QString::fromStdString(p.text), p.fraction);
                });
            };
            return run(*worker, request, options);
        },
        [this](const WorkRequest& request, const WorkAnswer& answer) {
            finish_work(request, answer);
        });
    connect(work_job_.get(), &views::LatestJobBase::failed, this, [this](const QString& text) {
        running_.clear();
        set_busy({});
        emit message(text, true);
    });
    source_job_ = make_source_job(&Session::sourceReady);
    baseline_source_job_ = make_source_job(&Session::baselineSourceReady);
    make_export_job();
    make_passes_job();
}

std::unique_ptr<Session::WorkJob>
Session::make_source_job(void (Session::*ready)(const SourceAnswer&)) {
    auto job = std::make_unique<WorkJob>(
        [worker = source_worker_](const WorkRequest& request, const views::CancelToken& token) {
            measure::RequestOptions options;
            options.cancel = token.flag(); // a superseded text is not worth compiling
            options.timeout_seconds = kSourceSeconds;
            WorkAnswer answer;
            auto result = worker->request(request.verb, *request.arguments, options);
            if (result)
                answer.json = std::make_shared<const nlohmann::json>(std::move(*result));
            else
                answer.errors = result.errors();
            return answer;
        },
        [this, ready](const WorkRequest& request, const WorkAnswer& answer) {
            SourceAnswer source;
            source.what = request.text;
            if (answer.json) {
                source.text = answer.json->value("text", "");
                source.lines = origins_of_lines(*answer.json);
                source.remark = remark_on(*answer.json);
            } else {
                source.failure =
                    answer.errors.empty() ? "the worker gave no answer" : format(answer.errors);
            }
            emit(this->*ready)(source);
        });
    connect(job.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { emit message(text, true); });
    return job;
}

nlohmann::json Session::program_arguments(const std::string& script) const {
    measure::ProgramText program;
    const auto& source = document_->source();
    program.name = source.pipeline_file.empty() ? "pipeline.loop" : source.pipeline_file;
    program.text = source.pipeline_text;
    program.params = source.params;
    program.has_schedule = true;
    program.schedule_name = "schedule";
    program.schedule = script;
    // Code of this processor, from a script for a GPU, counts with this processor's vectors.
    program.vector_bits = device_->gpu ? 0 : device_->vector_bits;
    return measure::program_json(program);
}

std::string Session::measurement_key_now() const { return measurement_key_on(device_->name); }

std::string Session::measurement_key_on(const std::string& device) const {
    return measurement_key(to_text(*pipeline_), schedule().text(), device);
}

void Session::set_busy(const QString& text) {
    busy_text_ = text;
    emit busyChanged();
}

Session::WorkRequest Session::work(const std::string& verb, const std::string& text,
                                   nlohmann::json arguments) const {
    WorkRequest request;
    request.verb = verb;
    request.text = text;
    request.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
    request.opening = opening_;
    if (!document_)
        return request;
    request.revision = document_->current().id;
    request.key = measurement_key_now();
    if (estimate_ && estimate_current_)
        request.predicted = estimate_->seconds;
    return request;
}

void Session::start_work(WorkRequest request) {
    if (busy() && running_ == "probe" && request.verb != "probe" && !waiting_) {
        emit message(tr("It starts once the host's peaks are measured"), false);
        waiting_ = std::move(request);
        return;
    }
    if (busy()) {
        emit message(tr("Busy: %1; Esc cancels it").arg(busy_text_), true);
        return;
    }
    *cancel_ = false;
    running_ = request.verb;
    expected_.reset();
    runs_since_.invalidate();
    if (request.predicted && request.budget)
        expected_ = expected_measurement(*request.predicted, *request.budget);
    set_busy(QString::fromStdString(request.text));
    work_job_->request(std::move(request));
}

bool Session::longer_than_expected() const {
    return expected_ && runs_since_.isValid() &&
           session::longer_than_expected(*expected_,
                                         static_cast<double>(runs_since_.elapsed()) / 1000);
}

void Session::measure(double budget_seconds) {
    if (!document_)
        return;
    if (!device_->is_host) {
        emit message(tr("%1 is described, not attached: choose this machine to measure")
                         .arg(QString::fromStdString(device_->name)),
                     true);
        return;
    }
    auto arguments = program_arguments(script_);
    arguments["target"] = "cpu";
    arguments["budget_s"] = budget_seconds;
    arguments["threads"] = 0;
    end_typing(); // what is measured stays as it is
    auto request = work("measure", "measuring", std::move(arguments));
    request.budget = budget_seconds;
    request.parallel = has_parallel_loop(*tree()->root);
    start_work(std::move(request));
}

void Session::probe_host() {
    probed_ = true;
    start_work(work("probe", "measuring this machine's peaks", nlohmann::json::object()));
}

// Without peaks there is no estimate: they are measured once, unasked.
void Session::ensure_figures() {
    if (document_ && device_->is_host && !measure::has_figures(*device_) && !probed_ && !busy())
        probe_host();
}

void Session::cancel() {
    if (busy())
        *cancel_ = true;
    waiting_.reset();
}

// Of a GPU's document the pseudo-loops are those of its kernels.
void Session::add_form(nlohmann::json& arguments, const std::string& name) const {
    arguments["as"] = name;
    const auto* form = find_output_form(name);
    if (device_->gpu && form && form->takes_target)
        arguments["target"] = "cuda";
}

void Session::request_source(const std::string& what) {
    if (!document_)
        return;
    auto arguments = program_arguments(script_);
    add_form(arguments, what);
    source_job_->request(work("emit", what, std::move(arguments)));
}

void Session::request_baseline_source(const std::string& what) {
    if (!document_ || !baseline_tree_)
        return;
    auto arguments = program_arguments(baseline_script());
    add_form(arguments, what);
    baseline_source_job_->request(work("emit", what, std::move(arguments)));
}

void Session::host_probed(DevicePtr host) {
    host_ = std::move(host);
    if (own_device_->is_host)
        own_device_ = host_;
    if (device_->is_host) {
        device_ = host_;
        forget_verdicts(); // they, and forecasts, are of the machine without its peaks
        request_estimate();
        request_baseline();
        if (document_)
            request_predictions();
    }
    emit deviceChanged();
    emit message(tr("This machine's peaks are measured"), false);
}

void Session::finish_work(const WorkRequest& request, const WorkAnswer& answer) {
    running_.clear();
    expected_.reset();
    set_busy({});
    if (const auto warnings = answer.json ? warnings_of(*answer.json) : QString();
        !warnings.isEmpty())
        emit message(warnings, true);
    if (answer.device) {
        host_probed(answer.device);
    } else if (!answer.json) {
        bool cancelled =
            !answer.errors.empty() && answer.errors.front().code == measure::kCodeCancelled;
        const auto text = answer.errors.empty()
                              ? tr("The worker gave no answer")
                              : QString::fromStdString(answer.errors.front().message);
        emit message(cancelled ? tr("Cancelled: %1").arg(QString::fromStdString(request.text))
                               : text,
                     !cancelled);
    } else if (request.verb == "check") {
        finish_check(request, answer);
    } else {
        finish_measurement(request, answer);
    }
    if (waiting_) {
        auto next = std::move(*waiting_);
        waiting_.reset();
        if (!next.predicted && estimate_current_ && document_ &&
            document_->current().id == next.revision)
            next.predicted = estimate_->seconds;
        start_work(std::move(next));
    } else {
        ensure_figures();
    }
}

void Session::finish_measurement(const WorkRequest& request, const WorkAnswer& answer) {
    if (!document_ || request.opening != opening_)
        return; // another document was opened meanwhile
    auto json = *answer.json;
    auto predicted = request.predicted;
    if (!predicted && estimate_ && estimate_current_ && document_->current().id == request.revision)
        predicted = estimate_->seconds;
    if (predicted)
        json["predicted_s"] = *predicted;
    if (!request.parallel)
        json["threads"] = 1; // whatever the worker would have given to parallel loops
    Measurement m;
    m.key = request.key;
    m.revision = request.revision;
    m.device = host_->name;
    m.json = json.dump();
    if (auto added = document_->add_measurement(std::move(m)); !added)
        report(added.errors());
    emit measurementsChanged();
}

} // namespace loopscope::session
