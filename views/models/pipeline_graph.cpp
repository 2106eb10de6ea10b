#include "views/models/pipeline_graph.h"

#include "core/schedule/reads.h"
#include "core/schedule/storage.h"
#include "views/models/graph_folding.h"
#include "views/models/memory_text.h"
#include "views/models/node_text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

namespace loopscope::views {

namespace {

class Builder {
public:
    explicit Builder(const ScheduleTree& tree) : tree_(tree) {
        find_places(*tree.root, {});
        add_inputs();
        add_stages();
        add_edges();
        group_inlined();
        drop_small_groups();
        add_folds();
    }
    PipelineGraph take() { return std::move(graph_); }

private:
    // The stage at root around each computed stage, and the storage of each.
    void find_places(const TreeNode& node, const std::string& root) {
        std::string around = root;
        if (node.kind == TreeKind::Stage) {
            around = root.empty() ? node.id.stage : root;
            root_of_[node.id.stage] = around;
            stage_node_[node.id.stage] = &node;
        }
        if (node.kind == TreeKind::Storage)
            storage_[node.id.stage] = &node;
        if (node.kind == TreeKind::Storage)
            bytes_[node.id.stage] = storage_bytes(node);
        for (const TreeNodePtr& child : node.children)
            find_places(*child, around);
    }

    void add_inputs() {
        if (!tree_.derived)
            return;
        for (const Stage& stage : tree_.derived->stages) {
            if (!stage.is_input)
                continue;
            PipelineNode node;
            node.stage = stage.name;
            node.name = to_qstring(stage.name);
            QStringList extents;
            double size = 1;
            for (const Extent& extent : stage.extents) {
                extents << to_qstring(extent.text());
                size *= static_cast<double>(extent.hint());
            }
            node.detail = types_text(stage.types) + " [" + extents.join(", ") + ']';
            node.is_input = true;
            folds_[stage.name] = stage.origin.group;
            node.id = {stage.name, -1, "@storage"};
            double element = 0;
            for (ScalarType type : stage.types)
                element += bytes(type);
            bytes_[stage.name] = size * element;
            add(std::move(node));
        }
    }

    void add_stages() {
        std::map<std::string, int> groups;
        for (const DerivedStage& derived : tree_.stages) {
            folds_[derived.stage.name] = derived.stage.origin.group;
            for (const std::string& source : {derived.copy_of, derived.factor_of, derived.cache_of})
                if (!source.empty() && source != derived.stage.name)
                    made_of_[derived.stage.name] = source;
            PipelineNode node;
            node.stage = derived.stage.name;
            node.name = to_qstring(derived.stage.name);
            node.inlined = derived.inlined;
            node.made = !derived.copy_of.empty() || !derived.cache_of.empty();
            node.id = {derived.stage.name, -1, "@stage"};
            if (const auto found = stage_node_.find(node.stage); found != stage_node_.end()) {
                node.is_output = found->second->is_output;
                node.detail = detail_of(derived, *found->second);
                const std::string& root = root_of_[node.stage];
                const auto [group, added] =
                    groups.emplace(root, static_cast<int>(graph_.groups.size()));
                if (added)
                    graph_.groups.push_back({root});
                node.group = group->second;
            } else {
                node.detail = node.inlined ? QObject::tr("inlined") : QObject::tr("not needed");
            }
            add(std::move(node));
        }
    }

    // "copy of B · f32 [64, 32] × 3": what it is of, and what of it is in memory at a time.
    QString detail_of(const DerivedStage& derived, const TreeNode& stage) const {
        QString text = types_text(stage.types) + ' ' + region_text(stage.region);
        if (const auto storage = storage_.find(derived.stage.name); storage != storage_.end()) {
            const TreeNode& memory = *storage->second;
            if (const QString folded = folded_text(memory); !folded.isEmpty())
                text = types_text(memory.types) + ' ' + region_text(memory.region) +
                       QStringLiteral(" · ") + folded;
            if (memory.rotation > 1)
                text += QStringLiteral(" × %1").arg(memory.rotation);
        }
        if (!derived.copy_of.empty())
            return QObject::tr("copy of %1").arg(to_qstring(derived.copy_of)) +
                   QStringLiteral(" · ") + text;
        if (!derived.cache_of.empty())
            return QObject::tr("cache of %1").arg(to_qstring(derived.cache_of)) +
                   QStringLiteral(" · ") + text;
        return text;
    }

    void add(PipelineNode node) {
        graph_.by_stage[node.stage] = static_cast<int>(graph_.nodes.size());
        if (const auto size = bytes_.find(node.stage); size != bytes_.end())
            node.bytes = size->second;
        node.members = {node.stage};
        graph_.nodes.push_back(std::move(node));
    }

    // Reads as they were written, so that inlined stages keep their place; copies stand between.
    void add_edges() {
        std::set<std::pair<int, int>> seen;
        auto connect = [&](const std::string& from, const std::string& to) {
            const auto a = graph_.by_stage.find(from), b = graph_.by_stage.find(to);
            if (a == graph_.by_stage.end() || b == graph_.by_stage.end() || a == b ||
                !seen.insert({a->second, b->second}).second)
                return;
            const auto size = bytes_.find(from);
            graph_.edges.push_back({a->second, b->second, size == bytes_.end() ? 0 : size->second});
        };
        for (const auto& stage : tree_.state.stages)
            if (!stage->copy_of.empty())
                copies_[stage->copy_of].push_back(stage.get());
        for (const auto& stage : tree_.state.stages) {
            if (!stage->copy_of.empty()) {
                connect(source_for(stage->copy_of, {stage->name, 0}), stage->name);
                continue;
            }
            for (std::size_t d = 0; d < stage->definitions.size() && tree_.state.reads; ++d)
                for (const std::string& source :
                     tree_.state.reads->of(stage->name, static_cast<int>(d)))
                    connect(source_for(source, {stage->name, static_cast<int>(d)}), stage->name);
        }
    }

    // The copy that serves this reader, or the source itself.
    std::string source_for(const std::string& source, const DefinitionKey& reader) const {
        const auto copies = copies_.find(source);
        if (copies != copies_.end())
            for (const StageState* copy : copies->second)
                if (copy->copy_readers.count(reader) && copy->name != reader.first)
                    return source_for(copy->name, reader);
        return source;
    }

    // An inlined stage runs with its readers, if they all run together.
    void group_inlined() {
        std::vector<std::vector<int>> readers(graph_.nodes.size());
        for (const PipelineEdge& edge : graph_.edges)
            readers[static_cast<std::size_t>(edge.from)].push_back(edge.to);
        for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
            PipelineNode& node = graph_.nodes[n];
            if (!node.inlined)
                continue;
            std::set<int> groups;
            for (int reader : readers[n])
                groups.insert(graph_.nodes[static_cast<std::size_t>(reader)].group);
            node.group = groups.size() == 1 ? *groups.begin() : -1;
        }
    }

    // A group of one node is not worth a fold.
    void add_folds() {
        std::map<std::string, int> sizes;
        std::vector<std::string> names;
        for (PipelineNode& node : graph_.nodes) {
            names.push_back(origin_of(node.stage));
            node.folds = fold_paths(group_of(node.stage));
            for (const std::string& path : node.folds)
                ++sizes[path];
        }
        const std::vector<std::string> levels = level_folds(names);
        // of a level: stages by innermost group
        std::map<std::string, std::map<std::string, int>> inside;
        for (std::size_t n = 0; n < levels.size(); ++n)
            if (!levels[n].empty()) {
                ++sizes[levels[n]];
                const auto& folds = graph_.nodes[n].folds;
                ++inside[levels[n]][folds.empty() ? std::string() : folds.back()];
            }
        for (std::size_t n = 0; n < levels.size(); ++n) {
            PipelineNode& node = graph_.nodes[n];
            if (levels[n].empty())
                continue;
            // One that is an iteration of a loop of the text, no more and no less, has that one's
            // name.
            const auto& parts = inside[levels[n]];
            const bool same = parts.size() == 1 && !parts.begin()->first.empty() &&
                              sizes[parts.begin()->first] == parts.begin()->second;
            if (!same)
                node.folds.push_back(levels[n]);
        }
        for (PipelineNode& node : graph_.nodes)
            std::erase_if(node.folds, [&](const std::string& path) { return sizes[path] < 2; });
    }

    // The stage of the text that it was made of, through copies of copies.
    const std::string& origin_of(const std::string& stage) const {
        const auto made_of = made_of_.find(stage);
        return made_of == made_of_.end() ? stage : origin_of(made_of->second);
    }

    // What a schedule made of a stage stands with it.
    const std::string& group_of(const std::string& stage) const {
        static const std::string none;
        const auto group = folds_.find(stage);
        if (group != folds_.end() && !group->second.empty())
            return group->second;
        const auto made_of = made_of_.find(stage);
        return made_of == made_of_.end() ? none : group_of(made_of->second);
    }

    void drop_small_groups() {
        std::vector<int> members(graph_.groups.size(), 0), number(graph_.groups.size(), -1);
        for (const PipelineNode& node : graph_.nodes)
            if (node.group >= 0)
                ++members[static_cast<std::size_t>(node.group)];
        std::vector<PipelineGroup> kept;
        for (std::size_t g = 0; g < members.size(); ++g)
            if (members[g] > 1) {
                number[g] = static_cast<int>(kept.size());
                kept.push_back(graph_.groups[g]);
            }
        graph_.groups = std::move(kept);
        for (PipelineNode& node : graph_.nodes)
            node.group = node.group < 0 ? -1 : number[static_cast<std::size_t>(node.group)];
    }

    const ScheduleTree& tree_;
    PipelineGraph graph_;
    std::map<std::string, std::string> root_of_;
    std::map<std::string, const TreeNode*> stage_node_;
    std::map<std::string, const TreeNode*> storage_;
    std::map<std::string, double> bytes_;
    std::map<std::string, std::string> folds_;   // Origin::group of each stage and input
    std::map<std::string, std::string> made_of_; // the stage that a copy or an rfactor is of
    std::map<std::string, std::vector<const StageState*>> copies_; // by their source
};

} // namespace

int PipelineGraph::index_of(const std::string& stage) const {
    const auto found = by_stage.find(stage);
    return found == by_stage.end() ? -1 : found->second;
}

PipelineGraph pipeline_graph(const ScheduleTree& tree) { return Builder(tree).take(); }

bool another_pipeline(const Pipeline& before, const Pipeline& after) {
    if (&before == &after)
        return false;
    std::unordered_set<std::string_view> known;
    for (const auto& stage : before.stages)
        known.insert(stage.name);
    const auto kept = std::count_if(after.stages.begin(), after.stages.end(),
                                    [&](const Stage& stage) { return known.count(stage.name); });
    return before.name != after.name || 2 * static_cast<std::size_t>(kept) < after.stages.size();
}

std::map<std::string, double> stage_seconds(const ScheduleTree& tree,
                                            const model::Estimate& estimate) {
    std::map<std::string, double> out;
    // Each node's own time goes to its stage: where stages share loops, one stands inside another
    // that it is no part of.
    auto walk = [&](auto&& self, const TreeNode& node) -> double {
        double inside = 0;
        for (const TreeNodePtr& child : node.children)
            inside += self(self, *child);
        const auto cost = estimate.nodes.find(node.id);
        if (cost == estimate.nodes.end())
            return inside;
        if (node.kind != TreeKind::Root)
            out[node.id.stage] += cost->second.seconds_subtree - inside;
        return cost->second.seconds_subtree;
    };
    walk(walk, *tree.root);
    // differences of equal sums may round below nothing
    for (auto& [stage, seconds] : out)
        seconds = std::max(seconds, 0.0);
    return out;
}

} // namespace loopscope::views
