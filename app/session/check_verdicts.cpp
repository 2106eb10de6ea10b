#include "app/session/check_verdicts.h"

#include "app/session/session.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace loopscope::session {

using nlohmann::json;

namespace {

constexpr const char* kChecks = "checks"; // of the document
// The newest: a document's state is one text.
constexpr std::size_t kMaxKept = 500;
constexpr qsizetype kMaxText = 1000;

// A document may be a stranger's: what is no verdict is passed over.
std::map<std::int64_t, CheckVerdict> verdicts_in(const std::string& text) {
    std::map<std::int64_t, CheckVerdict> verdicts;
    const auto kept = json_or_null(text);
    if (!kept.is_object())
        return verdicts;
    for (const auto& [key, one] : kept.items()) {
        std::int64_t revision = 0;
        const auto* end = key.data() + key.size();
        if (std::from_chars(key.data(), end, revision).ptr != end || !one.is_object() ||
            !one.value("right", json()).is_boolean())
            continue;
        auto word = [&one = one](const char* name) {
            return QString::fromStdString(text_or(one, name, "")).left(kMaxText);
        };
        verdicts[revision] = {one["right"].get<bool>(),
                              one.value("interpreted", json()) == true,
                              word("machine"),
                              word("text"),
                              word("at"),
                              text_or(one, "script", ""),
                              text_or(one, "device", "")};
    }
    return verdicts;
}

std::string text_of(const std::map<std::int64_t, CheckVerdict>& verdicts) {
    auto kept = json::object();
    std::size_t left = kMaxKept;
    for (auto each = verdicts.rbegin(); each != verdicts.rend() && left > 0; ++each, --left)
        kept[std::to_string(each->first)] = {{"right", each->second.right},
                                             {"interpreted", each->second.interpreted},
                                             {"machine", each->second.machine.toStdString()},
                                             {"text", each->second.text.toStdString()},
                                             {"at", each->second.at.toStdString()},
                                             {"script", each->second.script},
                                             {"device", each->second.device}};
    return kept.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

CheckVerdicts::CheckVerdicts(Session& session) : session_(session) {
    connect(&session_, &Session::opened, this, &CheckVerdicts::opened);
}

std::string CheckVerdicts::hash_of_script(const std::string& script) {
    return hash_text(hash_of(script));
}

// Under another name it is the same document: what an old file did not take goes into the new one.
void CheckVerdicts::opened() {
    const bool same = session_.is_open() && opening_ == session_.opening();
    if (same && !verdicts_.empty())
        session_.keep_state(kChecks, text_of(verdicts_));
    else
        verdicts_ = session_.is_open() ? verdicts_in(session_.document()->state(kChecks))
                                       : std::map<std::int64_t, CheckVerdict>();
    opening_ = session_.opening();
    emit changed();
}

const CheckVerdict* CheckVerdicts::of(std::int64_t revision) const {
    const auto found = verdicts_.find(revision);
    const auto* stands = session_.is_open() ? session_.document()->find(revision) : nullptr;
    return found != verdicts_.end() && stands &&
                   found->second.script == hash_of_script(stands->script)
               ? &found->second
               : nullptr;
}

const CheckVerdict* CheckVerdicts::now() const {
    if (!session_.is_open() || session_.has_draft())
        return nullptr;
    const auto* verdict = of(session_.document()->current().id);
    return verdict && verdict->script == hash_of_script(session_.script()) &&
                   verdict->device == session_.device()->name
               ? verdict
               : nullptr;
}

void CheckVerdicts::add(std::int64_t revision, CheckVerdict verdict) {
    verdict.text = verdict.text.left(kMaxText);
    verdict.machine = verdict.machine.left(kMaxText);
    verdict.at = verdict.at.left(kMaxText);
    const auto before = verdicts_.find(revision);
    if (before != verdicts_.end() && before->second.script == verdict.script &&
        !before->second.right && !before->second.interpreted && verdict.interpreted)
        return;
    verdicts_[revision] = std::move(verdict);
    session_.keep_state(kChecks, text_of(verdicts_));
    emit changed();
}

} // namespace loopscope::session
