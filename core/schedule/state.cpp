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
    case LoopKind::Vectorised: return "vectorised";
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

std::size_t DefinitionState::tensorised_from() const {
    const int at = tensorised ? position_of(tensorised->loop) : -1;
    return at < 0 ? loops.size() : static_cast<std::size_t>(at);
}

ScheduleState ScheduleState::initial(PipelinePtr pipeline) {
    ScheduleState state;
    std::map<std::string, std::size_t> places;
    for (const auto& stage : pipeline->stages) {
        if (stage.is_input)
            continue;
        auto made = std::make_shared<StageState>();
        made->name = stage.name;
        for (const auto& definition : stage.definitions)
            made->definitions.push_back(default_nest(stage, definition));
        places.emplace(stage.name, state.stages.size());
        state.stages.push_back(std::move(made));
    }
    state.places = std::make_shared<const std::map<std::string, std::size_t>>(std::move(places));
    state.reads = std::make_shared<const DirectReads>(*pipeline);
    state.pipeline = std::move(pipeline);
    return state;
}

const StageState* ScheduleState::find(const std::string& stage) const {
    int index = index_of(stage);
    return index < 0 ? nullptr : stages[static_cast<std::size_t>(index)].get();
}

// Asked for every load of a program of thousands of stages: a search through all of them would make that quadratic. Lines
// only insert stages, so that one of the pipeline's stands at most that many places later than it began.
int ScheduleState::index_of(const std::string& stage) const {
    if (stages.empty())
        return -1;
    const auto place = places->find(stage);
    const bool own = place != places->end();
    const std::size_t inserted = stages.size() - places->size();
    const std::size_t begin = own ? place->second : 0;
    const std::size_t end = own ? begin + inserted + 1 : inserted > 0 ? stages.size() : 0;
    for (std::size_t i = begin; i < end; ++i)
        if (stages[i]->name == stage)
            return static_cast<int>(i);
    return -1;
}

StageState& ScheduleState::edit(const std::string& stage) {
    int index = index_of(stage);
    if (index < 0)
        throw std::logic_error("no stage to edit: " + stage);
    auto& slot = stages[static_cast<std::size_t>(index)];
    auto copy = std::make_shared<StageState>(*slot);
    slot = copy;
    return *copy;
}

std::vector<std::string> ScheduleState::placed_at(const LoopRef& loop) const {
    std::vector<std::string> names;
    for (const auto& stage : stages)
        if (at_loop(stage->compute, loop) || at_loop(stage->store, loop))
            names.push_back(stage->name);
    return names;
}

const Stage& ScheduleState::declared(const std::string& name) const {
    std::string source = name;
    // A copy's source is in the pipeline, or another copy made before it: the chain ends.
    for (const StageState* stage = find(source); stage && !stage->copy_of.empty();
         stage = find(source))
        source = stage->copy_of;
    if (const StageState* stage = find(source); stage && stage->rewritten)
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
