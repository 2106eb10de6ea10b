#include "tests/fuzz/line_by_fields.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

class FieldValues {
public:
    FieldValues(const DefinitionRef& receiver, const ScheduleState& state, Random& random,
                int& fresh)
        : state_(state), random_(random), fresh_(fresh), loops_(loops_of(receiver)) {
        indices_ = state.declared(receiver.stage).variables;
    }

    void give(const field::Loop& f) { f.value = taken(loops_); }
    void give(const field::Loops& f) { f.value = some(loops_); }
    void give(const field::NewLoop& f) { f.value = "v" + std::to_string(fresh_++); }
    void give(const field::Factor& f) { f.value.value = random_.between(1, 8); }
    void give(const field::OptionalFactor& f) {
        if (random_.chance(70))
            f.value = Factor{random_.between(1, 8), false};
    }
    void give(const field::Tail& f) {
        f.value = random_.pick({Tail::Guard, Tail::Guard, Tail::Shift, Tail::Pad});
    }
    void give(const field::Definition& f) {
        const auto& stage = *random_.pick(state_.stages);
        f.value = {stage.name, random_.below(static_cast<int>(stage.definitions.size()))};
    }
    void give(const field::LoopOf& f) {
        auto loops = loops_of(f.of);
        f.value = taken(loops);
    }
    void give(const field::Source& f) { f.value = random_.pick(state_.stages)->name; }
    void give(const field::Scope& f) { f.value = random_.chance(50) ? "global" : "local"; }
    void give(const field::Level& f) { f.value = random_.chance(50) ? "block.x" : "thread.x"; }
    void give(const field::Intrinsic&) {}
    void give(const field::Readers&) {}
    void give(const field::Dimension& f) { f.value = taken(indices_); }
    void give(const field::Dimensions& f) { f.value = some(indices_); }
    void give(const field::Count& f) { f.value = random_.between(1, 4); }
    void give(const field::Result& f) { f.value = "made" + std::to_string(fresh_++); }

private:
    std::vector<std::string> loops_of(const DefinitionRef& ref) const {
        std::vector<std::string> names;
        const auto& definitions = state_.find(ref.stage)->definitions;
        for (const auto& loop : definitions[static_cast<std::size_t>(ref.definition)].loops)
            names.push_back(loop.name);
        return names;
    }

    // Each once, as long as there are some.
    std::string taken(std::vector<std::string>& names) {
        if (names.empty())
            return "none";
        const auto at = names.begin() + random_.below(static_cast<int>(names.size()));
        const auto name = *at;
        names.erase(at);
        return name;
    }

    std::vector<std::string> some(std::vector<std::string>& names) {
        const int count = random_.between(1, std::max(1, static_cast<int>(names.size())));
        std::vector<std::string> out;
        for (int i = 0; i < count; ++i)
            out.push_back(taken(names));
        return out;
    }

    const ScheduleState& state_;
    Random& random_;
    int& fresh_;
    std::vector<std::string> loops_, indices_; // of the receiver, that no field has taken yet
};

} // namespace

std::string line_by_fields(const std::string& verb, DefinitionRef receiver,
                           const ScheduleState& state, Random& random, int& fresh) {
    const auto directive = create_directive(verb);
    if (directive->per_stage())
        receiver.definition = 0;
    directive->receiver = receiver;
    FieldValues values(receiver, state, random, fresh);
    visit_fields(directive->fields(), [&](const char*, const auto& f) { values.give(f); });
    return directive->text();
}

} // namespace loopscope::fuzz
