#include "app/session/measured_medians.h"

#include "app/session/script_target.h"
#include "app/session/session.h"
#include "app/session/worker_tasks.h"
#include "compiler/measure/requests.h"
#include "core/base/json_text.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"

namespace loopscope::session {

MeasuredMedians::MeasuredMedians(const Session& session) {
    if (!session.is_open() || !session.device()->is_here())
        return;
    const auto& document = *session.document();
    machine_ = session.tasks().machine();
    for (const auto& m : document.measurements()) {
        if (m.device != machine_)
            continue;
        const auto json = json_or_null(m.json);
        // a stranger's document may hold anything
        if (!json.is_object())
            continue;
        const auto measured = measure::measurement_from_json(json);
        if (!measured)
            continue;
        by_key_[m.key] = {m.id, measured->median_s};
        if (const auto* revision = document.find(m.revision))
            targets_.insert(target_of(revision->script));
    }
    if (!by_key_.empty())
        pipeline_ = to_text(*session.pipeline());
}

std::optional<double> MeasuredMedians::of(const std::string& script) const {
    if (by_key_.empty())
        return std::nullopt;
    auto read = parse_schedule(std::make_shared<SourceFile>("schedule", script));
    if (!read)
        return std::nullopt;
    auto targets = targets_;
    targets.insert(read->target);
    const Newest* newest = nullptr;
    for (const auto& target : targets) {
        read->target = target;
        const auto found = by_key_.find(measurement_key(pipeline_, read->text(), machine_));
        if (found != by_key_.end() && (!newest || found->second.measurement > newest->measurement))
            newest = &found->second;
    }
    return newest ? std::optional(newest->seconds) : std::nullopt;
}

} // namespace loopscope::session
