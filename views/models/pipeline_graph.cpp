#include "views/models/pipeline_graph.h"

#include "core/schedule/reads.h"
#include "views/models/node_text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <set>

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
            bytes_[node.id.stage] = region_bytes(node.region, node.types);
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
            PipelineNode node;
            node.stage = derived.stage.name;
            node.name = to_qstring(derived.stage.name);
            node.inlined = derived.inlined;
            node.id = {derived.stage.name, -1, "@stage"};
            if (const auto found = stage_node_.find(node.stage); found != stage_node_.end()) {
                node.is_output = found->second->is_output;
                node.detail =
                    types_text(found->second->types) + ' ' + region_text(found->second->region);
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

    void add(PipelineNode node) {
        index_[node.stage] = static_cast<int>(graph_.nodes.size());
        graph_.nodes.push_back(std::move(node));
    }

    // Reads as they were written, so that inlined stages keep their place; copies stand between.
    void add_edges() {
        std::set<std::pair<int, int>> seen;
        auto connect = [&](const std::string& from, const std::string& to) {
            const auto a = index_.find(from), b = index_.find(to);
            if (a == index_.end() || b == index_.end() || a == b ||
                !seen.insert({a->second, b->second}).second)
                return;
            const auto size = bytes_.find(from);
            graph_.edges.push_back({a->second, b->second, size == bytes_.end() ? 0 : size->second});
        };
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
        for (const auto& stage : tree_.state.stages)
            if (stage->copy_of == source && stage->copy_readers.count(reader) &&
                stage->name != reader.first)
                return source_for(stage->name, reader);
        return source;
    }

    // An inlined stage runs with its readers, if they all run together.
    void group_inlined() {
        for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
            PipelineNode& node = graph_.nodes[n];
            if (!node.inlined)
                continue;
            std::set<int> groups;
            for (const PipelineEdge& edge : graph_.edges)
                if (edge.from == static_cast<int>(n))
                    groups.insert(graph_.nodes[static_cast<std::size_t>(edge.to)].group);
            node.group = groups.size() == 1 ? *groups.begin() : -1;
        }
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
    std::map<std::string, int> index_;
    std::map<std::string, std::string> root_of_;
    std::map<std::string, const TreeNode*> stage_node_;
    std::map<std::string, double> bytes_;
};

} // namespace

int PipelineGraph::index_of(const std::string& stage) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].stage == stage)
            return static_cast<int>(i);
    return -1;
}

PipelineGraph pipeline_graph(const ScheduleTree& tree) { return Builder(tree).take(); }

std::map<std::string, double> stage_seconds(const ScheduleTree& tree,
                                            const model::Estimate& estimate) {
    std::map<std::string, double> out;
    auto walk = [&](auto&& self, const TreeNode& node, const std::string& around) -> void {
        std::string inside = around;
        if (node.kind == TreeKind::Stage) {
            const auto cost = estimate.nodes.find(node.id);
            const double seconds = cost == estimate.nodes.end() ? 0 : cost->second.seconds_subtree;
            out[node.id.stage] += seconds;
            if (!around.empty())
                out[around] -= seconds;
            inside = node.id.stage;
        }
        for (const TreeNodePtr& child : node.children)
            self(self, *child, inside);
    };
    walk(walk, *tree.root, {});
    for (auto& [stage, seconds] : out)
        seconds = std::max(seconds, 0.0); // differences of equal sums may round below nothing
    return out;
}

} // namespace loopscope::views
