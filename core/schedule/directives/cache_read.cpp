#include "core/schedule/directives/cache_read.h"

#include "core/schedule/levels.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

#include <algorithm>

namespace loopscope {

const char* CacheRead::summary() const {
    return "Makes a copy of what the stage reads, which it then reads instead.";
}

namespace {

// A name without `.update(n)` stands for all definitions of the stage.
std::vector<DefinitionKey> definitions_of(const ScheduleState& state, const DefinitionRef& ref) {
    if (ref.definition > 0)
        return {{ref.stage, ref.definition}};
    std::vector<DefinitionKey> keys;
    for (std::size_t d = 0; d < state.find(ref.stage)->definitions.size(); ++d)
        keys.emplace_back(ref.stage, static_cast<int>(d));
    return keys;
}

std::string join(const std::set<std::string>& names) {
    std::string text;
    for (const auto& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

} // namespace

Status CacheRead::check_names(const ScheduleState& state, const ApplyContext& context) const {
    if (auto name = check_made_name(state, *this, "copy", copy); !name)
        return name;
    if (!state.known(source))
        return refuse("source", "there is no stage or input " + source,
                      did_you_mean(source, stage_names(state, true)));
    if (auto known = check_scope(scope, context); !known)
        return at("scope", known.errors());
    const StageState* stage = state.find(source);
    if (stage && stage->compute.kind == Placement::Kind::Inline)
        return refuse("source", source + " is inlined: there is nothing to copy",
                      source + ".compute_root() stores it, or copy what it reads");
    return success();
}

// The definitions of `ref` that read the source; an error if none does.
Result<std::vector<DefinitionKey>> CacheRead::readers_in(const ScheduleState& state,
                                                         const DefinitionRef& ref) const {
    auto found = find_definition(state, ref);
    if (!found)
        return found.errors();
    if (ref.stage == source)
        return error(ref.stage + " cannot read itself through a copy",
                     "name a stage that comes after it");
    std::vector<DefinitionKey> readers;
    std::set<std::string> reads;
    for (const auto& key : definitions_of(state, ref)) {
        const auto names = reads_in_the_end(state, key);
        reads.insert(names.begin(), names.end());
        if (names.count(source))
            readers.push_back(key);
    }
    reads.erase(ref.stage);
    if (readers.empty())
        return error(ref.text() + " does not read " + source,
                     reads.empty() ? "it reads nothing" : "it reads " + join(reads));
    return readers;
}

Status CacheRead::apply(ScheduleState& state, const ApplyContext& context) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (auto names = check_names(state, context); !names)
        return names;
    StageState made;
    made.name = copy;
    made.copy_of = source;
    const StageState* copied = state.find(source);
    made.copied = copied && !copied->copied.empty() ? copied->copied : source;
    made.scope = scope_named(scope, context);
    auto add = [&](const std::string& field, const DefinitionRef& ref) -> Status {
        auto definitions = readers_in(state, ref);
        if (!definitions)
            return at(field, definitions.errors());
        made.copy_readers.insert(definitions->begin(), definitions->end());
        return success();
    };
    if (auto status = add("source", receiver); !status)
        return status;
    for (std::size_t i = 0; i < readers.size(); ++i)
        if (auto status = add("readers[" + std::to_string(i) + "]", readers[i]); !status)
            return status;

    DefinitionState nest;
    for (const auto& variable : state.declared(source).variables) {
        LoopState loop;
        loop.id = nest.next_id++;
        loop.name = variable;
        nest.roots.push_back(loop);
    }
    nest.loops = nest.roots;
    made.definitions.push_back(std::move(nest));
    int first = static_cast<int>(state.stages.size());
    for (const auto& reader : made.copy_readers)
        first = std::min(first, state.index_of(reader.first));
    state.stages.insert(static_cast<std::size_t>(first),
                        std::make_shared<const StageState>(std::move(made)));
    if (auto kept = check_source(state); !kept)
        return kept;
    return check_placements(state);
}

// The copy, which is at root, reads the source: that may be computed at a loop of the copy only.
Status CacheRead::check_source(const ScheduleState& state) const {
    const StageState* stage = state.find(source);
    if (!stage || stage->compute.kind != Placement::Kind::At)
        return success();
    auto legal = check_placement(state, *read_graph(state), source, stage->compute.at);
    if (legal)
        return legal;
    auto refused = legal.errors();
    refused.front().remedy = "write this line before " + source +
                             ".compute_at(…), which may then be at a loop of " + copy;
    return refused;
}

std::string CacheRead::describe() const {
    return "copy " + source + " as " + copy + " for " + receiver.text();
}

std::unique_ptr<Directive> make_cache_read() { return std::make_unique<CacheRead>(); }

} // namespace loopscope
