#include "core/schedule/reads.h"

#include "core/base/work.h"
#include "core/schedule/state.h"

#include <unordered_map>

namespace loopscope {

namespace {

void add_loads(const ExprPtr& e, std::set<std::string>& names) {
    if (!e)
        return;
    visit(e, [&](const Expr& node) {
        if (node.kind == ExprKind::Load)
            names.insert(node.name);
        return true;
    });
}

const std::set<std::string> kNothing;
constexpr std::size_t kMaxKept = 12'800; // stages of all graphs that a thread keeps

// All that a graph depends on, beside the pipeline: which stages are inlined, and the copies.
Hash graph_key(const ScheduleState& state) {
    Hash key = state.stages.size();
    for (const auto& stage : state.stages) {
        key = combine(key, stage->compute.kind == Placement::Kind::Inline);
        if (stage->copy_of.empty())
            continue;
        key = hash_of(stage->name, hash_of(stage->copy_of, key));
        for (const auto& reader : stage->copy_readers)
            key = combine(hash_of(reader.first, key), static_cast<std::uint64_t>(reader.second));
    }
    return key;
}

} // namespace

DirectReads::DirectReads(const Pipeline& pipeline) {
    for (const auto& stage : pipeline.stages)
        add(stage);
}

DirectReads DirectReads::with(const Stage& stage) const {
    DirectReads out = *this;
    out.add(stage);
    return out;
}

void DirectReads::add(const Stage& stage) {
    for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
        auto& names = reads_[{stage.name, static_cast<int>(d)}];
        names.clear();
        for (const auto& value : stage.definitions[d].values)
            add_loads(value, names);
        for (const auto& index : stage.definitions[d].left)
            add_loads(index, names);
        add_loads(stage.definitions[d].condition, names);
    }
}

const std::set<std::string>& DirectReads::of(const std::string& stage, int definition) const {
    auto found = reads_.find({stage, definition});
    return found == reads_.end() ? kNothing : found->second;
}

CopyRoutes::CopyRoutes(const ScheduleState& state) {
    for (const auto* stage : state.stages.having(StageTrait::Copy))
        for (const auto& reader : stage->copy_readers)
            add(*stage, reader);
}

CopyRoutes::CopyRoutes(const ScheduleState& state, const std::set<DefinitionKey>& readers) {
    for (const auto* stage : state.stages.having(StageTrait::Copy))
        for (const auto& reader : stage->copy_readers)
            if (readers.count(reader))
                add(*stage, reader);
}

void CopyRoutes::add(const StageState& copy, const DefinitionKey& reader) {
    routes_[reader].insert_or_assign(copy.copy_of, &copy);
}

bool CopyRoutes::any(const DefinitionKey& reader) const { return routes_.count(reader) != 0; }

std::string CopyRoutes::served_by(const std::string& name, const DefinitionKey& reader) const {
    const auto* target = &name;
    auto routes = routes_.find(reader);
    if (routes == routes_.end())
        return *target;
    const auto& to = routes->second;
    for (auto next = to.find(name); next != to.end(); next = to.find(next->second->name))
        if (next->second->compute.kind != Placement::Kind::Inline)
            target = &next->second->name;
    return *target;
}

namespace {

std::set<std::string> inlined_stages(const ScheduleState& state) {
    std::set<std::string> inlined;
    for (const auto* stage : state.stages.having(StageTrait::Inlined))
        inlined.insert(stage->name);
    return inlined;
}

// What definitions read in the end. That of inlined ones is asked for again and again, hence kept.
class ReadFinder {
public:
    ReadFinder(const ScheduleState& state, const CopyRoutes& routes,
               const std::set<std::string>& inlined)
        : state_(state), routes_(routes), inlined_(inlined) {}

    const std::set<std::string>& of(const DefinitionKey& key) {
        if (const auto known = reads.find(key); known != reads.end())
            return known->second;
        std::set<std::string> found, passed;
        const bool served = routes_.any(key);
        for (const auto& name : direct(key))
            add(name, key, served, found, passed);
        return reads.emplace(key, std::move(found)).first->second;
    }

    std::map<DefinitionKey, std::set<std::string>> reads;

private:
    std::set<std::string> direct(const DefinitionKey& key) const {
        const StageState* stage = state_.find(key.first);
        return stage && !stage->copy_of.empty() ? std::set<std::string>{stage->copy_of}
                                                : state_.reads->of(key.first, key.second);
    }

    void add(const std::string& name, const DefinitionKey& key, bool served,
             std::set<std::string>& found, std::set<std::string>& passed) {
        const auto target = routes_.served_by(name, key);
        if (!inlined_.count(target)) {
            found.insert(target);
        } else if (!served) {
            const auto& through = of({target, 0});
            found.insert(through.begin(), through.end());
        } else if (passed.insert(target).second) {
            // A copy may be of what was inlined into that one.
            for (const auto& through : direct({target, 0}))
                add(routes_.served_by(through, {target, 0}), key, served, found, passed);
        }
    }

    const ScheduleState& state_;
    const CopyRoutes& routes_;
    const std::set<std::string>& inlined_;
};

} // namespace

std::set<std::string> reads_in_the_end(const ScheduleState& state, const DefinitionKey& reader) {
    const auto inlined = inlined_stages(state);
    std::set<DefinitionKey> readers{reader};
    for (const auto& name : inlined)
        readers.emplace(name, 0);
    const CopyRoutes routes(state, readers);
    return ReadFinder(state, routes, inlined).of(reader);
}

ReadGraph::ReadGraph(const ScheduleState& state) {
    count_work(Work::ReadGraphs);
    const CopyRoutes routes(state);
    const auto inlined = inlined_stages(state);
    ReadFinder finder(state, routes, inlined);
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            const DefinitionKey key{stage->name, static_cast<int>(d)};
            const auto& reads = finder.of(key);
            if (stage->compute.kind == Placement::Kind::Inline)
                continue;
            for (const auto& name : reads)
                if (name != stage->name)
                    readers_[name].push_back(key);
        }
    reads_ = std::move(finder.reads);
}

const std::set<std::string>& ReadGraph::reads(const std::string& stage, int definition) const {
    auto found = reads_.find({stage, definition});
    return found == reads_.end() ? kNothing : found->second;
}

const std::vector<DefinitionKey>& ReadGraph::readers(const std::string& name) const {
    static const std::vector<DefinitionKey> nobody;
    auto found = readers_.find(name);
    return found == readers_.end() ? nobody : found->second;
}

std::shared_ptr<const ReadGraph> read_graph(const ScheduleState& state) {
    struct Known {
        // held, so that no other pipeline can have its address
        std::shared_ptr<const DirectReads> reads;
        std::unordered_map<Hash, std::shared_ptr<const ReadGraph>> graphs; // by key
    };
    thread_local Known known;
    if (known.reads != state.reads)
        known = {state.reads, {}};
    const auto key = graph_key(state);
    if (auto found = known.graphs.find(key); found != known.graphs.end())
        return found->second;
    // the one that is made now is kept, however large
    if ((known.graphs.size() + 1) * state.stages.size() > kMaxKept)
        known.graphs.clear();
    return known.graphs.emplace(key, std::make_shared<const ReadGraph>(state)).first->second;
}

} // namespace loopscope
