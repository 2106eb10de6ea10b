// R = S.rfactor(k): makes of S, a reduction or an update by += *= max= min=, two stages. R has k, a
// reduction loop of S, as its first pure axis, then S's; it starts at root with the loops k, S's
// variables, the other reduction loops of S. S keeps its free loops and reduces R over k alone. Of
// an update: R starts from the neutral element, R.update(0) is the update with k pure, S's update
// combines R. Copies that served S's definition serve R's.

#include "core/ir/limits.h"
#include "core/schedule/combining.h"
#include "core/schedule/default_nest.h"
#include "core/schedule/factor.h"
#include "core/schedule/inferred.h"
#include "core/schedule/legality.h"
#include "core/schedule/merging.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

#include <algorithm>

namespace loopscope {

namespace {

const DefinitionState& nest_of(const ScheduleState& state, const DefinitionRef& ref) {
    return state.find(ref.stage)->definitions[static_cast<std::size_t>(ref.definition)];
}

std::string reduction_loops(const DefinitionState& nest) {
    std::string text;
    for (const auto& loop : nest.loops)
        if (loop.reduction)
            text += (text.empty() ? "" : ", ") + loop.name;
    return text.empty() ? "none" : text;
}

bool within(const Box& inner, const Box& outer) {
    bool empty = std::any_of(inner.begin(), inner.end(), [](const auto& i) { return i.empty(); });
    for (std::size_t d = 0; d < inner.size() && !empty; ++d)
        if (!outer[d].contains(inner[d]))
            return false;
    return true;
}

// Rewriting leaves all boxes as they were: a wider one could be read where an input has no
// elements.
Status check_boxes(const InferredBoxes& before, ScheduleState& after, const std::string& made) {
    // nothing to hold it against: the tree will say so
    if (!before.errors.empty())
        return success();
    const auto remedy = "remove this line";
    auto now = inferred_boxes(after);
    if (!now->errors.empty())
        return error("with " + made + ", an index cannot be bounded any more", remedy);
    for (const auto& [name, box] : before.boxes)
        if (auto other = now->boxes.find(name);
            other != now->boxes.end() && !within(other->second, box))
            return error("with " + made + ", more of " + name + " would be needed than without",
                         remedy);
    const auto& stage = *after.find(made)->rewritten;
    __int128 size = 0;
    for (auto type : stage.types)
        size += bytes(type);
    for (const auto& interval : now->boxes.at(made))
        size = std::min<__int128>(size * interval.extent(), __int128{kMaxBytes} + 1);
    if (size > kMaxBytes)
        return error(made + " would need more than 2^62 bytes", "factor a shorter loop");
    return success();
}

// All that read for S's definition reads for R's now.
void hand_over_loops(ScheduleState& state, const DefinitionRef& from, const DefinitionKey& to) {
    DefinitionKey key{from.stage, from.definition};
    for (std::size_t s = 0; s < state.stages.size(); ++s) {
        auto name = state.stages[s]->name;
        bool factor = state.stages[s]->factor_of == from.stage &&
                      state.reads->of(key.first, key.second).count(name);
        if (!factor && !state.stages[s]->copy_readers.count(key))
            continue;
        auto& stage = state.edit(name);
        if (stage.copy_readers.erase(key))
            stage.copy_readers.insert(to);
        if (factor)
            stage.factor_of = to.first;
    }
}

StageState factor_state(const ScheduleState& state, const DefinitionRef& from,
                        const Factored& factored) {
    StageState made;
    made.name = factored.factor.name;
    made.factor_of = from.stage;
    made.rewritten = std::make_shared<const Stage>(factored.factor);
    for (const auto& definition : factored.factor.definitions)
        made.definitions.push_back(default_nest(factored.factor, definition));
    // How its values are computed is a matter of the definition, wherever it went.
    auto& work = made.definitions.back();
    work.contract = nest_of(state, from).contract;
    work.fast_math = nest_of(state, from).fast_math;
    return made;
}

struct RFactor final : DirectiveOf<RFactor> {
    std::string made, loop;

    const char* verb() const override { return "rfactor"; }
    const char* summary() const override {
        return "Makes a reduction's partial results a stage of their own, over one of its loops.";
    }
    Fields fields() override {
        return {{"result", field::Result{made}}, {"loop", field::Loop{loop}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override {
        return "factor " + receiver.text() + "." + loop + " out as " + made;
    }

private:
    // The position of the loop in the nest.
    Result<std::size_t> find_reduction_loop(const ScheduleState& state) const;
    Status check_loop_names(const ScheduleState& state, std::size_t position) const;
    Status check_not_hosting(const ScheduleState& state) const;
};

} // namespace

Result<std::size_t> RFactor::find_reduction_loop(const ScheduleState& state) const {
    auto reason = not_combining(state, receiver.stage, receiver.definition);
    if (!reason.empty())
        return refuse("receiver", receiver.text() + " cannot be factored: " + reason,
                      "rfactor is for reductions, and for updates by +=, *=, max= and min= that do "
                      "not read their stage");
    auto position = find_loop(state, receiver, loop);
    if (!position)
        return at("loop", position.errors());
    const auto& nest = nest_of(state, receiver);
    if (!nest.loops[*position].reduction)
        return refuse("loop",
                      receiver.text() + "." + loop +
                          " cannot be factored: it runs over a free variable, whose iterations "
                          "are independent already",
                      "the reduction loops of " + receiver.text() + ": " + reduction_loops(nest));
    return position;
}

// R's axes need names that differ: those of its own loops and of S's variables.
Status RFactor::check_loop_names(const ScheduleState& state, std::size_t position) const {
    const auto& definition = *state.definition(receiver.stage, receiver.definition);
    const auto& variables = state.declared(receiver.stage).variables;
    auto among = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto& loops = nest_of(state, receiver).loops;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        const auto& name = loops[l].name;
        // An over axis may bear the name of a variable whose place on the left it has taken.
        if (loops[l].reduction && among(l == position ? variables : definition.free, name))
            return refuse("loop",
                          receiver.text() + " cannot be factored: its reduction loop " + name +
                              " bears the name of an index of " + receiver.stage + ", and " + made +
                              " would have both",
                          "a split gives a loop other names: " + receiver.text() + ".split(" +
                              name + ", …)");
        if (!loops[l].reduction && among(variables, name) && !among(definition.free, name))
            return refuse("loop",
                          receiver.text() + " cannot be factored: its loop " + name +
                              " bears the name of an index of " + receiver.stage +
                              ", which becomes a loop of its own",
                          "split with other names");
    }
    return success();
}

Status RFactor::check_not_hosting(const ScheduleState& state) const {
    const auto graph = read_graph(state);
    for (const auto& each : nest_of(state, receiver).loops) {
        auto placed = state.placed_at({receiver.stage, receiver.definition, each.id});
        for (const auto& name : placed) {
            const auto& readers = graph->readers(name);
            bool feeds =
                std::find(readers.begin(), readers.end(),
                          DefinitionKey{receiver.stage, receiver.definition}) != readers.end();
            if (!each.reduction && !feeds)
                continue;
            const auto words =
                placed_words(state, name, {receiver.stage, receiver.definition, each.id});
            const auto line = name + "." + words.verb + "(";
            return refuse("loop",
                          receiver.text() + " cannot be factored: " + name + " is " + words.placed +
                              " at its loop " + each.name + ", and would be read by " + made +
                              ", outside of it",
                          "write this line before " + line + receiver.text() + ", " + each.name +
                              "), and that one as " + line + made + ", …)");
        }
    }
    return success();
}

Status RFactor::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (auto name = check_made_name(state, *this, "result", made, "R"); !name)
        return name;
    auto position = find_reduction_loop(state);
    if (!position)
        return position.errors();
    if (auto names = check_loop_names(state, *position); !names)
        return names;
    if (auto free = check_not_hosting(state); !free)
        return free;
    auto factored = factor_definition(state, receiver.stage, receiver.definition, *position, made);
    if (!factored)
        return at("loop", factored.errors());

    const auto before = inferred_boxes(state);
    auto factor = std::make_shared<const StageState>(factor_state(state, receiver, *factored));
    hand_over_loops(state, receiver, {made, factored->definition});
    state.stages.insert(static_cast<std::size_t>(state.index_of(receiver.stage)), factor);
    auto& stage = state.edit(receiver.stage);
    stage.rewritten = std::make_shared<const Stage>(factored->stage);
    auto& nest = stage.definitions[static_cast<std::size_t>(receiver.definition)];
    const auto loops = nest.loops;
    nest = factored->nest;
    if (auto shared = check_shared_loops_stay(state, {receiver.stage, receiver.definition}, loops);
        !shared)
        return at("loop", shared.errors());
    state.reads = std::make_shared<const DirectReads>(
        state.reads->with(factored->factor).with(factored->stage));
    if (auto legal = check_nest(state, receiver.stage, receiver.definition); !legal)
        return at("loop", legal.errors());
    nest.reassociates = reassociates(state, receiver.stage, receiver.definition);
    auto& work = state.edit(made).definitions.back();
    work.reassociates = reassociates(state, made, factored->definition);
    if (auto boxes = check_boxes(*before, state, made); !boxes)
        return at("loop", boxes.errors());
    return check_placements(state);
}

std::unique_ptr<Directive> make_rfactor() { return std::make_unique<RFactor>(); }

} // namespace loopscope
