// Where a stage is computed and stored, with whom it shares loops, and what it reads and writes
// through copies.
#include "views/models/directive_subject.h"

#include "core/schedule/levels.h"
#include "core/schedule/placement.h"
#include "core/schedule/shared_loops.h"

#include <QObject>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace loopscope::views {

namespace {

using Kind = Placement::Kind;

// "out, loop yo" and the line with both: "gray.compute_at(out, yo)".
DirectiveChoice choice_at(const Subject& s, const char* verb, const std::string& receiver,
                          const LoopRef& at) {
    const DefinitionState& host =
        s.tree->state.find(at.stage)->definitions[static_cast<std::size_t>(at.definition)];
    const QString owner = to_qstring(definition_name(at.stage, at.definition));
    const QString loop =
        to_qstring(host.loops[static_cast<std::size_t>(host.position_of(at.loop))].name);
    return {QObject::tr("%1, loop %2").arg(owner, loop), call(receiver, verb, {owner, loop})};
}

QString why_not_stored_elsewhere(const Subject& s) {
    const QString name = to_qstring(s.stage->name);
    return s.stage->compute.kind == Kind::Inline
               ? QObject::tr("%1 is inlined: it has no memory.").arg(name)
               : QObject::tr("%1 is computed at root: its memory lives throughout. Move it to a "
                             "loop first.")
                     .arg(name);
}

DirectiveGroup store_at_group(const Subject& s) {
    DirectiveGroup g = group_of("store_at");
    if (s.stage->compute.kind != Kind::At) {
        g.absent = why_not_stored_elsewhere(s);
        return g;
    }
    for (const LoopRef& at : loops_around(s.tree->state, s.stage->name)) {
        if (s.stage->store.kind == Kind::At && s.stage->store.at == at)
            continue;
        DirectiveChoice choice = choice_at(s, "store_at", s.stage->name, at);
        if (s.stage->compute.at == at)
            choice.label += QObject::tr(": where it is computed");
        g.choices.push_back(std::move(choice));
    }
    if (g.choices.empty())
        g.absent =
            QObject::tr("%1 is stored at the only loop around it.").arg(to_qstring(s.stage->name));
    return g;
}

DirectiveGroup store_root_group(const Subject& s) {
    DirectiveGroup g = group_of("store_root");
    if (s.stage->compute.kind != Kind::At)
        g.absent = why_not_stored_elsewhere(s);
    else if (s.stage->store.kind == Kind::Root)
        g.absent = QObject::tr("%1 is stored at root already.").arg(to_qstring(s.stage->name));
    else
        add_one(g, call(s.stage->name, "store_root", {}));
    return g;
}

// The iterations of all loops. Asking the tree for one is a walk through it.
using Trips = std::map<NodeId, std::int64_t>;

Trips trips_of(const ScheduleTree& tree) {
    Trips trips;
    auto walk = [&](auto&& self, const TreeNode& node) -> void {
        if (node.kind == TreeKind::Loop)
            trips[node.id] = node.extent.hint();
        for (const TreeNodePtr& child : node.children)
            self(self, *child);
    };
    walk(walk, *tree.root);
    return trips;
}

// How many outer loops of two nests have the same iterations, and so could be one.
std::size_t alike(const ScheduleTree& tree, const Trips& trips, const DefinitionKey& a,
                  const DefinitionKey& b) {
    auto nest = [&](const DefinitionKey& key) -> const std::vector<LoopState>& {
        return tree.state.find(key.first)->definitions[static_cast<std::size_t>(key.second)].loops;
    };
    auto of = [&](const DefinitionKey& key, const std::string& loop) {
        auto found = trips.find({key.first, key.second, loop});
        if (found == trips.end())
            found = trips.find(shown_loop(tree, {key.first, key.second, loop}));
        return found == trips.end() ? std::int64_t{0} : found->second;
    };
    const auto &mine = nest(a), &its = nest(b);
    std::size_t count = 0;
    while (count < mine.size() && count < its.size() &&
           of(a, mine[count].name) == of(b, its[count].name))
        ++count;
    return count;
}

// The definitions computed beside this one whose outermost loops have as many iterations, nearest
// in the order first.
DirectiveGroup compute_with_group(const Subject& s) {
    constexpr std::size_t most_hosts = 8;
    DirectiveGroup g = group_of("compute_with");
    const ScheduleState& state = s.tree->state;
    const int own = state.index_of(s.stage->name);
    std::vector<std::pair<int, DefinitionKey>> hosts; // by distance
    for (std::size_t i = 0; i < state.stages.size(); ++i) {
        const StageState& other = *state.stages[i];
        if (other.compute.kind == Kind::Inline || !(other.compute == s.stage->compute))
            continue;
        for (std::size_t d = 0; d < other.definitions.size(); ++d)
            if (DefinitionKey key{other.name, static_cast<int>(d)}; key != s.key())
                hosts.emplace_back(std::abs(static_cast<int>(i) - own), std::move(key));
    }
    std::stable_sort(hosts.begin(), hosts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const Trips trips = trips_of(*s.tree);
    std::size_t shown = 0;
    for (const auto& [distance, host] : hosts) {
        if (shown == most_hosts)
            break;
        const std::size_t depth = alike(*s.tree, trips, s.key(), host);
        shown += depth > 0 ? 1 : 0;
        const auto& loops =
            state.find(host.first)->definitions[static_cast<std::size_t>(host.second)].loops;
        for (std::size_t p = 0; p < depth; ++p) {
            const LoopRef at{host.first, host.second, loops[p].id};
            if (s.nest().with != std::optional<LoopRef>(at))
                g.choices.push_back(choice_at(s, "compute_with", s.receiver(), at));
        }
    }
    if (g.choices.empty())
        g.absent = s.stage->compute.kind == Kind::Inline
                       ? QObject::tr("%1 is inlined: it has no loops to share.")
                             .arg(to_qstring(s.stage->name))
                       : QObject::tr("Nothing that is computed at the same place has an outermost "
                                     "loop of as many iterations.");
    return g;
}

// The loops of stages that it reads, down to the first over a reduction axis or of lanes.
DirectiveGroup reverse_compute_at_group(const Subject& s) {
    DirectiveGroup g = group_of("reverse_compute_at");
    const ScheduleState& state = s.tree->state;
    const ReadGraph graph(state);
    for (const std::string& source : graph.reads(s.stage->name, s.key().second)) {
        const StageState* made = state.find(source);
        if (!made || source == s.stage->name || made->definitions.empty() || s.nest().touched)
            continue;
        const int last = static_cast<int>(made->definitions.size()) - 1;
        for (const LoopState& loop : made->definitions.back().loops) {
            if (loop.reduction || loop.kind == LoopKind::Vectorized)
                break;
            g.choices.push_back(
                choice_at(s, "reverse_compute_at", s.receiver(), {source, last, loop.id}));
        }
    }
    if (g.choices.empty())
        g.absent =
            s.nest().touched
                ? QObject::tr("%1 has loop directives already.").arg(to_qstring(s.receiver()))
                : QObject::tr("It reads no stage that has loops over free variables.");
    return g;
}

DirectiveGroup cache_read_group(const Subject& s) {
    DirectiveGroup g = group_of("cache_read");
    const ScheduleState& state = s.tree->state;
    const ReadGraph graph(state);
    auto add = [&](const std::string& source, const std::string& scope, const QStringList& more) {
        const std::string copy = fresh_stage(state, source + "_" + scope);
        QStringList arguments{to_qstring(source), to_qstring(scope)};
        const QString label =
            more.empty() ? QObject::tr("%1 into %2").arg(to_qstring(source), to_qstring(copy))
                         : QObject::tr("%1, for all that read it").arg(to_qstring(source));
        g.choices.push_back(
            {label, to_qstring(copy) + " = " + call(s.receiver(), "cache_read", arguments + more)});
    };
    std::vector<std::string> sources;
    for (const std::string& source : graph.reads(s.stage->name, s.definition))
        if (source != s.stage->name)
            sources.push_back(source);
    const std::string nearest = "local";
    for (const std::string& source : sources)
        add(source, nearest, {});
    for (const std::string& source : sources) {
        QStringList others; // a stage stands for all of its definitions
        for (const auto& [stage, definition] : graph.readers(source))
            if (stage != s.stage->name && !others.contains(to_qstring(stage)))
                others << to_qstring(stage);
        if (!others.empty())
            add(source, nearest, others);
    }
    for (const std::string& source : sources)
        for (const std::string& scope : known_scopes({}))
            if (scope != nearest)
                add(source, scope, {});
    if (g.choices.empty())
        g.absent = QObject::tr("%1 reads no other stage or input.").arg(to_qstring(s.receiver()));
    return g;
}

// What is switched on for a definition once and for all.
DirectiveGroup once_group(const Subject& s, const char* verb, bool on, const QString& already) {
    DirectiveGroup g = group_of(verb);
    if (on)
        g.absent = already.arg(to_qstring(s.receiver()));
    else
        add_one(g, call(s.receiver(), verb, {}));
    return g;
}

DirectiveGroup placement_group(const Subject& s, const char* verb, Kind kind,
                               const QString& already) {
    DirectiveGroup g = group_of(verb);
    if (s.stage->compute.kind == kind)
        g.absent = already.arg(to_qstring(s.stage->name));
    else
        add_one(g, call(s.stage->name, verb, {}));
    return g;
}

} // namespace

DirectiveGroup compute_at_group(const Subject& s) {
    DirectiveGroup g = group_of("compute_at");
    const ScheduleState& state = s.tree->state;
    const auto reads = read_graph(state);
    const std::vector<DefinitionKey>& readers = reads->readers(s.stage->name);
    if (readers.empty()) {
        g.absent = QObject::tr("No stage reads %1.").arg(to_qstring(s.stage->name));
        return g;
    }
    std::vector<LoopRef> common = loops_around_point(state, readers.front());
    for (std::size_t i = 1; i < readers.size(); ++i) {
        const std::vector<LoopRef> around = loops_around_point(state, readers[i]);
        std::erase_if(common, [&](const LoopRef& l) {
            return std::find(around.begin(), around.end(), l) == around.end();
        });
    }
    for (const LoopRef& at : common)
        if (s.stage->compute.kind != Kind::At || !(s.stage->compute.at == at))
            g.choices.push_back(choice_at(s, "compute_at", s.stage->name, at));
    if (g.choices.empty()) {
        QStringList names;
        for (const DefinitionKey& reader : readers)
            names << to_qstring(definition_name(reader.first, reader.second));
        g.absent = common.empty()
                       ? QObject::tr("Its readers %1 share no loop.").arg(names.join(", "))
                       : QObject::tr("It is computed at the only loop that holds its readers.");
    }
    return g;
}

void add_stage_groups(const Subject& s, std::vector<DirectiveGroup>& groups) {
    groups.push_back(
        placement_group(s, "inline", Kind::Inline, QObject::tr("%1 is inlined already.")));
    groups.push_back(placement_group(s, "compute_root", Kind::Root,
                                     QObject::tr("%1 is computed at root already.")));
    groups.push_back(compute_at_group(s));
    groups.push_back(store_at_group(s));
    groups.push_back(store_root_group(s));
    if (s.stage->definitions.empty())
        return;
    groups.push_back(reverse_compute_at_group(s));
    groups.push_back(compute_with_group(s));
    groups.push_back(cache_read_group(s));
    groups.push_back(
        once_group(s, "contract", s.nest().contract, QObject::tr("%1 is contracted already.")));
    groups.push_back(once_group(s, "non_temporal", s.nest().non_temporal,
                                QObject::tr("The stores of %1 stream already.")));
}

} // namespace loopscope::views
