#include "core/schedule/gpu/fragments.h"

#include "core/base/listed.h"
#include "core/schedule/gpu/fragment_layouts.h"
#include "core/schedule/gpu/lane_division.h"
#include "core/schedule/gpu/opaque_fragments.h"
#include "core/schedule/identity.h"
#include "core/schedule/placement.h"
#include "core/schedule/region.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/stored_forms.h"
#include "core/schedule/tensor_spans.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

class WorkFinder {
public:
    explicit WorkFinder(const ScheduleTree& tree)
        : tree_(tree), layout_(*tree.layout), known_(find_layouts(tree)), out_(known_.found) {}

    Fragments run() {
        if (out_.problems.empty())
            find_work(*tree_.root, {});
        if (out_.problems.empty())
            check_orders();
        return std::move(out_);
    }

private:
    void refuse(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        out_.problems.push_back({std::move(message), std::move(remedy), std::move(nodes)});
    }

    using Path = std::vector<const TreeNode*>;

    void find_work(const TreeNode& node, Path path) {
        if (node.tensor)
            return;
        path.push_back(&node);
        if (node.kind == TreeKind::Compute)
            return work(path);
        for (const auto& child : node.children)
            find_work(*child, path);
    }

    void work(const Path& path) {
        const auto& leaf = *path.back();
        const auto& stage = *layout_.derived->find(leaf.id.stage);
        const auto& definition = stage.definitions[static_cast<std::size_t>(leaf.id.definition)];
        std::vector<std::pair<std::string, std::vector<ExprPtr>>> touched;
        if (known_.stages.count(stage.name))
            touched.emplace_back(stage.name, own_indices(stage, definition));
        each_load(definition, [&](const Expr& e) {
            if (known_.stages.count(e.name))
                touched.emplace_back(e.name, e.args);
        });
        if (touched.empty())
            return;
        const auto name = definition_name(stage.name, leaf.id.definition);
        if (leaf.compute.role == ComputeRole::Init || leaf.compute.role == ComputeRole::Step) {
            if (known_.refused.insert(name).second)
                refuse(name + " reduces, and " + touched.front().first +
                           " is in fragments, of which each lane holds a part",
                       "tensorize " + name + ", or copy the fragments to shared memory", {leaf.id});
            return;
        }
        const auto& plan =
            layout_.stages.at(stage.name).nests[static_cast<std::size_t>(leaf.id.definition)];
        std::map<std::string, FormInterval> axes;
        for (const auto& [axis, form] : plan.axes)
            axes[axis] = {form, form, true};
        std::vector<FragmentAccess> accesses;
        for (const auto& [source, indices] : touched) {
            FragmentAccess access{source, {}};
            for (std::size_t d = 0; d < indices.size(); ++d) {
                const auto form = index_interval(indices[d], definition, axes, layout_);
                auto from = form.exact && form.least == form.greatest
                                ? stored_form(layout_, source, d, form.least)
                                : std::nullopt;
                if (!from)
                    return refuse(name + " reads " + source + " at " + to_text(indices[d]) +
                                      ", and which lane holds such an element is not known",
                                  "copy " + source + " to shared memory", {leaf.id});
                access.from.push_back(*from);
            }
            accesses.push_back(std::move(access));
        }
        divide(path, name, plan, accesses, axes);
    }

    // The instruction is told how its factors lay in memory.
    void check_orders() {
        for (const auto& [stage, layout] : out_.layouts)
            if (layout.opaque() && layout.operand != &layout.intrinsic->result && !layout.order)
                refuse(stage + " is in fragments of " + layout.intrinsic->name +
                           " and is not loaded from memory",
                       "a copy: cache_read(…, fragment)", {known_.stages.at(stage)->id});
    }

    // What is done with opaque fragments.
    void whole(const Path& path, const std::string& name, const NestLayout& plan,
               const std::map<std::string, FormInterval>& axes, const InnerLoops& inside,
               LaneWork& work) {
        const auto& leaf = *path.back();
        const auto& stage = *layout_.derived->find(leaf.id.stage);
        const auto& definition = stage.definitions[static_cast<std::size_t>(leaf.id.definition)];
        const auto from = [&](const std::string& source, std::size_t d,
                              const ExprPtr& index) -> std::optional<LinearForm> {
            const auto form = index_interval(index, definition, axes, layout_);
            return form.exact && form.least == form.greatest
                       ? stored_form(layout_, source, d, form.least)
                       : std::nullopt;
        };
        const auto found = find_opaque_work(tree_, out_.layouts,
                                            {name, stage, definition, plan, inside, from}, work);
        if (!found) {
            const auto& reason = found.errors().front();
            return refuse(reason.message, reason.remedy, {leaf.id});
        }
        auto& layout = out_.layouts.at(work.fragment);
        if (work.whole != LaneWork::Whole::Load || layout.operand == &layout.intrinsic->result)
            return;
        if (layout.order && *layout.order != work.order)
            return refuse(work.fragment + " is loaded from memory by rows and by columns, and " +
                              layout.intrinsic->name + " takes it in one way",
                          "a copy for each", {leaf.id});
        layout.order = work.order;
    }

    static std::vector<ExprPtr> own_indices(const Stage& stage, const Definition& definition) {
        if (definition.kind == DefinitionKind::Update)
            return definition.left;
        std::vector<ExprPtr> out;
        for (const auto& index : stage.variables)
            out.push_back(variable(index));
        return out;
    }

    // From which loop on do its own loops, with nothing beside them, run over whole tiles? The
    // innermost such.
    void divide(const Path& path, const std::string& name, const NestLayout& plan,
                const std::vector<FragmentAccess>& accesses,
                const std::map<std::string, FormInterval>& axes) {
        const auto& leaf = *path.back();
        const auto& nest = nest_of(tree_.state, {leaf.id.stage, leaf.id.definition});
        for (auto at = path.size() - 1; at-- > 0;) {
            const auto& loop = *path[at];
            if (loop.kind != TreeKind::Loop || loop.id.stage != leaf.id.stage ||
                loop.id.definition != leaf.id.definition || loop.children.size() != 1 ||
                !loop.binding.empty() || loop.loop_kind == LoopKind::Vectorized)
                break;
            const auto found =
                std::find(plan.variables.begin(), plan.variables.end(), loop.variable);
            if (found == plan.variables.end())
                break;
            const InnerLoops inside(nest, plan,
                                    static_cast<std::size_t>(found - plan.variables.begin()));
            if (auto work = divided_by_lanes(loop, inside, accesses, out_.layouts)) {
                if (any_opaque(accesses))
                    whole(path, name, plan, axes, inside, *work);
                out_.work[{leaf.id.stage, leaf.id.definition}] = std::move(*work);
                return;
            }
        }
        const auto& fragment = accesses.front().stage;
        refuse(name + (fragment == leaf.id.stage ? " computes " : " reads ") + fragment +
                   ", which the lanes of a " + unit_of(*out_.layouts.at(fragment).intrinsic) +
                   " hold together in tiles of " + times(out_.layouts.at(fragment).tile) +
                   ", and its inner loops do not run over whole ones",
               "split its loops by " + listed_tile(out_.layouts.at(fragment)) +
                   ", those inner loops innermost, serial or unrolled",
               {leaf.id});
    }

    bool any_opaque(const std::vector<FragmentAccess>& accesses) const {
        return std::any_of(accesses.begin(), accesses.end(), [&](const auto& access) {
            return out_.layouts.at(access.stage).opaque();
        });
    }

    static std::string listed_tile(const FragmentLayout& layout) {
        std::vector<std::string> parts;
        for (auto extent : layout.tile)
            if (extent > 1)
                parts.push_back(std::to_string(extent));
        return listed(parts);
    }

    const ScheduleTree& tree_;
    const Layout& layout_;
    FoundLayouts known_;
    Fragments& out_;
};

} // namespace

bool FragmentLayout::same_layout(const FragmentLayout& other) const {
    const bool known = !opaque() && !other.opaque();
    const bool same =
        intrinsic->name == other.intrinsic->name && operand->name == other.operand->name;
    return axes == other.axes && tile == other.tile && steps == other.steps &&
           (known ? elements == other.elements : same);
}

std::int64_t FragmentLayout::number(const std::vector<std::int64_t>& tile_at) const {
    std::int64_t out = 0;
    for (std::size_t d = 0; d < tiles.size(); ++d)
        out = out * tiles[d] + tile_at[d];
    return out;
}

bool is_in_fragments(const TreeNode& storage) {
    return storage.scope.shared_by == device::Unit::Warp ||
           storage.scope.shared_by == device::Unit::WarpGroup;
}

Fragments find_fragments(const ScheduleTree& tree) { return WorkFinder(tree).run(); }

} // namespace loopscope
