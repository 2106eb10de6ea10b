#include "core/schedule/directives/vectorize.h"

#include "core/schedule/legality.h"
#include "core/schedule/nest.h"

namespace loopscope {

namespace {

Status vectorize(const Vectorize& line, ScheduleState& state, const ApplyContext& context) {
    auto nest = Nest::open(state, line.receiver);
    if (!nest)
        return line.at("receiver", nest.errors());
    auto position = nest->position(line.loop);
    if (!position)
        return line.at("loop", position.errors());
    if (line.factor)
        position = nest->split_for(line, *position, *line.factor, "_v", line.tail, context);
    if (!position)
        return position.errors();
    nest->run_as(*position, LoopKind::Vectorized);
    if (auto legal = nest->finish(); !legal)
        return line.at("loop", legal.errors());
    return success();
}

// The loops, as they were before the line split one, for which the same line applies.
std::vector<std::string> legal_loops(const Vectorize& line, const ScheduleState& before,
                                     const ApplyContext& context) {
    auto definition = static_cast<std::size_t>(line.receiver.definition);
    std::vector<std::string> legal;
    for (const auto& loop : before.find(line.receiver.stage)->definitions[definition].loops) {
        auto other = line;
        other.loop = loop.name;
        auto state = before;
        if (vectorize(other, state, context))
            legal.push_back(loop.name);
    }
    return legal;
}

} // namespace

const char* Vectorize::summary() const {
    return "Runs a loop's iterations at once, as lanes of vectors.";
}

Status Vectorize::apply(ScheduleState& state, const ApplyContext& context) const {
    const auto before = state;
    auto applied = vectorize(*this, state, context);
    if (applied || !factor || applied.errors().front().code != kCodeVectorDependence)
        return applied;
    auto refused = applied.errors();
    refused.front().remedy = carried_remedy(before, {receiver.stage, receiver.definition}, loop,
                                            false, legal_loops(*this, before, context));
    return refused;
}

std::string Vectorize::describe() const {
    return "vectorize " + receiver.text() + "." + loop +
           (factor ? " by " + factor->text() + tail_phrase(tail) : "");
}

std::unique_ptr<Directive> make_vectorize() { return std::make_unique<Vectorize>(); }

} // namespace loopscope
