// Check: on a processor the compiled code, on a GPU the kernels in the interpreter of SIMT programs, at sizes that it can do.

#include "app/session/check_sizes.h"
#include "app/session/session.h"
#include "compiler/measure/requests.h"
#include "views/style/number_format.h"

#include <nlohmann/json.hpp>

namespace loopscope::session {

namespace {

using nlohmann::json;

NodeId node_of(const json& finding, const char* key) {
    NodeId id;
    if (auto found = finding.find(key); found != finding.end() && found->is_string())
        NodeId::parse(found->get<std::string>(), id);
    return id;
}

QString text_member(const json& object, const char* key) {
    return QString::fromStdString(object.value(key, std::string()));
}

double count_of(const json& counts, const char* key) {
    auto found = counts.find(key);
    return found != counts.end() && found->is_number() ? found->get<double>() : 0;
}

// "C: 4 blocks of 256 threads · 10 240 sectors loaded · 1.6 passes over the banks for each that is needed · 16 barriers"
QString launch_text(const json& launch) {
    using views::format_count;
    QStringList parts;
    const double blocks = count_of(launch, "blocks");
    parts << (blocks == 1
                  ? Session::tr("%1: 1 block of %2 threads").arg(text_member(launch, "name"))
                  : Session::tr("%1: %2 blocks of %3 threads")
                        .arg(text_member(launch, "name"), format_count(blocks)))
                 .arg(format_count(count_of(launch, "threads")));
    const auto counts = launch.value("counts", json::object());
    if (const auto loads = count_of(counts, "global_load_sectors"); loads > 0)
        parts << Session::tr("%1 sectors loaded, %2 stored")
                     .arg(format_count(loads),
                          format_count(count_of(counts, "global_store_sectors")));
    if (const auto least = count_of(counts, "shared_passes_least"); least > 0)
        parts << Session::tr("%1 passes over the banks, %2 would do")
                     .arg(format_count(count_of(counts, "shared_passes")), format_count(least));
    if (const auto barriers = count_of(counts, "barriers"); barriers > 0)
        parts << Session::tr("%1 barriers").arg(format_count(barriers));
    return parts.join(QStringLiteral(" · "));
}

} // namespace

void Session::check() {
    if (!document_)
        return;
    auto arguments = program_arguments(script_);
    arguments["target"] = device_->gpu ? "simt" : "cpu";
    auto request = work("check",
                        device_->gpu ? "checking the kernels in the SIMT interpreter"
                                     : "checking against the reference interpreter",
                        std::move(arguments));
    if (device_->gpu)
        request.device = device_;
    end_typing(); // what is checked stays as it is
    start_work(std::move(request));
}

// Off the main thread: finding sizes applies the schedule some times.
void Session::shrink(WorkRequest& request) {
    auto arguments = *request.arguments;
    const auto& pipeline = arguments.at("pipeline");
    arguments["params"] =
        check_sizes(pipeline.at("name"), pipeline.at("text"),
                    arguments.value("params", std::map<std::string, std::int64_t>()),
                    arguments.at("schedule").at("text"), *request.device);
    request.arguments = std::make_shared<const json>(std::move(arguments));
}

void Session::finish_check(const WorkRequest& request, const WorkAnswer& answer) {
    auto check = measure::check_from_json(*answer.json);
    if (!check) {
        report(check.errors());
        return;
    }
    const auto verdict =
        check->right ? tr("Right: %1").arg(QString::fromStdString(check->method))
                     : tr("Wrong result: %1").arg(QString::fromStdString(check->first_difference));
    if (!request.device || !document_ || request.opening != opening_) {
        emit message(verdict, !check->right);
        return;
    }
    auto made = std::make_shared<views::CheckReport>();
    made->right = check->right;
    made->difference = QString::fromStdString(check->first_difference);
    for (const auto& finding : answer.json->value("findings", json::array()))
        made->findings.push_back({text_member(finding, "kind"), node_of(finding, "node"),
                                  node_of(finding, "other"), text_member(finding, "buffer"),
                                  text_member(finding, "message"),
                                  finding.value("count", std::uint64_t{0})});
    const bool found = !made->findings.empty();
    made->verdict =
        found ? tr("The kernels are not sound: %n finding(s)", nullptr,
                   static_cast<int>(made->findings.size()))
        : check->right
            ? tr("Right, and no hazards: %1").arg(QString::fromStdString(check->method))
            : tr("Wrong result, and no hazards: %1").arg(QString::fromStdString(check->method));
    QStringList sizes;
    for (const auto& [param, value] : answer.params)
        sizes << QStringLiteral("%1 = %2").arg(QString::fromStdString(param)).arg(value);
    made->at = sizes.join(QStringLiteral(", "));
    for (const auto& launch : answer.json->value("launches", json::array()))
        made->launches << launch_text(launch);
    if (document_->current().id != request.revision) {
        emit message(tr("The schedule has changed since it was checked. ") + made->verdict,
                     !made->right);
        return;
    }
    check_report_ = std::move(made);
    emit checkReportChanged();
    emit message(check_report_->verdict, !check_report_->right);
}

} // namespace loopscope::session
