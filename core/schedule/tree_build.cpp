// State -> tree: places every stage's nests where the schedule put them, with the regions that region.h inferred.

#include "core/schedule/legality.h"
#include "core/schedule/region.h"
#include "core/schedule/tree.h"

#include <algorithm>

namespace loopscope {

namespace {

Hash hash_region(const Region& region, Hash h) {
    for (const auto& d : region.dimensions)
        h = combine(combine(h, d.min->hash), d.extent.hash());
    return h;
}

Hash hash_own(const TreeNode& n) {
    Hash h = combine(n.id.hash(), static_cast<std::uint64_t>(n.kind));
    h = combine(combine(h, n.extent.hash()), static_cast<std::uint64_t>(n.loop_kind));
    h = combine(hash_of(n.binding, h), static_cast<std::uint64_t>(n.reduction));
    h = hash_of(n.scope, hash_region(n.region, h));
    for (const auto& tail : n.tails)
        h = combine(hash_of(tail.reason, h), static_cast<std::uint64_t>(tail.asked));
    for (auto dimension : n.storage_order)
        h = combine(h, static_cast<std::uint64_t>(dimension) + 1);
    for (auto elements : n.storage_padding)
        h = combine(h, static_cast<std::uint64_t>(elements));
    h = combine(combine(h, n.store_level.hash()), n.compute_level.hash());
    if (n.kind == TreeKind::Compute) {
        h = combine(h, static_cast<std::uint64_t>(n.compute.role));
        h = combine(h, static_cast<std::uint64_t>(n.compute.atomic));
        for (const auto& axis : n.compute.axes)
            h = combine(hash_of(axis.first, h), axis.second->hash);
        for (const auto& guard : n.compute.guards)
            h = combine(h, guard->hash);
    }
    return h;
}

TreeNodePtr finish(TreeNode node) {
    node.hash = hash_own(node);
    for (const auto& child : node.children)
        node.hash = combine(node.hash, child->hash);
    return std::make_shared<const TreeNode>(std::move(node));
}

class Builder {
public:
    Builder(const ScheduleState& state, const Layout& layout) : state_(state), layout_(layout) {
        for (const auto& stage : state.stages) {
            if (stage->compute.kind == Placement::Kind::At)
                placed_[key(stage->compute.at)].push_back(stage.get());
            else if (stage->compute.kind == Placement::Kind::Root)
                at_root_.push_back(stage.get());
        }
    }

    TreeNodePtr root() {
        TreeNode node;
        node.kind = TreeKind::Root;
        for (const auto* stage : at_root_)
            add_stage(*stage, node.children);
        return finish(std::move(node));
    }

private:
    static std::string key(const LoopRef& at) {
        return at.stage + "/" + std::to_string(at.definition) + "/" + std::to_string(at.loop);
    }

    void add_stage(const StageState& s, std::vector<TreeNodePtr>& siblings) {
        const Stage& stage = *layout_.derived->find(s.name);
        const auto& layout = layout_.stages.at(s.name);
        TreeNode node;
        node.kind = TreeKind::Stage;
        node.id = {s.name, -1, "@stage"};
        node.types = stage.types;
        node.copy_of = s.copy_of;
        node.scope = s.scope.empty() ? "host" : s.scope;
        node.is_output = layout_.derived->find_output(s.name) != nullptr;
        if (s.compute.kind == Placement::Kind::At) {
            const auto& host = state_.find(s.compute.at.stage)
                                   ->definitions[static_cast<std::size_t>(s.compute.at.definition)];
            const auto& loop =
                host.loops[static_cast<std::size_t>(host.position_of(s.compute.at.loop))];
            node.compute_level =
                node.store_level = {s.compute.at.stage, s.compute.at.definition, loop.name};
        }
        for (std::size_t d = 0; d < stage.variables.size(); ++d) {
            Region::Dimension dimension;
            dimension.min = to_expr(layout.region[d].least);
            dimension.extent = Extent(layout.extents[d]);
            dimension.index = stage.variables[d];
            if (!layout.mins[d].is_constant())
                dimension.variable = s.name + "." + stage.variables[d] + ".min";
            node.region.dimensions.push_back(std::move(dimension));
        }
        node.region.exact = layout.exact;
        TreeNode storage = node;
        storage.kind = TreeKind::Storage;
        storage.id.name = "@storage";
        storage.storage_order = s.storage_order;
        storage.storage_padding = s.storage_padding;
        siblings.push_back(finish(std::move(storage)));
        for (std::size_t d = 0; d < stage.definitions.size(); ++d)
            nest(s, stage, static_cast<int>(d), 0, node.children);
        siblings.push_back(finish(std::move(node)));
    }

    void nest(const StageState& s, const Stage& stage, int d, std::size_t depth,
              std::vector<TreeNodePtr>& out) {
        const auto& definition = s.definitions[static_cast<std::size_t>(d)];
        bool reduction =
            stage.definitions[static_cast<std::size_t>(d)].kind == DefinitionKind::Reduction;
        if (depth == definition.loops.size()) {
            out.push_back(compute(stage, definition, d,
                                  reduction ? ComputeRole::Step
                                  : d == 0  ? ComputeRole::Pure
                                            : ComputeRole::Update));
            return;
        }
        const auto& loop = definition.loops[depth];
        // The initialisation runs just before the outermost reduction loop, over the loops inside that one.
        if (reduction && loop.reduction &&
            std::none_of(definition.loops.begin(),
                         definition.loops.begin() + static_cast<std::ptrdiff_t>(depth),
                         [](const LoopState& l) { return l.reduction; }))
            init_nest(s, stage, d, depth, out);
        const auto& layout = layout_.stages.at(s.name).nests[static_cast<std::size_t>(d)];
        TreeNode node = loop_node(s.name, d, loop, layout.extents[depth], layout.variables[depth]);
        node.tails = layout.tails[depth];
        if (auto placed = placed_.find(key({s.name, d, loop.id})); placed != placed_.end())
            for (const auto* producer : placed->second)
                add_stage(*producer, node.children);
        nest(s, stage, d, depth + 1, node.children);
        out.push_back(finish(std::move(node)));
    }

    void init_nest(const StageState& s, const Stage& stage, int d, std::size_t depth,
                   std::vector<TreeNodePtr>& out) {
        const auto& definition = s.definitions[static_cast<std::size_t>(d)];
        const auto& layout = layout_.stages.at(s.name).nests[static_cast<std::size_t>(d)];
        auto body = compute(stage, definition, d, ComputeRole::Init, depth);
        for (std::size_t p = definition.loops.size(); p-- > depth;) {
            const auto& loop = definition.loops[p];
            if (loop.reduction)
                continue;
            TreeNode node =
                loop_node(s.name, d, loop, layout.extents[p], layout.variables[p] + ".init");
            node.id.name += "@init";
            node.tails = layout.tails[p];
            node.init = true;
            node.children.push_back(body);
            body = finish(std::move(node));
        }
        out.push_back(body);
    }

    static TreeNode loop_node(const std::string& stage, int d, const LoopState& loop,
                              std::int64_t extent, const std::string& variable) {
        TreeNode node;
        node.kind = TreeKind::Loop;
        node.id = {stage, d, loop.name};
        node.variable = variable;
        node.extent = Extent(extent);
        node.loop_kind = loop.kind;
        node.binding = loop.binding;
        node.reduction = loop.reduction;
        return node;
    }

    TreeNodePtr compute(const Stage& stage, const DefinitionState& state, int d, ComputeRole role,
                        std::size_t init_depth = 0) {
        const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
        const auto& layout = layout_.stages.at(stage.name).nests[static_cast<std::size_t>(d)];
        bool init = role == ComputeRole::Init;
        TreeNode node;
        node.kind = TreeKind::Compute;
        node.id = {stage.name, d, init ? "@init" : "@compute"};
        node.types = stage.types;
        node.compute.stage = stage.name;
        node.compute.definition = d;
        node.compute.role = role;
        node.compute.atomic = !init && collides(state_, stage.name, d);
        // In the initialisation the loops inside the outermost reduction loop are copies with names of their own.
        std::map<std::string, ExprPtr> renamed;
        if (init)
            for (std::size_t p = init_depth; p < layout.variables.size(); ++p)
                renamed[layout.variables[p]] = variable(layout.variables[p] + ".init");
        auto expr = [&](const LinearForm& form) {
            auto e = to_expr(form);
            if (renamed.empty())
                return e;
            return substitute(e, [&](const std::string& name) -> ExprPtr {
                auto it = renamed.find(name);
                return it == renamed.end() ? nullptr : it->second;
            });
        };
        std::size_t count = init ? definition.free.size() : layout.axes.size();
        for (std::size_t a = 0; a < count; ++a)
            node.compute.axes.emplace_back(layout.axes[a].first, expr(layout.axes[a].second));
        for (const auto& guard : layout.guards)
            if (!(init && guard.reduction))
                node.compute.guards.push_back(binary(Op::Less, expr(guard.value),
                                                     constant_int(ScalarType::I32, guard.limit)));
        for (const auto& loop : state.loops)
            if (loop.kind == LoopKind::Vectorised && !(init && loop.reduction))
                node.compute.vectorised = true;
        return finish(std::move(node));
    }

    const ScheduleState& state_;
    const Layout& layout_;
    std::map<std::string, std::vector<const StageState*>> placed_;
    std::vector<const StageState*> at_root_;
};

} // namespace

Result<ScheduleTreePtr> build_tree(const ScheduleState& state) {
    auto derived = derive(state);
    auto layout = infer_layout(state, derived.pipeline);
    if (!layout)
        return layout.errors();
    auto tree = std::make_shared<ScheduleTree>();
    tree->pipeline = state.pipeline;
    tree->derived = derived.pipeline;
    tree->stages = std::move(derived.stages);
    for (auto& stage : tree->stages)
        if (auto box = layout->boxes.find(stage.stage.name); box != layout->boxes.end())
            stage.box = box->second;
    for (const auto& stage : derived.pipeline->stages)
        if (stage.is_input)
            tree->input_boxes[stage.name] = layout->boxes[stage.name];
    tree->state = state;
    tree->root = Builder(state, *layout).root();
    tree->layout = std::make_shared<const Layout>(std::move(*layout));
    return ScheduleTreePtr(std::move(tree));
}

} // namespace loopscope
