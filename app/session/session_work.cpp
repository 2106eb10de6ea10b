// What the session asks of the worker: measuring, checking, probing, source texts.

#include "app/session/session.h"

#include "compiler/measure/host_device.h"
#include "compiler/measure/requests.h"
#include "core/language/loop_parser.h"

#include <nlohmann/json.hpp>

namespace loopscope::session {

nlohmann::json Session::program_arguments() const {
    measure::ProgramText program;
    const auto& source = document_->source();
    program.name = source.pipeline_file.empty() ? "pipeline.loop" : source.pipeline_file;
    program.text = source.pipeline_text;
    program.params = source.params;
    program.has_schedule = true;
    program.schedule_name = "schedule";
    program.schedule = script_;
    program.vector_bits = device_->vector_bits;
    return measure::program_json(program);
}

std::string Session::measurement_key_now() const {
    return measurement_key(to_text(*pipeline_), schedule_.text(), device_->name);
}

void Session::set_busy(const QString& text) {
    busy_text_ = text;
    emit busyChanged();
}

void Session::start_work(WorkRequest request) {
    if (busy()) {
        emit message(QStringLiteral("Busy: %1. Esc cancels it.").arg(busy_text_), true);
        return;
    }
    *cancel_ = false;
    request.revision = document_ ? document_->current().id : 0;
    request.key = document_ ? measurement_key_now() : std::string();
    set_busy(QString::fromStdString(request.text));
    work_job_->request(std::move(request));
}

void Session::measure(double budget_seconds) {
    if (!document_)
        return;
    if (!device_->is_host) {
        emit message(QStringLiteral("%1 is described, not attached: choose the host to measure").arg(QString::fromStdString(device_->name)), true);
        return;
    }
    auto arguments = program_arguments();
    arguments["target"] = "cpu";
    arguments["budget_s"] = budget_seconds;
    arguments["threads"] = 0;
    start_work({"measure", "measuring", std::make_shared<const nlohmann::json>(std::move(arguments)), 0, {}});
}

void Session::check() {
    if (!document_)
        return;
    auto arguments = program_arguments();
    arguments["target"] = "cpu";
    start_work({"check", "checking", std::make_shared<const nlohmann::json>(std::move(arguments)), 0, {}});
}

void Session::probe_host() {
    start_work({"probe", "measuring the host's peaks", std::make_shared<const nlohmann::json>(nlohmann::json::object()), 0, {}});
}

void Session::cancel() {
    if (busy())
        *cancel_ = true;
}

void Session::request_source(const std::string& what) {
    if (!document_)
        return;
    auto arguments = program_arguments();
    arguments["as"] = what;
    source_job_->request({"emit", what, std::make_shared<const nlohmann::json>(std::move(arguments)), 0, {}});
}

void Session::finish_work(const WorkRequest& request, const WorkAnswer& answer) {
    set_busy({});
    if (!answer.json) {
        emit message(QString::fromStdString(answer.errors.empty() ? "no answer" : answer.errors.front().message), true);
        return;
    }
    if (request.verb == "probe") {
        if (device_->is_host) {
            device_ = std::make_shared<const device::Device>(measure::host_device());
            emit deviceChanged();
            request_estimate();
        }
        emit message(QStringLiteral("The host's peaks are measured"), false);
        return;
    }
    if (request.verb == "check") {
        auto check = measure::check_from_json(*answer.json);
        if (!check)
            emit message(QString::fromStdString(format(check.errors())), true);
        else if (check->right)
            emit message(QStringLiteral("Right: %1").arg(QString::fromStdString(check->method)), false);
        else
            emit message(QStringLiteral("Wrong result: %1").arg(QString::fromStdString(check->first_difference)), true);
        return;
    }
    if (!document_ || !document_->find(request.revision))
        return; // another document was opened meanwhile
    auto json = *answer.json;
    if (estimate_ && estimate_current_ && estimate_->seconds && document_->current().id == request.revision)
        json["predicted_s"] = *estimate_->seconds;
    Measurement m;
    m.key = request.key;
    m.revision = request.revision;
    m.device = device_->name;
    m.json = json.dump();
    if (auto added = document_->add_measurement(std::move(m)); !added)
        emit message(QString::fromStdString(format(added.errors())), true);
    emit measurementsChanged();
}

} // namespace loopscope::session
