// The tree as text and as JSON, and what differs between two trees.

#include "core/schedule/nest_layout.h"
#include "core/schedule/storage.h"
#include "core/schedule/tensor_call.h"
#include "core/schedule/tree.h"

#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

std::string box_text(const Region& region) {
    std::string out = "[";
    for (std::size_t d = 0; d < region.dimensions.size(); ++d)
        out += (d ? ", " : "") + region.dimensions[d].extent.text() +
               (region.dimensions[d].unfolded > 0
                    ? " of " + std::to_string(region.dimensions[d].unfolded)
                    : "");
    return out + "]";
}

std::string types_text(const std::vector<ScalarType>& types) {
    std::string out;
    for (std::size_t i = 0; i < types.size(); ++i)
        out += (i ? ", " : "") + std::string(name(types[i]));
    return types.size() > 1 ? "(" + out + ")" : out;
}

const char* kind_name(TreeKind kind) {
    switch (kind) {
    case TreeKind::Root: return "root";
    case TreeKind::Stage: return "stage";
    case TreeKind::Loop: return "loop";
    case TreeKind::Storage: return "storage";
    case TreeKind::Compute: return "compute";
    }
    return "";
}

const char* role_name(ComputeRole role) {
    switch (role) {
    case ComputeRole::Pure: return "pure";
    case ComputeRole::Init: return "init";
    case ComputeRole::Step: return "step";
    case ComputeRole::Update: return "update";
    }
    return "";
}

void print(const TreeNode& node, int depth, std::string& out) {
    if (node.kind != TreeKind::Root) {
        out.append(static_cast<std::size_t>(depth) * 2, ' ');
        out += row_text(node) + "\n";
        ++depth;
    }
    for (const auto& child : node.children)
        print(*child, depth, out);
}

nlohmann::json prefetch_json(const Prefetch& prefetch) {
    nlohmann::json j{{"source", prefetch.source},
                     {"ahead", prefetch.ahead},
                     {"lines", prefetch.count()},
                     {"region", nlohmann::json::array()}};
    for (const auto& d : prefetch.region.dimensions)
        j["region"].push_back({{"min", to_text(d.min)}, {"extent", d.extent.hint()}});
    return j;
}

nlohmann::json node_json(const TreeNode& node) {
    nlohmann::json j;
    j["id"] = node.id.text();
    j["kind"] = kind_name(node.kind);
    j["text"] = row_text(node);
    if (node.kind == TreeKind::Loop) {
        j["axis"] = node.id.name;
        j["extent"] = node.extent.hint();
        j["binding"] = node.binding.empty() ? name(node.loop_kind) : node.binding;
        j["reduction"] = node.reduction;
        if (node.persistent)
            j["persistent"] = true;
        if (node.tensor)
            j["intrinsic"] = node.tensor->intrinsic->name;
        if (node.begin < 0)
            j["warm_up"] = -node.begin;
        for (const auto& prefetch : node.prefetches)
            j["prefetches"].push_back(prefetch_json(prefetch));
        for (const auto& tail : node.tails) {
            nlohmann::json t{{"asked", name(tail.asked)}, {"used", name(tail.used)}};
            if (!tail.reason.empty())
                t["reason"] = tail.reason;
            j["tails"].push_back(std::move(t));
        }
    }
    if (node.kind == TreeKind::Stage || node.kind == TreeKind::Storage) {
        j["stage"] = node.id.stage;
        j["scope"] = node.scope.name;
        j["store_level"] = node.store_level.text();
        j["compute_level"] = node.compute_level.text();
        j["exact"] = node.region.exact;
        auto& dimensions = j["region"] = nlohmann::json::array();
        for (const auto& d : node.region.dimensions)
            dimensions.push_back({{"min", to_text(d.min)}, {"extent", d.extent.hint()}});
        for (std::size_t d = 0; d < node.region.dimensions.size(); ++d)
            if (auto whole = node.region.dimensions[d].unfolded; whole > 0)
                dimensions[d]["unfolded"] = whole;
        if (node.kind == TreeKind::Storage) {
            j["bytes"] = static_cast<std::int64_t>(storage_bytes(node));
            if (auto layout = layout_text(node); !layout.empty()) {
                j["layout"] = layout;
                j["storage_order"] = storage_order(node);
                j["storage_extents"] = storage_extents(node);
            }
            if (node.rotation > 1)
                j["rotation"] = node.rotation;
            if (node.producers > 0)
                j["producers"] = node.producers;
            j["output"] = node.is_output;
        }
        if (!node.copy_of.empty())
            j["copy_of"] = node.copy_of;
    }
    if (node.kind == TreeKind::Compute) {
        j["role"] = role_name(node.compute.role);
        if (node.compute.atomic)
            j["atomic"] = true;
        if (node.compute.non_temporal)
            j["non_temporal"] = {{"read_again", node.compute.read_again}};
        for (const auto& guard : node.compute.guards)
            j["guards"].push_back(to_text(guard));
    }
    for (const auto& run : node.runs) {
        j["runs"].push_back({{"loop", run.variable}, {"first", run.first}, {"count", run.count}});
        if (run.ahead > 0)
            j["runs"].back()["ahead"] = run.ahead;
        if (run.moved)
            j["runs"].back()["where"] = to_text(run.moved);
    }
    j["children"] = nlohmann::json::array();
    for (const auto& child : node.children)
        j["children"].push_back(node_json(*child));
    return j;
}

void collect_rows(const TreeNode& node, std::vector<std::pair<NodeId, std::string>>& order,
                  std::map<NodeId, std::string>& rows) {
    if (node.kind != TreeKind::Root) {
        auto row = row_text(node);
        if (node.kind == TreeKind::Stage || node.kind == TreeKind::Storage)
            row +=
                node.compute_level.stage.empty() ? " at root" : " at " + node.compute_level.text();
        if (!(node.store_level == node.compute_level))
            row += node.store_level.stage.empty() ? " stored at root"
                                                  : " stored at " + node.store_level.text();
        order.emplace_back(node.id, row);
        rows[node.id] = row;
    }
    for (const auto& child : node.children)
        collect_rows(*child, order, rows);
}

} // namespace

std::string row_text(const TreeNode& node) {
    switch (node.kind) {
    case TreeKind::Root: return "";
    case TreeKind::Stage: {
        std::string out = node.id.stage;
        if (!node.copy_of.empty())
            out += " copy of " + node.copy_of;
        out += " → " + types_text(node.types) + " " + box_text(node.region);
        for (const auto& run : node.runs)
            if (run.ahead > 0)
                out += " " + std::to_string(run.ahead) + " ahead";
        return out;
    }
    case TreeKind::Loop: {
        std::string out =
            (node.init ? node.id.name.substr(0, node.id.name.size() - 5) : node.id.name) + " " +
            node.extent.text();
        if (node.begin < 0)
            out += " from " + std::to_string(node.begin);
        if (!node.binding.empty())
            out += " " + node.binding + (node.persistent ? " persistent" : "");
        else if (node.loop_kind != LoopKind::Serial)
            out += std::string(" ") + name(node.loop_kind);
        if (node.tensor)
            out += " tensorize " + node.tensor->intrinsic->name;
        if (node.reduction)
            out += " reduction";
        for (const auto& tail : node.tails)
            out += " tail " + tail_text(tail);
        for (const auto& prefetch : node.prefetches)
            out += " prefetch " + prefetch.source + " " + std::to_string(prefetch.ahead) +
                   " ahead" + (prefetch.lines == 0 ? ": nothing new" : "");
        return out;
    }
    case TreeKind::Storage: {
        auto layout = layout_text(node);
        return node.id.stage + (node.is_output ? " output " : " storage ") +
               types_text(node.types) + " " + box_text(node.region) +
               (node.rotation > 1 ? " × " + std::to_string(node.rotation) : "") + " " +
               node.scope.name + (layout.empty() ? "" : " layout " + layout) +
               (node.producers > 0 ? " by producers " + std::to_string(node.producers) : "");
    }
    case TreeKind::Compute: {
        std::string out = definition_name(node.compute.stage, node.compute.definition) + " " +
                          role_name(node.compute.role);
        if (node.compute.atomic)
            out += " atomic";
        if (node.compute.non_temporal)
            out += node.compute.read_again ? " streams, read again" : " streams";
        if (!node.compute.guards.empty())
            out += " guarded";
        return out;
    }
    }
    return "";
}

std::string to_text(const ScheduleTree& tree) {
    std::string out;
    print(*tree.root, 0, out);
    return out;
}

nlohmann::json to_json(const ScheduleTree& tree) {
    nlohmann::json j;
    j["pipeline"] = tree.pipeline->name;
    j["target"] = tree.state.target;
    j["hash"] = std::to_string(tree.structural_hash());
    j["reassociates"] = tree.reassociates();
    j["nodes"] = nlohmann::json::array();
    for (const auto& child : tree.root->children)
        j["nodes"].push_back(node_json(*child));
    return j;
}

std::vector<TreeDifference> difference(const ScheduleTree& before, const ScheduleTree& after) {
    std::vector<std::pair<NodeId, std::string>> old_order, new_order;
    std::map<NodeId, std::string> old_rows, new_rows;
    collect_rows(*before.root, old_order, old_rows);
    collect_rows(*after.root, new_order, new_rows);
    std::vector<TreeDifference> out;
    for (const auto& [id, row] : old_order)
        if (!new_rows.count(id))
            out.push_back({TreeDifference::Kind::Removed, id, row, {}});
    for (const auto& [id, row] : new_order) {
        auto old = old_rows.find(id);
        if (old == old_rows.end())
            out.push_back({TreeDifference::Kind::Added, id, {}, row});
        else if (old->second != row)
            out.push_back({TreeDifference::Kind::Changed, id, old->second, row});
    }
    return out;
}

} // namespace loopscope
