#include "core/schedule/directives/vectorize.h"

#include "core/schedule/legality.h"

namespace loopscope {

const char* Vectorize::summary() const {
    return "Runs a loop's iterations at once, as lanes of vectors.";
}

std::vector<std::string> Vectorize::legal_loops(const ScheduleState& before,
                                                const ApplyContext& context) const {
    auto definition = static_cast<std::size_t>(receiver.definition);
    std::vector<std::string> legal;
    for (const auto& other : before.find(receiver.stage)->definitions[definition].loops) {
        auto line = *this;
        line.loop = other.name;
        auto state = before;
        if (line.vectorize(state, context))
            legal.push_back(other.name);
    }
    return legal;
}

Status Vectorize::apply(ScheduleState& state, const ApplyContext& context) const {
    const auto before = state;
    auto applied = vectorize(state, context);
    if (applied || !factor || applied.errors().front().code != kCodeVectorDependence)
        return applied;
    auto refused = applied.errors();
    refused.front().remedy = carried_remedy(before, {receiver.stage, receiver.definition}, loop,
                                            false, legal_loops(before, context));
    return refused;
}

std::unique_ptr<Directive> make_vectorize() { return std::make_unique<Vectorize>(); }

} // namespace loopscope
