// State -> tree: places every stage's nests where the schedule put them, with the regions that
// region.h inferred. Longer than files are here: one builder, whose kinds of nodes share the layout
// of all nests.

#include "core/base/integer_division.h"
#include "core/schedule/inferred.h"
#include "core/schedule/legality.h"
#include "core/schedule/levels.h"
#include "core/schedule/loop_paths.h"
#include "core/schedule/merging.h"
#include "core/schedule/pipelining.h"
#include "core/schedule/placement.h"
#include "core/schedule/prefetching.h"
#include "core/schedule/region.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/storage.h"
#include "core/schedule/tensorizing.h"
#include "core/schedule/tree.h"
#include "core/schedule/tree_hash.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

namespace loopscope {

namespace {

TreeNodePtr finish(TreeNode node) {
    node.hash = own_hash(node);
    for (const auto& child : node.children)
        node.hash = combine(node.hash, child->hash);
    return std::make_shared<const TreeNode>(std::move(node));
}

// By how much a form's value may change from one iteration of a loop to the next.
Interval step_of(const LinearForm& form, const std::string& variable) {
    Interval sum{0, 0};
    for (const auto& [atom, coefficient] : form.terms()) {
        Interval step{0, 0};
        if (atom->kind == Atom::Kind::Variable) {
            if (atom->name == variable)
                step = {1, 1};
        } else {
            const auto inner = step_of(atom->inner, variable);
            switch (atom->kind) {
            case Atom::Kind::FloorDivide:
                step = {floor_div(inner.least, atom->a), -floor_div(-inner.greatest, atom->a)};
                break;
            case Atom::Kind::Clamp:
                step = {std::min<std::int64_t>(inner.least, 0),
                        std::max<std::int64_t>(inner.greatest, 0)};
                break;
            default:
                if (inner != Interval{0, 0})
                    step = {-atom->a, atom->a};
            }
        }
        const auto one = coefficient * step.least, other = coefficient * step.greatest;
        sum = {sum.least + std::min(one, other), sum.greatest + std::max(one, other)};
    }
    return sum;
}

// In how many iterations of the loop, of which the first counts, the form's value is another than
// before.
struct Moves {
    double count = 1;
    bool exact = true; // else that many at most
};
Moves moves_in(const LinearForm& form, const std::string& variable, Interval range) {
    constexpr std::int64_t kTried = 240; // steps looked at
    const auto steps = range.extent() - 1;
    if (form.is_constant() || steps <= 0)
        return {};
    const auto step = step_of(form, variable);
    if (step.least > 0 || step.greatest < 0)
        return {1 + static_cast<double>(steps)};
    auto at = [&](std::int64_t value) { return at_value(form, variable, LinearForm(value)); };
    const auto far = at(range.greatest) - at(range.least);
    const bool one_way = (step.least >= 0 || step.greatest <= 0) && far.is_constant();
    const auto most = one_way ? std::min(steps, std::abs(far.constant())) : steps;
    if (one_way && step.least >= -1 && step.greatest <= 1)
        return {1 + static_cast<double>(most)};
    if (steps > kTried)
        return {1 + static_cast<double>(most), false};
    Moves moves;
    auto before = at(range.least);
    for (std::int64_t i = 1; i <= steps; ++i) {
        auto now = at(range.least + i);
        moves.count += now == before ? 0 : 1;
        // Loops around may say whether a step is one: (5*yo + yi)/2.
        moves.exact = moves.exact && (now - before).is_constant();
        before = std::move(now);
    }
    return moves;
}

class Builder {
public:
    Builder(const ScheduleState& state, const Layout& layout)
        : state_(state), layout_(layout), groups_(state), paths_(state) {
        for (const auto& stage : state.stages) {
            if (stage->compute.kind == Placement::Kind::At)
                placed_[key(stage->compute.at)].push_back(stage.get());
            else if (stage->compute.kind == Placement::Kind::Root)
                at_root_.push_back(stage.get());
            note_early(*stage);
            note_merges(*stage);
            const auto store = storage_place(state, *stage);
            if (stage->compute.kind != Placement::Kind::At || store == stage->compute)
                continue;
            if (store.kind == Placement::Kind::At)
                placed_[key(store.at)].push_back(stage.get());
            else
                at_root_.push_back(stage.get());
        }
        if (groups_.all().empty())
            return;
        for (const auto& group : groups_.all())
            for (const auto& member : group)
                if (member.first != group.back().first)
                    wrapped_.insert(member.first);
        stand_together(state, groups_, at_root_);
        for (auto& [loop, stages] : placed_)
            stand_together(state, groups_, stages);
    }

    TreeNodePtr root() {
        TreeNode node;
        node.kind = TreeKind::Root;
        for (const auto* stage : at_root_)
            add(*stage, Placement{}, node.children);
        return finish(std::move(node));
    }

private:
    void note_early(const StageState& s) {
        auto layout = layout_.stages.find(s.name);
        if (layout == layout_.stages.end() || layout->second.firsts.empty())
            return;
        // whose nodes it stands in: of a shared loop those of all that share it
        std::set<std::string> outer;
        for (const auto& around : paths_.around(s.name).loops()) {
            outer.insert(around.stage);
            if (const auto* group = groups_.of({around.stage, around.definition}))
                for (const auto& member : *group)
                    outer.insert(member.first);
        }
        for (const auto& stage : outer)
            for (const auto& [variable, first] : layout->second.firsts) {
                auto at = earliest_inside_.try_emplace({stage, variable}, first);
                at.first->second = std::min(at.first->second, first);
            }
    }

    void note_merges(const StageState& s) {
        for (std::size_t d = 0; d < s.definitions.size(); ++d) {
            const auto& with = s.definitions[d].with;
            if (!with)
                continue;
            const DefinitionKey own{s.name, static_cast<int>(d)};
            // The last shared loop, which its host may share with another one in turn.
            const auto path = paths_.around_point(own);
            const auto inside = s.definitions[d].loops.size() - merged_loops(state_, own);
            sharing_[key(path.outer(path.size() - inside).innermost())].push_back(own);
        }
    }

    // The other definitions whose loop at that depth is this one.
    std::vector<DefinitionKey> sharers(const DefinitionKey& own, const LoopRef& loop) {
        std::vector<DefinitionKey> out;
        if (const auto* group = groups_.of(own))
            for (const auto& member : *group)
                if (member != own && paths_.around_point(member).contains(loop))
                    out.push_back(member);
        return out;
    }

    static std::string key(const LoopRef& at) {
        return at.stage + "/" + std::to_string(at.definition) + "/" + std::to_string(at.loop);
    }

    // What is stored or computed at a place.
    void add(const StageState& s, const Placement& here, std::vector<TreeNodePtr>& siblings) {
        if (storage_place(state_, s) == here)
            siblings.push_back(storage_node(s));
        if (s.compute == here && !wrapped_.count(s.name))
            siblings.push_back(stage_node(s));
    }

    // What stage and storage have in common.
    TreeNode common(const StageState& s) {
        const Stage& stage = *layout_.derived->find(s.name);
        TreeNode node;
        node.types = stage.types;
        if (!s.copy_of.empty()) {
            const auto& value = stage.definitions[0].values[0];
            node.copy_of = value->kind == ExprKind::Load ? value->name : s.copy_of;
        }
        node.scope = memory_scope(state_, paths_, s);
        node.is_output = layout_.derived->find_output(s.name) != nullptr;
        node.compute_level = level(s.compute);
        node.store_level = level(storage_place(state_, s));
        node.region.exact = layout_.stages.at(s.name).exact;
        return node;
    }

    NodeId level(const Placement& placement) const {
        if (placement.kind != Placement::Kind::At)
            return {};
        const auto& host = state_.find(placement.at.stage)
                               ->definitions[static_cast<std::size_t>(placement.at.definition)];
        const auto& loop =
            host.loops[static_cast<std::size_t>(host.position_of(placement.at.loop))];
        return {placement.at.stage, placement.at.definition, loop.name};
    }

    TreeNodePtr storage_node(const StageState& s) {
        const Stage& stage = *layout_.derived->find(s.name);
        const auto& layout = layout_.stages.at(s.name);
        TreeNode node = common(s);
        node.kind = TreeKind::Storage;
        node.id = {s.name, -1, "@storage"};
        node.storage_order = s.storage_order;
        node.storage_padding = s.storage_padding;
        if (s.pipeline > 1) {
            node.rotation = s.pipeline;
            node.rotates_with = variable_of(s.compute.at);
            node.producers = s.producer_warpgroups;
        }
        for (std::size_t d = 0; d < stage.variables.size(); ++d) {
            const auto& stored = layout.stored[d];
            Region::Dimension dimension;
            dimension.min = layout_.expr(stored.min);
            dimension.extent = Extent(stored.fold > 0 ? stored.fold : stored.extent);
            dimension.unfolded = stored.fold > 0 ? stored.extent : 0;
            dimension.index = stage.variables[d];
            dimension.variable = minimum_variable(s, stage, layout, d);
            node.region.dimensions.push_back(std::move(dimension));
        }
        return finish(std::move(node));
    }

    TreeNodePtr stage_node(const StageState& s) {
        const Stage& stage = *layout_.derived->find(s.name);
        const auto& layout = layout_.stages.at(s.name);
        TreeNode node = common(s);
        node.kind = TreeKind::Stage;
        node.id = {s.name, -1, "@stage"};
        if (s.pipeline > 1)
            node.producers = s.producer_warpgroups;
        for (std::size_t d = 0; d < stage.variables.size(); ++d) {
            Region::Dimension dimension;
            dimension.min = layout_.expr(layout.region[d].least);
            dimension.extent = Extent(layout.extents[d]);
            dimension.index = stage.variables[d];
            if (!layout.mins[d].is_constant())
                dimension.variable = s.name + "." + stage.variables[d] + ".min";
            node.region.dimensions.push_back(std::move(dimension));
        }
        // Where a stage inside it warms up earlier, its loops run for that one, and its own points
        // wait.
        auto& waiting = waiting_[s.name];
        for (const auto& ref : paths_.around(s.name).loops())
            if (auto run = run_of(s, layout, ref)) {
                // The stage around it runs in no other iterations.
                auto known = running_.find(run->variable);
                if (!run->moved && run->ahead == 0 && known != running_.end() &&
                    known->second >= run->first)
                    continue;
                auto inside = earliest_inside_.find({s.name, run->variable});
                const bool early = inside != earliest_inside_.end() && inside->second < run->first;
                (early ? waiting : node.runs).push_back(std::move(*run));
            }
        const auto outside = running_;
        for (const auto& run : node.runs)
            running_[run.variable] = run.first;
        for (std::size_t d = 0; d < stage.definitions.size(); ++d)
            definition(s, stage, static_cast<int>(d), node.children);
        running_ = outside;
        return finish(std::move(node));
    }

    // A definition's nest. One that shares loops stands where the first of its group stands, and
    // the stages that come before the last one of a group inside of that: so each stage's other
    // definitions keep their places around it.
    void definition(const StageState& s, const Stage& stage, int d, std::vector<TreeNodePtr>& out) {
        const DefinitionKey itself{s.name, d};
        const auto* members = groups_.of(itself);
        if (!members) {
            nest(s, stage, d, 0, out);
            return;
        }
        const auto own = std::find(members->begin(), members->end(), itself);
        if (own == members->begin()) {
            const auto head = merge_head(state_, itself);
            nest(*state_.find(head.first), *layout_.derived->find(head.first), head.second, 0, out);
        } else if (const auto& before = std::prev(own)->first;
                   before != s.name && inside_.insert(before).second) {
            // The node of the first of several groups of the same stages: the others run in it.
            out.push_back(stage_node(*state_.find(before)));
        }
    }

    const std::string& variable_of(const LoopRef& ref) const {
        auto position = state_.find(ref.stage)
                            ->definitions[static_cast<std::size_t>(ref.definition)]
                            .position_of(ref.loop);
        return layout_.stages.at(ref.stage)
            .nests[static_cast<std::size_t>(ref.definition)]
            .variables[static_cast<std::size_t>(position)];
    }

    std::int64_t begin_of(const std::string& variable) const {
        auto begin = layout_.starts.find(variable);
        return begin == layout_.starts.end() ? 0 : begin->second;
    }

    // The iterations of a loop around a stage in which it runs; nothing: all.
    std::optional<PartialRun> run_of(const StageState& s, const StageLayout& layout,
                                     const LoopRef& ref) const {
        PartialRun run;
        run.variable = variable_of(ref);
        if (s.pipeline > 1 && ref == s.compute.at)
            run.ahead = s.pipeline - 1;
        if (auto first = layout.firsts.find(run.variable); first != layout.firsts.end())
            run.first = first->second;
        const auto end = layout_.loop_extents.at(run.variable);
        run.end = end;
        run.count = static_cast<double>(end - run.first);
        auto moves = layout.moves.find(run.variable);
        if (moves == layout.moves.end())
            return run.ahead > 0 || run.first > begin_of(run.variable) ? std::optional(run)
                                                                       : std::nullopt;
        const Interval range{run.first, end - 1};
        const auto before = at_value(moves->second, run.variable,
                                     variable_form(run.variable, range) - LinearForm(1));
        run.moved = binary(
            Op::LogicalOr,
            binary(Op::Equal, variable(run.variable), constant_int(ScalarType::I32, run.first)),
            binary(Op::NotEqual, layout_.expr(moves->second), layout_.expr(before)));
        const auto in = moves_in(moves->second, run.variable, range);
        run.count = in.count;
        run.exact = in.exact;
        return run;
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
        // The initialisation runs just before the outermost reduction loop, over the loops inside
        // that one.
        if (reduction && loop.reduction &&
            std::none_of(definition.loops.begin(),
                         definition.loops.begin() + static_cast<std::ptrdiff_t>(depth),
                         [](const LoopState& l) { return l.reduction; }))
            init_nest(s, stage, d, depth, out);
        const auto& layout = layout_.stages.at(s.name).nests[static_cast<std::size_t>(d)];
        TreeNode node = loop_node(s.name, d, loop, layout.extents[depth], layout.variables[depth]);
        node.tails = layout.tails[depth];
        node.begin = begin_of(node.variable);
        if (depth == definition.tensorized_from())
            node.tensor = tensor_call(state_, layout_, {s.name, d}, false,
                                      [&](const LinearForm& form) { return layout_.expr(form); });
        for (const auto& prefetch : definition.prefetches)
            if (prefetch.loop == loop.id)
                node.prefetches.push_back(prefetch_of(state_, layout_, {s.name, d}, prefetch));
        for (const auto& [name, other] : sharers({s.name, d}, {s.name, d, loop.id})) {
            const auto& shares = state_.find(name)->definitions[static_cast<std::size_t>(other)];
            for (const auto& prefetch : shares.prefetches)
                if (prefetch.loop == shares.loops[depth].id)
                    node.prefetches.push_back(
                        prefetch_of(state_, layout_, {name, other}, prefetch));
        }
        node.extent = Extent(layout.extents[depth] - node.begin);
        if (auto placed = placed_.find(key({s.name, d, loop.id})); placed != placed_.end())
            for (const auto* producer : placed->second)
                add(*producer, {Placement::Kind::At, {s.name, d, loop.id}}, node.children);
        auto inside = std::vector<DefinitionKey>{{s.name, d}};
        if (auto sharing = sharing_.find(key({s.name, d, loop.id})); sharing != sharing_.end()) {
            inside.insert(inside.end(), sharing->second.begin(), sharing->second.end());
            std::sort(inside.begin(), inside.end(), [&](const auto& a, const auto& b) {
                return std::pair(state_.index_of(a.first), a.second) <
                       std::pair(state_.index_of(b.first), b.second);
            });
        }
        for (const auto& [name, definition] : inside)
            nest(*state_.find(name), *layout_.derived->find(name), definition, depth + 1,
                 node.children);
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
            if (is_outermost_tensorized(definition, p, depth))
                node.tensor =
                    tensor_call(state_, layout_, {s.name, d}, true, [&](const LinearForm& form) {
                        return init_expr(form, layout, depth);
                    });
            node.init = true;
            node.children.push_back(body);
            body = finish(std::move(node));
        }
        out.push_back(body);
    }

    // Whether loop p is the outermost of one instruction's loops among the copies of loops that
    // initialise.
    static bool is_outermost_tensorized(const DefinitionState& nest, std::size_t p,
                                        std::size_t depth) {
        const auto from = nest.tensorized_from();
        return from >= depth && p >= from &&
               std::all_of(nest.loops.begin() + static_cast<std::ptrdiff_t>(from),
                           nest.loops.begin() + static_cast<std::ptrdiff_t>(p),
                           [](const LoopState& loop) { return loop.reduction; });
    }

    // In the initialisation the loops inside the outermost reduction loop are copies with names of
    // their own.
    ExprPtr init_expr(const LinearForm& form, const NestLayout& layout, std::size_t depth) const {
        const auto from = layout.variables.begin() + static_cast<std::ptrdiff_t>(depth);
        return substitute(layout_.expr(form), [&](const std::string& name) -> ExprPtr {
            return std::find(from, layout.variables.end(), name) != layout.variables.end()
                       ? variable(name + ".init")
                       : nullptr;
        });
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
        node.numbers = loop.numbers;
        node.persistent = loop.persistent;
        node.reduction = loop.reduction;
        return node;
    }

    // Is what the definition stores read soon after, and hence better kept in the caches? By those
    // that follow it in each iteration of the loop at which it lives, by itself, or by the next
    // step of what accumulates in memory.
    bool read_again(const Stage& stage, const DefinitionState& state, int d) const {
        const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
        if (state_.find(stage.name)->store.kind == Placement::Kind::At ||
            loopscope::reads(definition, stage.name))
            return true;
        bool combines =
            definition.kind == DefinitionKind::Reduction ||
            (definition.kind == DefinitionKind::Update && definition.update != UpdateOp::Assign);
        bool reduction = false, through_memory = false;
        for (const auto& loop : state.loops) {
            through_memory = through_memory ||
                             (reduction && !loop.reduction &&
                              (loop.kind == LoopKind::Serial || loop.kind == LoopKind::Parallel));
            reduction = reduction || loop.reduction;
        }
        return combines && through_memory;
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
        node.compute.non_temporal = state.non_temporal;
        node.compute.read_again = state.non_temporal && read_again(stage, state, d);
        auto expr = [&](const LinearForm& form) {
            return init ? init_expr(form, layout, init_depth) : layout_.expr(form);
        };
        // Producers warm up in iterations of which the definition itself takes no part.
        node.runs = waiting_[stage.name];
        const auto around = init ? init_depth : layout.variables.size();
        for (std::size_t p = 0; p < around; ++p)
            if (begin_of(layout.variables[p]) < 0)
                node.runs.push_back({layout.variables[p], 0, 0, layout.extents[p], nullptr,
                                     static_cast<double>(layout.extents[p])});
        std::size_t count = init ? definition.free.size() : layout.axes.size();
        for (std::size_t a = 0; a < count; ++a)
            node.compute.axes.emplace_back(layout.axes[a].first, expr(layout.axes[a].second));
        for (const auto& guard : layout.guards)
            if (!(init && guard.reduction))
                node.compute.guards.push_back(binary(Op::Less, expr(guard.value),
                                                     constant_int(ScalarType::I32, guard.limit)));
        for (const auto& loop : state.loops)
            if (loop.kind == LoopKind::Vectorized && !(init && loop.reduction))
                node.compute.vectorized = true;
        return finish(std::move(node));
    }

    const ScheduleState& state_;
    const Layout& layout_;
    // By stage and a loop around it: the first iteration in which something inside it runs, of
    // those that warm up.
    std::map<std::pair<std::string, std::string>, std::int64_t> earliest_inside_;
    // loop -> the first iteration of it in which the stages around run
    std::map<std::string, std::int64_t> running_;
    std::map<std::string, std::vector<PartialRun>> waiting_; // by stage: for its points
    // by loop: who shares it and those around it
    std::map<std::string, std::vector<DefinitionKey>> sharing_;
    MergeGroups groups_; // of definitions that share loops
    LoopPaths paths_;
    std::set<std::string> wrapped_; // stages that stand inside the last one of their group
    std::set<std::string> inside_;  // of those: their nodes are made
    std::map<std::string, std::vector<const StageState*>> placed_;
    std::vector<const StageState*> at_root_;
};

} // namespace

// Loops in whose iterations something is computed ahead begin that much earlier. What is needed
// does not grow by that: of each stage there it is computed for iterations that the loop has. Where
// it has none, there is nothing to be ahead of.
static void add_iterations_ahead(const ScheduleState& state, Layout& layout) {
    layout.starts = layout.begins;
    for (const auto& stage : state.stages) {
        const auto own = layout.stages.find(stage->name);
        if (stage->pipeline < 2 || stage->compute.kind != Placement::Kind::At ||
            own == layout.stages.end())
            continue;
        const auto& at = stage->compute.at;
        const auto& nest = nest_of(state, {at.stage, at.definition});
        const auto& variable = layout.stages.at(at.stage)
                                   .nests[static_cast<std::size_t>(at.definition)]
                                   .variables[static_cast<std::size_t>(nest.position_of(at.loop))];
        if (layout.loop_extents.at(variable) <= 0)
            continue;
        const auto first = own->second.firsts.find(variable);
        auto& begin = layout.starts[variable];
        begin = std::min(begin, (first == own->second.firsts.end() ? 0 : first->second) -
                                    (stage->pipeline - 1));
    }
}

Result<ScheduleTreePtr> build_tree(ScheduleState state, const ScheduleTree* known) {
    if (known && known->pipeline == state.pipeline)
        state.inferred = known->state.inferred;
    auto layout = inferred_layout(state);
    if (!layout)
        return layout.errors();
    add_iterations_ahead(state, *layout);
    // Lines hold them; a state that was made otherwise may not.
    if (auto instructions = check_tensorized(state); !instructions)
        return instructions.errors();
    const auto& derivation = *state.inferred->boxes->derivation;
    auto tree = std::make_shared<ScheduleTree>();
    tree->pipeline = state.pipeline;
    tree->derived = derivation.pipeline;
    tree->stages = derived_stages(state, derivation);
    for (auto& stage : tree->stages)
        if (auto box = layout->boxes.find(stage.stage.name); box != layout->boxes.end())
            stage.box = box->second;
    for (const auto& stage : tree->derived->stages)
        if (stage.is_input)
            tree->input_boxes[stage.name] = layout->boxes[stage.name];
    tree->root = Builder(state, *layout).root();
    tree->index_nodes();
    tree->layout = std::make_shared<const Layout>(std::move(*layout));
    tree->state = std::move(state);
    return ScheduleTreePtr(std::move(tree));
}

} // namespace loopscope
