#include "core/schedule/state.h"

#include "core/schedule/default_nest.h"
#include "core/schedule/reads.h"

#include <stdexcept>

namespace loopscope {

namespace {

bool at_loop(const Placement& placement, const LoopRef& loop) {
    return placement.kind == Placement::Kind::At && placement.at == loop;
}

} // namespace

const char* name(LoopKind kind) {
    switch (kind) {
    case LoopKind::Serial: return "serial";
    case LoopKind::Parallel: return "parallel";
    case LoopKind::Unrolled: return "unrolled";
    case LoopKind::Vectorized: return "vectorised";
    }
    return "";
}

const char* name(Tail tail) {
    switch (tail) {
    case Tail::Guard: return "guard";
    case Tail::Shift: return "shift";
    case Tail::Pad: return "pad";
    }
    return "";
}

const LoopState* DefinitionState::find(const std::string& loop) const {
    int at = position(loop);
    return at < 0 ? nullptr : &loops[static_cast<std::size_t>(at)];
}

int DefinitionState::position(const std::string& loop) const {
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (loops[i].name == loop)
            return static_cast<int>(i);
    return -1;
}

int DefinitionState::position_of(int id) const {
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (loops[i].id == id)
            return static_cast<int>(i);
    return -1;
}

std::size_t DefinitionState::tensorized_from() const {
    const int at = tensorized ? position_of(tensorized->loop) : -1;
    return at < 0 ? loops.size() : static_cast<std::size_t>(at);
}

ScheduleState ScheduleState::initial(PipelinePtr pipeline) {
    ScheduleState state;
    for (const auto& stage : pipeline->stages) {
        if (stage.is_input)
            continue;
        auto made = std::make_shared<StageState>();
        made->name = stage.name;
        for (const auto& definition : stage.definitions)
            made->definitions.push_back(default_nest(stage, definition));
        state.stages.insert(state.stages.size(), std::move(made));
    }
    state.stages.settle();
    state.reads = std::make_shared<const DirectReads>(*pipeline);
    state.pipeline = std::move(pipeline);
    return state;
}

const StageState* ScheduleState::find(const std::string& stage) const {
    int index = index_of(stage);
    return index < 0 ? nullptr : stages[static_cast<std::size_t>(index)].get();
}

int ScheduleState::index_of(const std::string& stage) const { return stages.index_of(stage); }

StageState& ScheduleState::edit(const std::string& stage) {
    int index = index_of(stage);
    if (index < 0)
        throw std::logic_error("no stage to edit: " + stage);
    const auto place = static_cast<std::size_t>(index);
    auto copy = std::make_shared<StageState>(*stages[place]);
    stages.replace(place, copy);
    return *copy;
}

std::vector<std::string> ScheduleState::placed_at(const LoopRef& loop) const {
    std::vector<std::string> names;
    for (const auto* stage : stages.having(StageTrait::Placed))
        if (at_loop(stage->compute, loop) || at_loop(stage->store, loop))
            names.push_back(stage->name);
    return names;
}

const Stage& ScheduleState::declared(const std::string& name) const {
    const StageState* stage = find(name);
    const std::string& source = stage && !stage->copied.empty() ? stage->copied : name;
    if (stage && !stage->copied.empty())
        stage = find(source);
    if (stage && stage->rewritten)
        return *stage->rewritten;
    const Stage* declared = pipeline->find(source);
    if (!declared)
        throw std::logic_error("no such stage or input: " + name);
    return *declared;
}

const Definition* ScheduleState::definition(const std::string& stage, int index) const {
    const StageState* found = find(stage);
    if (!found || !found->copy_of.empty())
        return nullptr;
    const auto& definitions =
        (found->rewritten ? found->rewritten.get() : pipeline->find(stage))->definitions;
    return index >= 0 && index < static_cast<int>(definitions.size())
               ? &definitions[static_cast<std::size_t>(index)]
               : nullptr;
}

bool ScheduleState::known(const std::string& name) const {
    return find(name) || pipeline->find(name);
}

} // namespace loopscope
