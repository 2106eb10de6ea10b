// Schedule tree -> loop program (build.h). Longer than files are here: one walk over the tree, each
// of whose steps calls the others, with what is in scope.
#include "compiler/lower/build.h"

#include "compiler/lower/build_inputs.h"
#include "compiler/lower/build_nodes.h"
#include "compiler/lower/build_places.h"
#include "compiler/lower/build_prefetches.h"
#include "compiler/lower/build_reduction.h"
#include "compiler/lower/build_stores.h"
#include "compiler/lower/gpu/build_fragments.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/size_limit.h"
#include "compiler/lower/statements.h"
#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/persistence.h"
#include "core/schedule/gpu/swizzling.h"
#include "core/schedule/storage.h"
#include "core/schedule/tree_search.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

namespace loopscope::lower {

namespace {

// The program without its launches: symbols and arguments.
Program interface(const ScheduleTree& tree) {
    Program program;
    program.name = tree.pipeline->name;
    for (const auto& symbol : tree.pipeline->symbols)
        program.symbols.push_back(symbol.name);
    for (const auto& stage : tree.derived->stages) {
        if (!stage.is_input)
            continue;
        Argument a{stage.name, Role::Input, stage.types[0], stage.extents, {}, stage.extents};
        a.mins.assign(stage.extents.size(), 0);
        program.arguments.push_back(std::move(a));
    }
    for (const auto& output : tree.derived->outputs) {
        const auto* stage = tree.find_stage(output.stage);
        for (std::size_t c = 0; c < stage->stage.types.size(); ++c) {
            Argument a{component_buffer(stage->stage, c),
                       Role::Output,
                       stage->stage.types[c],
                       {},
                       {},
                       output.extents};
            for (const auto& interval : stage->box) {
                a.extents.emplace_back(interval.extent());
                a.mins.push_back(interval.least);
            }
            program.arguments.push_back(std::move(a));
        }
    }
    return program;
}

class ProgramBuilder {
public:
    explicit ProgramBuilder(const ScheduleTree& tree) : tree_(tree), inputs_(tree, false) {}
    // For a device: `copies` of the memory of stages that are pipelined, of a tree in which none
    // is.
    ProgramBuilder(const ScheduleTree& tree, Mapping mapping, std::map<std::string, int> copies,
                   std::map<NodeId, std::int64_t> blocks)
        : tree_(tree),
          inputs_(tree, true),
          copies_(std::move(copies)),
          blocks_(std::move(blocks)),
          mapping_(std::move(mapping)) {}

    Program run() {
        auto program = interface(tree_);
        if (mapping_) {
            launches(program);
            return program;
        }
        Launch launch;
        launch.name = program.name;
        for (const auto& argument : program.arguments)
            launch.arguments.push_back(argument.buffer);
        launch.body = sequence(tree_.root->children, 0);
        program.launches.push_back(std::move(launch));
        return program;
    }

private:
    // Memory of the device, then what computes in it.
    void launches(Program& program) {
        device_storage(tree_.root->children, program);
        for (const auto& launch : mapping_->launches) {
            std::vector<StatementPtr> parts;
            for (const auto* node : launch.nodes)
                parts.push_back(statement(*node));
            program.launches.push_back(
                device_launch(program, launch.name, block(std::move(parts))));
        }
    }

    void device_storage(const std::vector<TreeNodePtr>& nodes, Program& program) {
        for (const auto& node : nodes)
            if (node->kind == TreeKind::Storage)
                device_storage(*node, program);
            else if (node->kind == TreeKind::Stage)
                device_storage(node->children, program);
    }

    void device_storage(const TreeNode& node, Program& program) {
        if (empty(node)) {
            empty_.insert(node.id.stage);
            return;
        }
        enter(node);
        if (node.is_output)
            return;
        const auto& stage = tree_.find_stage(node.id.stage)->stage;
        for (std::size_t c = 0; c < stage.types.size(); ++c)
            program.buffers.push_back(
                {component_buffer(stage, c), stage.types[c], memory_extents(node)});
    }

    // Storage order, with padding.
    static std::vector<Extent> memory_extents(const TreeNode& storage) {
        const auto padded = storage_extents(storage);
        std::vector<Extent> extents;
        for (auto d : storage_order(storage))
            extents.emplace_back(padded[d]);
        return extents;
    }

    // Statements of siblings from `from` on: storage encloses all that follows it.
    StatementPtr sequence(const std::vector<TreeNodePtr>& nodes, std::size_t from) {
        std::vector<StatementPtr> out;
        for (std::size_t i = from; i < nodes.size(); ++i) {
            const auto& node = *nodes[i];
            if (node.kind == TreeKind::Storage) {
                if (empty(node)) {
                    empty_.insert(node.id.stage);
                    continue;
                }
                enter(node);
                auto rest = sequence(nodes, i + 1);
                out.push_back(storage(node, rest));
                return block(std::move(out));
            }
            out.push_back(statement(node));
        }
        return block(std::move(out));
    }

    static bool empty(const TreeNode& storage) {
        const auto& dimensions = storage.region.dimensions;
        return std::any_of(dimensions.begin(), dimensions.end(),
                           [](const auto& d) { return d.extent.hint() <= 0; });
    }

    // The walk comes to a stage's memory.
    void enter(const TreeNode& node) {
        auto order = storage_order(node);
        if (in_fragments(node)) // in the lanes' registers there is no order
            std::iota(order.begin(), order.end(), 0);
        if (is_shared(node)) {
            const auto& stage = tree_.find_stage(node.id.stage)->stage;
            for (std::size_t c = 0; c < stage.types.size(); ++c)
                shared_[component_buffer(stage, c)] = memory_extents(node);
        }
        places_.enter(node, std::move(order));
    }

    StatementPtr storage(const TreeNode& node, StatementPtr rest) {
        if (!node.is_output) {
            auto extents = memory_extents(node);
            // On a CPU it is a hint, of the language's words.
            auto scope = mapping_ ? node.scope : device::language_scope(node.scope.name);
            if (in_fragments(node)) {
                extents = fragment_extents(mapping_->fragments.layouts.at(node.id.stage));
                scope = device::registers();
            }
            if (node.rotation > 1)
                extents.insert(extents.begin(), Extent(node.rotation));
            const auto& stage = tree_.find_stage(node.id.stage)->stage;
            const auto copies = copies_.find(node.id.stage);
            for (std::size_t c = stage.types.size(); c-- > 0;) {
                rest = allocate(node.id, component_buffer(stage, c), stage.types[c], extents, scope,
                                std::move(rest));
                if (copies != copies_.end())
                    rest = edited(rest, [&](Statement& s) {
                        s.storage->rotation.slot_count = copies->second;
                        s.storage->rotation.producers =
                            static_cast<int>(tree_.state.find(node.id.stage)->producer_warpgroups);
                    });
                if (const auto pattern = swizzled(node, stage.types[c]))
                    rest = edited(rest, [&](Statement& s) {
                        s.storage->swizzle = static_cast<int>(pattern->bytes());
                        s.storage->alignment = static_cast<int>(pattern->alignment());
                    });
            }
        }
        return node.rotation > 1 ? rest : places_.with_minima(node, std::move(rest));
    }

    // Whether a block shares the stage, or its memory.
    bool is_shared(const TreeNode& node) const {
        return mapping_ && node.scope.shared_by == device::Unit::Block;
    }

    // On a CPU it is a hint.
    std::optional<Swizzling> swizzled(const TreeNode& node, ScalarType component) const {
        const auto* state = tree_.state.find(node.id.stage);
        return is_shared(node) && state && state->swizzled ? swizzling(node, component)
                                                           : std::nullopt;
    }

    StatementPtr statement(const TreeNode& node) {
        switch (node.kind) {
        case TreeKind::Loop: return loop(node);
        case TreeKind::Compute: return compute(node, nullptr);
        case TreeKind::Stage: return stage(node);
        default: return sequence(node.children, 0);
        }
    }

    // A stage that is stored elsewhere has minima of its own, and may leave out iterations of the
    // loops around it.
    StatementPtr stage(const TreeNode& node) {
        // it computes nothing, and nothing holds it
        if (empty_.count(node.id.stage) && !hosts_others(node))
            return block({});
        const bool outside = !(node.store_level == node.compute_level);
        const bool rotates = places_.rotates(node.id.stage);
        if (outside && !rotates)
            places_.note_minima(node.region);
        const auto mapped = mapping_ ? mapping_->of(node.id.stage) : StageMapping();
        auto body = mapped.cooperative ? divided(node) : sequence(node.children, 0);
        if (mapped.of_block && !mapped.cooperative)
            body =
                edited(for_loop(node.id, node.id.stage + ".block", constant_int(ScalarType::I32, 0),
                                constant_int(ScalarType::I32, 1), ForKind::Bound, body),
                       [](Statement& s) { s.loop->level = kBlockLevel; });
        if (outside && !rotates)
            body = places_.with_minima(node, std::move(body));
        for (const auto& run : node.runs)
            if (run.ahead > 0)
                body = later(body, run);
        auto runs = run_condition(node);
        return runs ? if_then(node.id, runs, std::move(body)) : body;
    }

    // Are its loops shared with a stage of which something is needed?
    bool hosts_others(const TreeNode& node) const {
        return any_node(node, [this](const TreeNode& each) {
            return each.kind == TreeKind::Compute && empty_.count(each.id.stage) == 0;
        });
    }

    // Threads take points of the pure definition, or of the reduction; updates, whose order counts,
    // run in one thread.
    StatementPtr divided(const TreeNode& stage) {
        std::vector<StatementPtr> parts;
        for (const auto& child : stage.children) {
            auto part = statement(*child);
            if (!has_instruction(*child) && !is_divided(*child)) // no work of warps, and one's
                part = among_threads(for_loop(
                    stage.id, child->id.text() + ".thread", constant_int(ScalarType::I32, 0),
                    constant_int(ScalarType::I32, 1), ForKind::Bound, std::move(part)));
            parts.push_back(std::move(part));
        }
        return block(std::move(parts));
    }

    static StatementPtr among_threads(const StatementPtr& loop) {
        return edited(loop, [](Statement& s) {
            s.loop->kind = ForKind::Bound;
            s.loop->level = kThreadsLevel;
        });
    }

    // Is a loop of the nest divided among threads?
    bool is_divided(const TreeNode& nest) const {
        return nest.kind == TreeKind::Loop &&
               (mapping_->of(nest).role == LoopRole::Divided ||
                std::any_of(nest.children.begin(), nest.children.end(),
                            [this](const auto& child) { return is_divided(*child); }));
    }

    ForKind kind_of(const TreeNode& node) const {
        if (!node.binding.empty()) // under a CPU target bindings are plain loops
            return mapping_ ? ForKind::Bound : ForKind::Serial;
        switch (node.loop_kind) {
        case LoopKind::Parallel: // threads of a device are bound
            return mapping_ ? ForKind::Serial : ForKind::Parallel;
        case LoopKind::Unrolled: return ForKind::Unrolled;
        case LoopKind::Vectorized: return ForKind::Vectorized;
        default: return ForKind::Serial;
        }
    }

    StatementPtr loop(const TreeNode& node) {
        // what it would read may have no storage
        if (node.extent.hint() <= 0)
            return block({});
        if (mapping_ && node.tensor)
            return tensor(node);
        if (const auto* work = divided_among_lanes(node))
            return by_lanes(node, *work);
        if (mapping_ && !across_.count({node.id.stage, node.id.definition}) &&
            reduces_across_threads(node))
            if (const auto* step = step_below(node); step && !step->compute.atomic)
                return across_threads(node, *step);
        const bool divide = mapping_ && mapping_->of(node).role == LoopRole::Divided;
        auto make = [&](StatementPtr body) {
            auto made = for_loop(node.id, node.variable, constant_int(ScalarType::I32, node.begin),
                                 constant_int(ScalarType::I32, node.extent.hint()), kind_of(node),
                                 std::move(body));
            if (divide)
                return among_threads(made);
            return made->loop->kind == ForKind::Bound
                       ? edited(made,
                                [&](Statement& s) {
                                    s.loop->level = launch_level(node);
                                    if (auto found = blocks_.find(node.id); found != blocks_.end())
                                        s.loop->run_by = found->second;
                                })
                       : made;
        };
        auto ahead = loop_prefetches(node, scope());
        bool leaf = node.children.size() == 1 && node.children[0]->kind == TreeKind::Compute;
        if (leaf && node.loop_kind == LoopKind::Vectorized) {
            // Vector loads of an input with a boundary would be gathers of clamped indices. Where
            // all lanes are inside, which a test before the vector decides, the boundary falls
            // away.
            Interior interior{node.variable, node.extent.hint(), nullptr};
            auto fast = compute(*node.children[0], &interior);
            if (interior.condition)
                return if_then(
                    node.id, interior.condition, make(std::move(fast)),
                    renamed_copy(make(compute(*node.children[0], nullptr)), node.variable));
            return make(std::move(fast));
        }
        return make(block({ahead, sequence(node.children, 0)}));
    }

    bool in_fragments(const TreeNode& storage) const {
        return mapping_ && mapping_->fragments.layouts.count(storage.id.stage) > 0;
    }

    StatementPtr tensor(const TreeNode& node) {
        auto made = tensor_instruction(node, mapping_->fragments, fragment_scope());
        const auto* point = &node;
        std::vector<std::string> inside;
        const bool initializes = node.tensor->initializes;
        while (point->kind == TreeKind::Loop) {
            inside.push_back(point->variable);
            // Where the sum begins inside, the step is the last of the children.
            point = initializes ? point->children.front().get() : point->children.back().get();
        }
        // Whole tiles are guarded, by what does not change inside.
        ExprPtr guard = run_condition(*point);
        for (const auto& g : point->compute.guards) {
            auto first = substitute(places_.resolved(g), [&](const std::string& name) -> ExprPtr {
                return std::find(inside.begin(), inside.end(), name) == inside.end()
                           ? nullptr
                           : constant_int(ScalarType::I32, 0);
            });
            guard = guard ? binary(Op::LogicalAnd, guard, first) : first;
        }
        return guard ? if_then(node.id, guard, std::move(made)) : made;
    }

    const LaneWork* divided_among_lanes(const TreeNode& node) const {
        if (!mapping_ || in_lanes_)
            return nullptr;
        const auto& work = mapping_->fragments.work;
        const auto found = work.find({node.id.stage, node.id.definition});
        return found == work.end() || !(found->second.from == node.id) ? nullptr : &found->second;
    }

    StatementPtr by_lanes(const TreeNode& node, const LaneWork& work) {
        in_lanes_ = true;
        auto plain = loop(node);
        in_lanes_ = false;
        return lane_work(node, work, mapping_->fragments, plain, fragment_scope());
    }

    FragmentScope fragment_scope() {
        return {[this](const ExprPtr& e) { return lowered(places_.resolved(e), {}, nullptr); },
                [this](const std::string& stage, const std::vector<ExprPtr>& indices) {
                    std::vector<ExprPtr> in_program;
                    for (const auto& index : indices)
                        in_program.push_back(places_.resolved(index));
                    return places_.relative(stage, in_program);
                },
                [this](const ExprPtr& e) { return places_.spelled_out(e); },
                [this](const std::string& buffer) -> const std::vector<Extent>* {
                    auto found = shared_.find(buffer);
                    return found == shared_.end() ? nullptr : &found->second;
                },
                names_made_};
    }

    StatementPtr across_threads(const TreeNode& node, const TreeNode& step) {
        const auto& info = step.compute;
        // What it reads and is computed in it may be such a reduction, too.
        const auto entered = across_.insert({node.id.stage, node.id.definition}).first;
        auto nest = loop(node);
        across_.erase(entered);
        std::vector<ExprPtr> indices;
        const auto& stage = *tree_.find_stage(info.stage);
        for (const auto& v : stage.stage.variables)
            for (const auto& [axis, value] : info.axes)
                if (axis == v)
                    indices.push_back(places_.resolved(value));
        // What guards the point itself; of a term is cared for inside.
        const auto inside = loop_variables(node);
        auto conditions = run_conditions(step);
        for (const auto& g : info.guards)
            conditions.push_back(places_.resolved(g));
        ExprPtr guard;
        for (const auto& condition : conditions)
            if (std::none_of(inside.begin(), inside.end(),
                             [&](const auto& name) { return uses_variable(condition, name); }))
                guard = both(guard, condition);
        return reduced_across(node.id, stage, info.definition,
                              places_.relative(info.stage, indices), nest, reduction_levels(node),
                              guard);
    }

    BuildScope scope() {
        return {tree_, [this](const ExprPtr& e) { return places_.resolved(e); },
                [this](const std::string& stage, const std::vector<ExprPtr>& indices) {
                    return places_.relative(stage, indices);
                },
                [this](const std::string& stage) { return empty_.count(stage) > 0; }};
    }

    // A definition's expression in loop variables, with loads relative to their buffers.
    ExprPtr lowered(const ExprPtr& e, const ComputeInfo& info, Interior* interior) {
        std::unordered_map<std::string, ExprPtr> values;
        for (const auto& [axis, value] : info.axes)
            values[axis] = places_.resolved(value);
        auto placed = substitute(e, [&](const std::string& name) -> ExprPtr {
            auto it = values.find(name);
            return it == values.end() ? nullptr : it->second;
        });
        return rewrite(placed, [&](const ExprPtr& node) -> ExprPtr {
            if (node->kind != ExprKind::Load)
                return node;
            const Stage* source = tree_.derived->find(node->name);
            if (source->is_input)
                return inputs_.load(*node, *source, interior);
            return load(component_buffer(*source, static_cast<std::size_t>(node->component)),
                        node->type, places_.relative(node->name, node->args), 0, node->where);
        });
    }

    StatementPtr compute(const TreeNode& node, Interior* interior) {
        // in loops that it shares with others
        if (empty_.count(node.id.stage))
            return block({});
        const auto& info = node.compute;
        const auto& stage = *tree_.find_stage(info.stage);
        const auto& definition = stage.stage.definitions[static_cast<std::size_t>(info.definition)];
        std::vector<ExprPtr> indices;
        if (definition.kind == DefinitionKind::Update) {
            for (const auto& left : definition.left)
                indices.push_back(lowered(left, info, interior));
        } else {
            for (const auto& v : stage.stage.variables)
                for (const auto& [axis, value] : info.axes)
                    if (axis == v)
                        indices.push_back(places_.resolved(value));
        }
        indices = places_.relative(info.stage, indices);
        std::vector<ExprPtr> values;
        if (info.role == ComputeRole::Init)
            values = reduction_identity(definition.reduction, stage.stage.types);
        else
            for (const auto& value : definition.values)
                values.push_back(lowered(value, info, interior));
        auto body = point_stores({node.id, stage, info, std::move(indices), std::move(values)},
                                 names_made_);
        if (info.non_temporal)
            body = as_streaming(body, true);
        if (definition.condition && info.role != ComputeRole::Init)
            body = if_then(node.id, lowered(definition.condition, info, interior), std::move(body));
        ExprPtr guard = run_condition(node);
        for (const auto& g : info.guards)
            guard =
                guard ? binary(Op::LogicalAnd, guard, places_.resolved(g)) : places_.resolved(g);
        return guard ? if_then(node.id, guard, std::move(body)) : body;
    }

    const ScheduleTree& tree_;
    const InputLoads inputs_;
    std::map<std::string, int> copies_;
    std::map<NodeId, std::int64_t> blocks_; // of persistent loops
    std::optional<Mapping> mapping_;        // none: for a CPU
    bool in_lanes_ = false;                 // inside of loops that lanes divide among themselves
    std::map<std::string, std::vector<Extent>> shared_; // buffers of a block
    // definitions inside of whose shared reductions this is
    std::set<std::pair<std::string, int>> across_;
    Places places_;
    std::set<std::string> empty_; // stages of which nothing is needed
    int names_made_ = 0;          // of tuples' values
};

} // namespace

Result<Program> build(const ScheduleTree& tree) {
    if (auto size = check_size(tree); !size)
        return size.errors();
    return ProgramBuilder(tree).run();
}

Result<Program> build_for_device(const ScheduleTree& tree, const device::Device& device) {
    if (auto size = check_size(tree); !size)
        return size.errors();
    std::map<std::string, int> copies;
    auto state = tree.state;
    for (const auto& stage : tree.state.stages)
        if (stage->pipeline > 1) {
            copies[stage->name] = static_cast<int>(stage->pipeline);
            state.edit(stage->name).pipeline = 0; // later, by passes
        }
    auto mapping = map_to_gpu(tree);
    auto blocks = persistent_blocks(mapping, device);
    if (copies.empty())
        return ProgramBuilder(tree, std::move(mapping), {}, std::move(blocks)).run();
    auto plain = build_tree(state);
    if (!plain)
        return plain.errors();
    return ProgramBuilder(**plain, map_to_gpu(**plain), std::move(copies), std::move(blocks)).run();
}

} // namespace loopscope::lower
