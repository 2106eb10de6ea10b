#include "app/session/node_groups.h"

#include "core/schedule/directive.h"

#include <functional>
#include <tuple>

namespace loopscope::session {

namespace {

void each_loop(const TreeNode& node, const std::function<void(const TreeNode&)>& visit) {
    if (node.kind == TreeKind::Loop && !node.init)
        visit(node);
    for (const auto& child : node.children)
        each_loop(*child, visit);
}

// The dot between a definition and its loop; those of `{1..4}` and `.update(0)` are others.
std::size_t dot_of(const std::string& pattern) {
    const auto closed = pattern.find_last_of("})");
    const auto dot = pattern.rfind('.');
    const bool inside = dot != std::string::npos && closed != std::string::npos && dot < closed;
    return inside ? std::string::npos : dot;
}

auto origin_of(const StageState& stage) {
    return std::tuple(!stage.copy_of.empty(), !stage.cache_of.empty(), !stage.factor_of.empty());
}

std::vector<NodeId> stages_like(const ScheduleTree& tree, const StageState& stage) {
    std::vector<NodeId> out{{stage.name, -1, "@stage"}};
    for (const auto& other : tree.state.stages)
        if (other->name != stage.name && origin_of(*other) == origin_of(stage) &&
            other->compute.kind == stage.compute.kind && other->scope.name == stage.scope.name)
            out.push_back({other->name, -1, "@stage"});
    return out;
}

} // namespace

Result<std::vector<NodeId>> nodes_named(const ScheduleTree& tree, const std::string& pattern) {
    std::vector<NodeId> out;
    const auto dot = dot_of(pattern);
    if (dot == std::string::npos) {
        for (const auto& stage : match_stages(tree.state, pattern))
            out.push_back({stage, -1, "@stage"});
    } else {
        const auto definition = pattern.substr(0, dot), loop = pattern.substr(dot + 1);
        each_loop(*tree.root, [&](const TreeNode& node) {
            if (matches_pattern(definition, definition_name(node.id.stage, node.id.definition)) &&
                matches_pattern(loop, node.id.name))
                out.push_back(node.id);
        });
    }
    if (out.empty())
        return error(dot == std::string::npos ? "no stage is called " + pattern
                                              : "no loop is called " + pattern,
                     "* stands for any letters, as in blur_* and *.x");
    return out;
}

std::vector<NodeId> nodes_like(const ScheduleTree& tree, const NodeId& id) {
    const auto* loop = tree.find(id);
    if (!loop || loop->kind != TreeKind::Loop) {
        const auto* stage = tree.state.find(id.stage);
        return stage ? stages_like(tree, *stage) : std::vector<NodeId>{};
    }
    std::vector<NodeId> out{id};
    each_loop(*tree.root, [&](const TreeNode& other) {
        const bool runs_so = other.loop_kind == loop->loop_kind && other.binding == loop->binding &&
                             other.reduction == loop->reduction;
        if (other.id != id && runs_so &&
            (other.id.name == id.name || other.extent.hint() == loop->extent.hint()))
            out.push_back(other.id);
    });
    return out;
}

} // namespace loopscope::session
