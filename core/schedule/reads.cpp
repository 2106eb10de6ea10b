#include "core/schedule/reads.h"

#include "core/schedule/state.h"

#include <functional>
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
constexpr std::size_t kMostKept = 12'800; // stages of all graphs that a thread keeps

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
    for (const auto& stage : state.stages) {
        for (const auto& reader : stage->copy_readers)
            routes_[reader][stage->copy_of] = stage->name;
        if (stage->compute.kind == Placement::Kind::Inline)
            inlined_.insert(stage->name);
    }
}

bool CopyRoutes::any(const DefinitionKey& reader) const { return routes_.count(reader) != 0; }

std::string CopyRoutes::served_by(const std::string& name, const DefinitionKey& reader) const {
    auto target = name;
    auto routes = routes_.find(reader);
    if (routes == routes_.end())
        return target;
    const auto& to = routes->second;
    for (auto next = to.find(name); next != to.end(); next = to.find(next->second))
        if (!inlined_.count(next->second))
            target = next->second;
    return target;
}

ReadGraph::ReadGraph(const ScheduleState& state) {
    CopyRoutes routes(state);
    std::set<std::string> inlined;
    for (const auto& stage : state.stages) {
        bool is_inlined = stage->compute.kind == Placement::Kind::Inline;
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            DefinitionKey key{stage->name, static_cast<int>(d)};
            auto& reads = reads_[key];
            const bool served = routes.any(key);
            std::function<void(const std::string&)> add = [&](const std::string& name) {
                auto target = routes.served_by(name, key);
                if (!inlined.count(target)) {
                    reads.insert(target);
                } else if (!served) {
                    const auto& through = reads_[{target, 0}];
                    reads.insert(through.begin(), through.end());
                } else {
                    // A copy may be of what was inlined into that one.
                    const StageState& body = *state.find(target);
                    if (!body.copy_of.empty())
                        add(routes.served_by(body.copy_of, {target, 0}));
                    else
                        for (const auto& through : state.reads->of(target, 0))
                            add(routes.served_by(through, {target, 0}));
                }
            };
            if (!stage->copy_of.empty())
                add(stage->copy_of);
            else
                for (const auto& name : state.reads->of(stage->name, static_cast<int>(d)))
                    add(name);
            if (!is_inlined)
                for (const auto& name : reads)
                    if (name != stage->name)
                        readers_[name].push_back(key);
        }
        if (is_inlined)
            inlined.insert(stage->name);
    }
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
        std::shared_ptr<const DirectReads>
            reads; // held, so that no other pipeline can have its address
        std::unordered_map<Hash, std::shared_ptr<const ReadGraph>> graphs; // by key
    };
    thread_local Known known;
    if (known.reads != state.reads)
        known = {state.reads, {}};
    const auto key = graph_key(state);
    if (auto found = known.graphs.find(key); found != known.graphs.end())
        return found->second;
    if ((known.graphs.size() + 1) * state.stages.size() > kMostKept)
        known.graphs.clear(); // the one that is made now is kept, however large
    return known.graphs.emplace(key, std::make_shared<const ReadGraph>(state)).first->second;
}

} // namespace loopscope
