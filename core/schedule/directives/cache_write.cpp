#include "core/schedule/directives/cache_write.h"

#include "core/ir/definition_expressions.h"
#include "core/schedule/default_nest.h"
#include "core/schedule/identity.h"
#include "core/schedule/levels.h"
#include "core/schedule/merging.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"
#include "core/schedule/reads.h"

#include <algorithm>

namespace loopscope {

namespace {

// The stage under another name, which its own reads follow.
Stage renamed(Stage stage, const std::string& name) {
    const auto before = stage.name;
    for (auto& definition : stage.definitions)
        each_expression(definition, [&](ExprPtr& e) {
            e = rewrite(e, [&](const ExprPtr& node) {
                return node->kind == ExprKind::Load && node->name == before
                           ? load(name, node->type, node->args, node->component, node->where)
                           : node;
            });
        });
    if (stage.original)
        stage.original = std::make_shared<const Stage>(renamed(*stage.original, name));
    stage.name = stage.display_name = name;
    return stage;
}

// S[i, j] = B[i, j], in place of S.
Stage written_out(Stage stage, const std::string& from) {
    Definition definition;
    definition.free = stage.variables;
    definition.where = stage.definitions.front().where;
    std::vector<ExprPtr> indices;
    for (const auto& v : stage.variables)
        indices.push_back(variable(v));
    for (std::size_t c = 0; c < stage.types.size(); ++c)
        definition.values.push_back(load(from, stage.types[c], indices, static_cast<int>(c)));
    stage.definitions = {std::move(definition)};
    stage.original = nullptr; // its ranges are those of what it loads
    return stage;
}

// Copies and factors that served S's definitions serve B's now.
void hand_over_schedule(ScheduleState& state, const std::string& from, const std::string& to) {
    for (std::size_t s = 0; s < state.stages.size(); ++s) {
        const auto& before = *state.stages[s];
        bool serves = before.factor_of == from;
        for (const auto& reader : before.copy_readers)
            serves = serves || reader.first == from;
        if (!serves)
            continue;
        auto& stage = state.edit(before.name);
        if (stage.factor_of == from)
            stage.factor_of = to;
        std::set<DefinitionKey> readers;
        for (const auto& reader : stage.copy_readers)
            readers.emplace(reader.first == from ? to : reader.first, reader.second);
        stage.copy_readers = std::move(readers);
    }
}

} // namespace

const char* CacheWrite::summary() const {
    return "Computes the stage into a copy, from which it is then written.";
}

Status CacheWrite::check_untouched(const ScheduleState& state) const {
    const StageState& stage = *state.find(receiver.stage);
    if (stage.compute.kind == Placement::Kind::Inline)
        return refuse("receiver", receiver.stage + " is inlined: nothing is written",
                      receiver.stage + ".compute_root() stores it again");
    if (!stage.copy_of.empty())
        return refuse("receiver",
                      receiver.stage + " is a copy of " + stage.copy_of +
                          ": there is nothing to compute",
                      "copy it once more, by cache_read");
    const MergeGroups groups(state);
    for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
        const auto& nest = stage.definitions[d];
        const auto name = definition_name(receiver.stage, static_cast<int>(d));
        if (const auto* group = groups.of({receiver.stage, static_cast<int>(d)})) {
            const auto& other =
                group->front().first == receiver.stage ? group->back() : group->front();
            return refuse("receiver",
                          name + " shares loops with " +
                              definition_name(other.first, other.second) +
                              ", and its loops would be those of " + made,
                          "write this line before the compute_with that merges them");
        }
        if (nest.touched && !stage.rewritten)
            return refuse("receiver",
                          name + " has loop directives, and its loops would be those of " + made,
                          "write this line before them, and them for " + made);
        if (nest.non_temporal)
            return refuse("receiver",
                          name + ".non_temporal() stands before: the stores would be those of " +
                              made,
                          "write this line before it");
        for (const auto& loop : nest.loops) {
            const LoopRef itself{receiver.stage, static_cast<int>(d), loop.id};
            auto placed = state.placed_at(itself);
            if (placed.empty())
                continue;
            const auto words = placed_words(state, placed.front(), itself);
            return refuse("receiver",
                          placed.front() + " is " + words.placed + " at " + name + "." + loop.name +
                              ", and would be read by " + made + ", outside of it",
                          "write this line before " + placed.front() + "." + words.verb + "(" +
                              name + ", " + loop.name + "), and that one as " + placed.front() +
                              "." + words.verb + "(" + definition_name(made, static_cast<int>(d)) +
                              ", …)");
        }
    }
    return success();
}

Status CacheWrite::apply(ScheduleState& state, const ApplyContext& context) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (auto name = check_made_name(state, *this, "result", made); !name)
        return name;
    if (auto known = check_scope(scope, context); !known)
        return at("scope", known.errors());
    if (auto untouched = check_untouched(state); !untouched)
        return untouched;

    const Stage before = state.declared(receiver.stage);
    auto cache = std::make_shared<const Stage>(renamed(before, made));
    auto out = std::make_shared<const Stage>(written_out(before, made));
    hand_over_schedule(state, receiver.stage, made);

    StageState computed;
    computed.name = made;
    computed.rewritten = cache;
    computed.scope = scope_named(scope, context);
    // A second cache of the stage holds what the first one computed: the definitions are that
    // one's.
    const bool moved = std::any_of(state.stages.begin(), state.stages.end(),
                                   [&](const auto& s) { return s->cache_of == receiver.stage; });
    if (!moved)
        computed.cache_of = receiver.stage;
    computed.definitions = state.find(receiver.stage)->definitions;
    state.stages.insert(static_cast<std::size_t>(state.index_of(receiver.stage)),
                        std::make_shared<const StageState>(std::move(computed)));
    auto& stage = state.edit(receiver.stage);
    stage.rewritten = out;
    stage.definitions = {default_nest(*out, out->definitions.front())};
    state.reads = std::make_shared<const DirectReads>(state.reads->with(*cache).with(*out));
    return check_placements(state);
}

std::string CacheWrite::describe() const {
    return "compute " + receiver.stage + " into " + made + ", then write it out";
}

std::unique_ptr<Directive> make_cache_write() { return std::make_unique<CacheWrite>(); }

} // namespace loopscope
