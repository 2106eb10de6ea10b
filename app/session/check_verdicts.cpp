#include "app/session/check_verdicts.h"

#include "app/session/session.h"
#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace loopscope::session {

using nlohmann::json;

namespace {

constexpr const char* kChecks = "checks"; // of the document
// The newest: a document's state is one text.
constexpr std::size_t kMaxKept = 500;
constexpr qsizetype kMaxText = 400;

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
        verdicts[revision] = {one["right"].get<bool>(), word("machine"), word("text")};
    }
    return verdicts;
}

std::string text_of(const std::map<std::int64_t, CheckVerdict>& verdicts) {
    auto kept = json::object();
    std::size_t left = kMaxKept;
    for (auto each = verdicts.rbegin(); each != verdicts.rend() && left > 0; ++each, --left)
        kept[std::to_string(each->first)] = {{"right", each->second.right},
                                             {"machine", each->second.machine.toStdString()},
                                             {"text", each->second.text.toStdString()}};
    return kept.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

CheckVerdicts::CheckVerdicts(Session& session) : session_(session) {
    connect(&session_, &Session::opened, this, &CheckVerdicts::read);
}

void CheckVerdicts::read() {
    verdicts_ = session_.is_open() ? verdicts_in(session_.document()->state(kChecks))
                                   : std::map<std::int64_t, CheckVerdict>();
    emit changed();
}

const CheckVerdict* CheckVerdicts::of(std::int64_t revision) const {
    const auto found = verdicts_.find(revision);
    return found == verdicts_.end() ? nullptr : &found->second;
}

const CheckVerdict* CheckVerdicts::now() const {
    return session_.is_open() && !session_.has_draft() ? of(session_.document()->current().id)
                                                       : nullptr;
}

void CheckVerdicts::add(std::int64_t revision, CheckVerdict verdict) {
    verdict.text = verdict.text.left(kMaxText);
    verdicts_[revision] = std::move(verdict);
    session_.keep_state(kChecks, text_of(verdicts_));
    emit changed();
}

} // namespace loopscope::session
