// Longer than files are here: layouts and the lanes' work are found by one walk, which shares what is known of the tree and what it refuses.
#include "core/schedule/fragments.h"

#include "core/schedule/identity.h"
#include "core/schedule/listed.h"
#include "core/schedule/opaque_fragments.h"
#include "core/schedule/placement.h"
#include "core/schedule/region.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/shared_matrices.h"
#include "core/schedule/tensor_call.h"
#include "core/schedule/tensor_match.h"
#include "core/schedule/tensor_spans.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace loopscope {

namespace {

constexpr std::size_t kMostPoints = 1024; // of a lane: more are no registers

std::string times(const std::vector<std::int64_t>& extents) {
    std::string out;
    for (auto extent : extents)
        out += (out.empty() ? "" : " x ") + std::to_string(extent);
    return out;
}

std::string unit_of(const Intrinsic& intrinsic) {
    constexpr std::int64_t kWarp = 32;
    return intrinsic.lanes == kWarp ? "warp" : "warpgroup";
}

class Finder {
public:
    explicit Finder(const ScheduleTree& tree) : tree_(tree), layout_(*tree.layout) {}

    Fragments run() {
        find_stages(*tree_.root);
        find_calls(*tree_.root);
        for (const auto& [stage, storage] : stages_)
            if (!out_.layouts.count(stage) && refused_.insert(stage).second)
                refuse(stage + " is in fragments, and no tensor instruction takes it: how its "
                               "elements lie in registers is not known",
                       stage + ".scope(register), or tensorize what reads it", {storage->id});
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

    void find_stages(const TreeNode& node) {
        if (node.kind == TreeKind::Storage && node.scope == kFragmentScope) {
            stages_[node.id.stage] = &node;
            if (node.store_level == NodeId{} && refused_.insert(node.id.stage).second)
                refuse(node.id.stage + " is in fragments at root, and registers are a warp's, as "
                                       "long as its kernel runs",
                       node.id.stage + ".compute_at(…), in a kernel, or " + node.id.stage +
                           ".compute_root() and another scope",
                       {node.id});
        }
        for (const auto& child : node.children)
            find_stages(*child);
    }

    // --- layouts, from the instructions ---

    void find_calls(const TreeNode& node) {
        if (node.tensor && !node.tensor->initialises)
            call(node);
        for (const auto& child : node.children)
            find_calls(*child);
    }

    void call(const TreeNode& node) {
        const auto& tensor = *node.tensor;
        const auto& nest = nest_of(tree_.state, {node.id.stage, node.id.definition});
        auto match = match_tensor(*tensor.intrinsic, tree_.state, layout_, node.id.stage,
                                  node.id.definition, nest.tensorised_from());
        if (!match)
            return;
        own_memory(node, tensor.result);
        for (std::size_t o = 0; o < tensor.operands.size(); ++o)
            if (!tensor.intrinsic->operands[o].shared)
                own_memory(node, tensor.operands[o]);
        operand(node, tensor.result, tensor.intrinsic->result, match->result);
        for (std::size_t o = 0; o < tensor.operands.size(); ++o)
            operand(node, tensor.operands[o], tensor.intrinsic->operands[o], match->operands[o]);
    }

    // All lanes must reach what they take together.
    void own_memory(const TreeNode& node, const TensorCall::Operand& call) {
        const auto* storage = tree_.find({call.source, -1, "@storage"});
        const auto* state = tree_.state.find(call.source);
        if (storage && state && !(storage->store_level == NodeId{}) &&
            state->shared_by == "thread" && refused_.insert(call.source).second)
            refuse(call.source + " is in " + storage->scope +
                       " memory, which each thread has for itself, and the lanes of a " +
                       unit_of(*node.tensor->intrinsic) + " take it together for " +
                       node.tensor->intrinsic->name,
                   call.source + ".scope(fragment)", {storage->id, node.id});
    }

    void operand(const TreeNode& node, const TensorCall::Operand& call, const IntrinsicOperand& of,
                 const TensorMatch::Operand& match) {
        if (of.shared)
            return in_shared_memory(node, call, of, match);
        auto stage = stages_.find(call.source);
        if (stage == stages_.end() && of.opaque())
            return in_memory(node, call, of, match);
        if (stage == stages_.end())
            return;
        if (of.registers == 0)
            return refuse(call.source + " is in fragments as operand " + of.name + " of " +
                              node.tensor->intrinsic->name +
                              ", which does not say how they lie in registers",
                          call.source + ".scope(shared), or another instruction",
                          {stage->second->id, node.id});
        const auto made = laid_out(*stage->second, call, of, node.tensor->intrinsic);
        if (!made)
            return;
        auto [known, first] = out_.layouts.emplace(call.source, *made);
        if (!first && !known->second.same_layout(*made))
            return refuse(call.source + " is operand " + known->second.operand->name + " of " +
                              known->second.intrinsic->name + " and operand " + of.name + " of " +
                              node.tensor->intrinsic->name + ", which lie in registers differently",
                          "copy it for one of them, by cache_read(" + call.source + ", fragment)",
                          {stage->second->id, node.id});
        for (std::size_t d = 0; d < made->tile.size(); ++d) {
            const auto from = relative(call.source, d, match.base[d]);
            if (from && known_divisor(*from) % made->tile[d] == 0)
                continue;
            return refuse(call.source + " is in fragments of " + times(made->tile) + ", and " +
                              node.id.text() + " begins inside of one along its dimension " +
                              std::to_string(d),
                          "split the loops around it by " + std::to_string(made->tile[d]),
                          {stage->second->id, node.id});
        }
    }

    // Whole fragments come from there, or go there.
    void in_memory(const TreeNode& node, const TensorCall::Operand& call,
                   const IntrinsicOperand& of, const TensorMatch::Operand& match) {
        MatrixInMemory matrix{call.source, {}, {}, {}};
        for (const auto& parts : call.parts) // of instructions that read registers: one each
            matrix.dimensions.push_back(parts.front().dimension);
        for (std::size_t d = 0; d < match.base.size(); ++d)
            matrix.base.push_back(relative(call.source, d, match.base[d]));
        matrix.steps.assign(match.base.size(), 0);
        const auto order = order_in_memory(tree_, *node.tensor->intrinsic, of, matrix);
        if (!order) {
            const auto& reason = order.errors().front();
            return refuse(reason.message, reason.remedy, {node.id});
        }
        out_.orders[{node.id.stage, node.id.definition}][of.name] = *order;
    }

    void in_shared_memory(const TreeNode& node, const TensorCall::Operand& call,
                          const IntrinsicOperand& of, const TensorMatch::Operand& match) {
        const auto& intrinsic = *node.tensor->intrinsic;
        const auto* storage = tree_.find({call.source, -1, "@storage"});
        const auto* state = tree_.state.find(call.source);
        if (!storage || !state)
            return refuse(call.source + " is operand " + of.name + " of " + intrinsic.name +
                              ", which reads it out of memory that the block shares",
                          "a copy there: " + node.id.stage + ".cache_read(" + call.source +
                              ", shared)",
                          {node.id});
        const auto operand = shared_operand(*storage, state->swizzled, intrinsic, of, call);
        if (!operand) {
            const auto& reason = operand.errors().front();
            return refuse(reason.message, reason.remedy, {storage->id, node.id});
        }
        for (std::size_t d = 0; d < operand->granule.size(); ++d) {
            const auto from = relative(call.source, d, match.base[d]);
            if (from && known_divisor(*from) % operand->granule[d] == 0)
                continue;
            return refuse(call.source + " is operand " + of.name + " of " + intrinsic.name +
                              ", which takes it from a multiple of " +
                              std::to_string(operand->granule[d]) + " along " +
                              storage->region.dimensions[d].index + " on, and " + node.id.text() +
                              " begins between",
                          "split the loops around it by a multiple of " +
                              std::to_string(operand->granule[d]) +
                              ", of an extent that is one: shifted tiles begin anywhere",
                          {storage->id, node.id});
        }
        out_.matrices[{node.id.stage, node.id.definition}][of.name] = operand->matrix;
    }

    std::optional<FragmentLayout> laid_out(const TreeNode& storage, const TensorCall::Operand& call,
                                           const IntrinsicOperand& of,
                                           const std::shared_ptr<const Intrinsic>& intrinsic) {
        FragmentLayout made;
        made.intrinsic = intrinsic;
        made.operand = &of;
        made.elements = register_elements(*intrinsic, of);
        const auto rank = storage.region.dimensions.size();
        made.axes.assign(rank, -1);
        made.tile.assign(rank, 1);
        made.steps.assign(rank, 1);
        for (std::size_t a = 0; a < call.parts.size(); ++a)
            for (const auto& part : call.parts[a]) {
                const auto d = static_cast<std::size_t>(part.dimension);
                made.axes[d] = static_cast<int>(a);
                made.tile[d] = part.extent;
                made.steps[d] = part.step;
            }
        std::vector<std::int64_t> extents;
        for (const auto& dimension : storage.region.dimensions) {
            if (dimension.unfolded > 0) {
                refuse(storage.id.stage + " is in fragments and slides: registers have no "
                                          "addresses that could wrap around",
                       "store it where it is computed", {storage.id});
                return std::nullopt;
            }
            extents.push_back(dimension.extent.hint());
        }
        if (storage.types.size() > 1) {
            refuse(storage.id.stage + " is in fragments and has several components",
                   "another scope", {storage.id});
            return std::nullopt;
        }
        for (std::size_t d = 0; d < rank; ++d) {
            if (extents[d] % made.tile[d] != 0) {
                if (refused_.insert(storage.id.stage).second)
                    refuse(storage.id.stage + " has " + times(extents) +
                               " elements for a warp, which are no whole fragments of " +
                               times(made.tile),
                           "compute it where a whole number of them is needed", {storage.id});
                return std::nullopt;
            }
            made.tiles.push_back(extents[d] / made.tile[d]);
        }
        return made;
    }

    // --- what lanes do beside instructions ---

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

    struct Access {
        std::string stage;
        std::vector<LinearForm> from; // per dimension: counted from the first element in memory
    };

    void work(const Path& path) {
        const auto& leaf = *path.back();
        const auto& stage = *layout_.derived->find(leaf.id.stage);
        const auto& definition = stage.definitions[static_cast<std::size_t>(leaf.id.definition)];
        std::vector<std::pair<std::string, std::vector<ExprPtr>>> touched;
        if (stages_.count(stage.name))
            touched.emplace_back(stage.name, own_indices(stage, definition));
        each_load(definition, [&](const Expr& e) {
            if (stages_.count(e.name))
                touched.emplace_back(e.name, e.args);
        });
        if (touched.empty())
            return;
        const auto name = definition_name(stage.name, leaf.id.definition);
        if (leaf.compute.role == ComputeRole::Init || leaf.compute.role == ComputeRole::Step) {
            if (refused_.insert(name).second)
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
        std::vector<Access> accesses;
        for (const auto& [source, indices] : touched) {
            Access access{source, {}};
            for (std::size_t d = 0; d < indices.size(); ++d) {
                const auto form = index_interval(indices[d], definition, axes, layout_);
                auto from = form.exact && form.least == form.greatest
                                ? relative(source, d, form.least)
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
                       "a copy: cache_read(…, fragment)", {stages_.at(stage)->id});
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
            return form.exact && form.least == form.greatest ? relative(source, d, form.least)
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

    // From which loop on do its own loops, with nothing beside them, run over whole tiles? The innermost such.
    void divide(const Path& path, const std::string& name, const NestLayout& plan,
                const std::vector<Access>& accesses,
                const std::map<std::string, FormInterval>& axes) {
        const auto& leaf = *path.back();
        const auto& nest = nest_of(tree_.state, {leaf.id.stage, leaf.id.definition});
        for (auto at = path.size() - 1; at-- > 0;) {
            const auto& loop = *path[at];
            if (loop.kind != TreeKind::Loop || loop.id.stage != leaf.id.stage ||
                loop.id.definition != leaf.id.definition || loop.children.size() != 1 ||
                !loop.binding.empty() || loop.loop_kind == LoopKind::Vectorised)
                break;
            const auto found =
                std::find(plan.variables.begin(), plan.variables.end(), loop.variable);
            if (found == plan.variables.end())
                break;
            const InnerLoops inside(nest, plan,
                                    static_cast<std::size_t>(found - plan.variables.begin()));
            if (auto work = divided(loop, inside, accesses)) {
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

    bool any_opaque(const std::vector<Access>& accesses) const {
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

    std::optional<LaneWork> divided(const TreeNode& from, const InnerLoops& inside,
                                    const std::vector<Access>& accesses) const {
        LaneWork work;
        work.from = from.id;
        const auto& primary = accesses.front();
        const auto& layout = out_.layouts.at(primary.stage);
        work.fragment = primary.stage;
        std::vector<std::int64_t> counts; // tiles
        std::set<std::string> taken;
        for (std::size_t d = 0; d < primary.from.size(); ++d) {
            const auto steps = inside.steps(primary.from[d]);
            if (!steps)
                return std::nullopt;
            const auto count = inside.counted(*steps);
            if (count == 0 || count % layout.tile[d] != 0)
                return std::nullopt;
            counts.push_back(count / layout.tile[d]);
            for (const auto& [variable, step] : *steps) {
                if (inside.extent(variable) <= 1)
                    continue;
                if (!taken.insert(variable).second)
                    return std::nullopt;
                work.digits.push_back(
                    {variable, static_cast<int>(d), step, inside.extent(variable)});
            }
        }
        for (const auto& access : accesses)
            for (std::size_t d = 0; d < access.from.size(); ++d)
                if (known_divisor(inside.base(access.from[d])) %
                        out_.layouts.at(access.stage).tile[d] !=
                    0)
                    return std::nullopt;
        if (!points(work, layout, counts))
            return std::nullopt;
        for (const auto& access : accesses)
            if (!places(work, inside, access))
                return std::nullopt;
        return work;
    }

    static bool points(LaneWork& work, const FragmentLayout& layout,
                       const std::vector<std::int64_t>& counts) {
        const auto registers = static_cast<std::size_t>(layout.operand->registers);
        auto total = registers;
        for (auto count : counts) {
            if (count > static_cast<std::int64_t>(kMostPoints / total))
                return false;
            total *= static_cast<std::size_t>(count);
        }
        std::vector<std::int64_t> tile(counts.size(), 0);
        for (std::size_t e = 0; e < total; ++e) {
            auto number = static_cast<std::int64_t>(e / registers);
            for (auto d = counts.size(); d-- > 0; number /= counts[d])
                tile[d] = number % counts[d];
            auto& values = work.values.emplace_back();
            for (const auto& digit : work.digits) {
                const auto d = static_cast<std::size_t>(digit.dimension);
                auto& lanes = values.emplace_back();
                for (const auto& lane : layout.elements) {
                    const auto axis = layout.axes[d];
                    const auto offset =
                        tile[d] * layout.tile[d] +
                        (axis < 0 ? 0
                                  : layout.within(
                                        d, lane[e % registers][static_cast<std::size_t>(axis)]));
                    lanes.push_back(offset / digit.step % digit.extent);
                }
            }
        }
        return true;
    }

    // Where the points are in the access's fragment: in one tile and one register of the lane itself, for all lanes.
    bool places(LaneWork& work, const InnerLoops& inside, const Access& access) const {
        const auto& layout = out_.layouts.at(access.stage);
        std::vector<std::map<std::string, std::int64_t>> steps;
        for (const auto& form : access.from) {
            auto found = inside.steps(form);
            if (!found)
                return false;
            for (const auto& [variable, step] : *found)
                if (inside.extent(variable) > 1 &&
                    std::none_of(work.digits.begin(), work.digits.end(),
                                 [&](const auto& digit) { return digit.variable == variable; }))
                    return false; // a loop that remains decides which element it is
            steps.push_back(std::move(*found));
        }
        std::vector<LaneWork::Place> out;
        for (std::size_t e = 0; e < work.points(); ++e) {
            auto place = this->place(work, layout, steps, e);
            if (!place)
                return false;
            out.push_back(std::move(*place));
        }
        auto [known, first] = work.places.emplace(access.stage, out);
        return first || known->second == out;
    }

    static std::optional<LaneWork::Place>
    place(const LaneWork& work, const FragmentLayout& layout,
          const std::vector<std::map<std::string, std::int64_t>>& steps, std::size_t e) {
        std::optional<LaneWork::Place> out;
        for (std::size_t lane = 0; lane < layout.elements.size(); ++lane) {
            LaneWork::Place here;
            std::vector<std::int64_t> inside(layout.operand->axes.size(), 0);
            for (std::size_t d = 0; d < steps.size(); ++d) {
                std::int64_t offset = 0;
                for (std::size_t v = 0; v < work.digits.size(); ++v)
                    if (auto step = steps[d].find(work.digits[v].variable); step != steps[d].end())
                        offset += step->second * work.values[e][v][lane];
                here.tile.push_back(offset / layout.tile[d]);
                if (layout.axes[d] >= 0)
                    inside[static_cast<std::size_t>(layout.axes[d])] +=
                        offset % layout.tile[d] * layout.steps[d];
            }
            const auto& own = layout.elements[lane];
            const auto found = std::find(own.begin(), own.end(), inside);
            if (found == own.end())
                return std::nullopt;
            here.r = static_cast<int>(found - own.begin());
            if (out && !(*out == here))
                return std::nullopt;
            out = std::move(here);
        }
        return out;
    }

    // An index of a stage, counted from the first element that its memory holds. Nothing: the memory folds.
    std::optional<LinearForm> relative(const std::string& stage, std::size_t d,
                                       const LinearForm& index) const {
        const auto computed = layout_.stages.find(stage);
        if (computed == layout_.stages.end())
            return resolved(index); // an input
        const auto& stored = computed->second.stored[d];
        if (stored.fold > 0)
            return std::nullopt;
        return resolved(index) - resolved(stored.min);
    }

    // The form with region variables replaced by what they stand for.
    LinearForm resolved(const LinearForm& form) const {
        return with_variables(form, [&](const Atom& atom) -> std::optional<LinearForm> {
            auto region = layout_.region_variables.find(atom.name);
            if (region == layout_.region_variables.end())
                return std::nullopt;
            return resolved(region->second.least);
        });
    }

    const ScheduleTree& tree_;
    const Layout& layout_;
    std::map<std::string, const TreeNode*> stages_; // in fragments
    std::set<std::string> refused_;
    Fragments out_;
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

Fragments find_fragments(const ScheduleTree& tree) { return Finder(tree).run(); }

} // namespace loopscope
