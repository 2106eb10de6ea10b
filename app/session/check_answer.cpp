#include "app/session/check_answer.h"

#include "app/session/verdict_words.h"
#include "views/style/number_format.h"

#include <nlohmann/json.hpp>

#include <QObject>

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

// "C: 4 blocks of 256 threads · 10 240 sectors loaded · 1.6 passes over the banks for each that is
// needed · 16 barriers"
QString launch_text(const json& launch) {
    using views::format_count;
    QStringList parts;
    const double blocks = count_of(launch, "blocks");
    parts << (blocks == 1
                  ? QObject::tr("%1: 1 block of %2 threads").arg(text_member(launch, "name"))
                  : QObject::tr("%1: %2 blocks of %3 threads")
                        .arg(text_member(launch, "name"), format_count(blocks)))
                 .arg(format_count(count_of(launch, "threads")));
    const auto counts = launch.value("counts", json::object());
    if (const auto loads = count_of(counts, "global_load_sectors"); loads > 0)
        parts << QObject::tr("%1 sectors loaded, %2 stored")
                     .arg(format_count(loads),
                          format_count(count_of(counts, "global_store_sectors")));
    if (const auto least = count_of(counts, "shared_passes_least"); least > 0)
        parts << QObject::tr("%1 passes over the banks, %2 would do")
                     .arg(format_count(count_of(counts, "shared_passes")), format_count(least));
    if (const auto barriers = count_of(counts, "barriers"); barriers > 0)
        parts << QObject::tr("%1 barriers").arg(format_count(barriers));
    return parts.join(QStringLiteral(" · "));
}

QString verdict_on(const measure::CheckResult& check, qsizetype findings) {
    if (findings > 0)
        return QObject::tr("The kernels are not sound: %n finding(s)", nullptr,
                           static_cast<int>(findings));
    return (check.right ? QObject::tr("Right, and no hazards: %1")
                        : QObject::tr("Wrong result, and no hazards: %1"))
        .arg(verdict_words(check));
}

} // namespace

QString sizes_text(const std::map<std::string, std::int64_t>& params) {
    QStringList sizes;
    for (const auto& [param, value] : params)
        sizes << QStringLiteral("%1 = %2").arg(QString::fromStdString(param)).arg(value);
    return sizes.join(QStringLiteral(", "));
}

views::CheckReport report_of(const measure::CheckResult& check, const json& answer,
                             const std::map<std::string, std::int64_t>& params) {
    views::CheckReport made;
    made.right = check.right;
    for (const auto& finding : answer.value("findings", json::array()))
        made.findings.push_back({text_member(finding, "kind"), node_of(finding, "node"),
                                 node_of(finding, "other"), text_member(finding, "buffer"),
                                 text_member(finding, "message"),
                                 finding.value("count", std::uint64_t{0})});
    made.verdict = verdict_on(check, static_cast<qsizetype>(made.findings.size()));
    if (!made.findings.empty()) // else the verdict says it
        made.difference = difference_words(check);
    made.at = sizes_text(params);
    for (const auto& launch : answer.value("launches", json::array()))
        made.launches << launch_text(launch);
    return made;
}

} // namespace loopscope::session
