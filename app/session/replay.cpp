#include "app/session/replay.h"

#include "core/schedule/script_tree.h"

#include <algorithm>

namespace loopscope::session {

namespace {

ScheduleState before_all(const PipelinePtr& pipeline, const Schedule& schedule) {
    auto state = ScheduleState::initial(pipeline);
    state.target = schedule.target;
    return state;
}

// The directives behind the last state, up to one that is refused: why it is.
Diagnostics apply_rest(Scheduled& made, const ApplyContext& context) {
    const auto& directives = made.schedule.directives;
    auto state = made.states.back();
    while (made.states.size() <= directives.size()) {
        if (auto status = apply_line(state, *directives[made.states.size() - 1], context); !status)
            return status.errors();
        made.states.push_back(state);
    }
    return {};
}

} // namespace

Replay replay(const PipelinePtr& pipeline, Schedule schedule, const ApplyContext& context,
              const Scheduled* known) {
    Replay out{{std::move(schedule), nullptr, {}}, {}};
    auto& made = out.scheduled;
    const auto& directives = made.schedule.directives;
    if (known && known->schedule.target == made.schedule.target &&
        known->states.front().pipeline == pipeline) {
        const auto& before = known->schedule.directives;
        std::size_t same_start = 0;
        while (same_start < std::min(before.size(), directives.size()) &&
               before[same_start]->text() == directives[same_start]->text())
            ++same_start;
        made.states.assign(known->states.begin(),
                           known->states.begin() + static_cast<std::ptrdiff_t>(same_start) + 1);
        // only comments and white space differ
        if (same_start == before.size() && same_start == directives.size())
            made.tree = known->tree;
    } else {
        made.states.push_back(before_all(pipeline, made.schedule));
    }
    out.refusal = apply_rest(made, context);
    return out;
}

Result<Scheduled> with_tree(Scheduled made, const Scheduled* known) {
    if (made.tree)
        return made;
    auto tree = build_script_tree(made.states, made.schedule.directives,
                                  known ? known->tree.get() : nullptr);
    if (!tree)
        return tree.errors();
    made.tree = std::move(*tree);
    return made;
}

Result<Fitting> fitting(const PipelinePtr& pipeline, Schedule schedule,
                        const ApplyContext& context) {
    Fitting out{{std::move(schedule), nullptr, {}}, {}};
    auto& made = out.scheduled;
    made.states.push_back(before_all(pipeline, made.schedule));
    auto& directives = made.schedule.directives;
    // What stands behind it is applied anew, from the state before it.
    const auto leave_out = [&](std::size_t number, Diagnostics why) {
        const auto place = directives.begin() + static_cast<std::ptrdiff_t>(number);
        out.left_out.push_back({*place, std::move(why)});
        directives.erase(place);
        made.states.erase(made.states.begin() + static_cast<std::ptrdiff_t>(number) + 1,
                          made.states.end());
    };
    for (;;) { // ends: each round leaves a directive out, or is the last
        if (auto refusal = apply_rest(made, context); !refusal.empty()) {
            leave_out(made.states.size() - 1, std::move(refusal));
            continue;
        }
        auto tree = build_tree(made.states.back());
        if (tree) {
            made.tree = std::move(*tree);
            return out;
        }
        const auto number = directive_behind(tree.errors().front(), made.states);
        if (!number)
            return tree.errors();
        leave_out(*number, tree.errors());
    }
}

} // namespace loopscope::session
