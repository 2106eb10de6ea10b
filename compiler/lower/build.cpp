// Schedule tree -> loop program (build.h). Longer than files are here: one walk over the tree, whose parts share what is in
// scope: where memory begins, which copies rotate, which minima have names.
#include "compiler/lower/build.h"

#include "compiler/lower/build_fragments.h"
#include "compiler/lower/build_prefetches.h"
#include "compiler/lower/build_reduction.h"
#include "compiler/lower/build_stores.h"
#include "compiler/lower/launch.h"
#include "compiler/lower/size_limit.h"
#include "compiler/lower/statements.h"
#include "core/ir/range.h"
#include "core/schedule/persistence.h"
#include "core/schedule/region.h"
#include "core/schedule/storage.h"
#include "core/schedule/swizzling.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

namespace loopscope::lower {

namespace {

bool mentions(const ExprPtr& e, const std::string& name) {
    bool found = false;
    visit(e, [&](const Expr& node) {
        found = found || (node.kind == ExprKind::Variable && node.name == name);
        return !found;
    });
    return found;
}

class ProgramBuilder {
public:
    explicit ProgramBuilder(const ScheduleTree& tree) : tree_(tree) {}
    // For a device: `copies` of the memory of stages that are pipelined, of a tree in which none is.
    ProgramBuilder(const ScheduleTree& tree, std::map<std::string, int> copies,
                   std::map<NodeId, std::int64_t> blocks)
        : tree_(tree),
          device_(true),
          copies_(std::move(copies)),
          blocks_(std::move(blocks)),
          fragments_(find_fragments(tree)) {}

    Program run() {
        auto program = interface();
        if (device_) {
            launches(tree_.root->children, program);
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
    Program interface() const {
        Program program;
        program.name = tree_.pipeline->name;
        for (const auto& symbol : tree_.pipeline->symbols)
            program.symbols.push_back(symbol.name);
        for (const auto& stage : tree_.derived->stages) {
            if (!stage.is_input)
                continue;
            Argument a{stage.name, Role::Input, stage.types[0], stage.extents, {}, stage.extents};
            a.mins.assign(stage.extents.size(), 0);
            program.arguments.push_back(std::move(a));
        }
        for (const auto& output : tree_.derived->outputs) {
            const auto* stage = tree_.find_stage(output.stage);
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

    // One launch for each definition that is at root, or for those that share loops there.
    void launches(const std::vector<TreeNodePtr>& nodes, Program& program) {
        for (std::size_t i = 0; i < nodes.size();) {
            const auto& node = *nodes[i];
            if (node.kind == TreeKind::Storage) {
                device_storage(node, program);
                ++i;
            } else if (node.kind == TreeKind::Stage) {
                if (!empty_.count(node.id.stage) || hosts_others(node))
                    launches(node.children, program);
                ++i;
            } else {
                std::vector<StatementPtr> parts;
                const auto& id = node.id;
                for (; i < nodes.size() && nodes[i]->kind != TreeKind::Stage &&
                       nodes[i]->kind != TreeKind::Storage &&
                       nodes[i]->id.definition == id.definition;
                     ++i)
                    parts.push_back(statement(*nodes[i]));
                program.launches.push_back(device_launch(
                    program, definition_name(id.stage, id.definition), block(std::move(parts))));
            }
        }
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

    // Where each dimension of the stage's buffer begins, for the loads and stores inside.
    void enter(const TreeNode& node) {
        orders_[node.id.stage] = storage_order(node);
        if (in_fragments(node)) // in the lanes' registers there is no order
            std::iota(orders_[node.id.stage].begin(), orders_[node.id.stage].end(), 0);
        if (device_ && node.scope == "shared") {
            const auto& stage = tree_.find_stage(node.id.stage)->stage;
            for (std::size_t c = 0; c < stage.types.size(); ++c)
                shared_[component_buffer(stage, c)] = memory_extents(node);
        }
        auto& places = places_[node.id.stage];
        places.clear();
        rotations_.erase(node.id.stage);
        if (node.rotation > 1) {
            // Its minima are those of two iterations, the one that computes and the one that uses: no name stands for both.
            for (const auto& d : node.region.dimensions)
                if (!d.variable.empty())
                    plain_[d.variable] = resolved(d.min);
            rotations_[node.id.stage] = binary(Op::Modulo, variable(node.rotates_with),
                                               constant_int(ScalarType::I32, node.rotation));
        }
        for (const auto& d : node.region.dimensions)
            places.push_back({node.rotation > 1 || d.variable.empty() || is_plain(d.min)
                                  ? resolved(d.min)
                                  : variable(d.variable),
                              d.unfolded > 0 ? d.extent.hint() : 0});
        substitute_plain(node.region);
    }

    void substitute_plain(const Region& region) {
        for (const auto& d : region.dimensions)
            if (!d.variable.empty())
                (is_plain(d.min) ? plain_ : named_)[d.variable] = resolved(d.min);
    }

    // Names of minima replaced by what they stand for.
    ExprPtr spelled_out(const ExprPtr& e) const {
        return substitute(e, [&](const std::string& name) -> ExprPtr {
            auto it = named_.find(name);
            return it == named_.end() ? nullptr : spelled_out(it->second);
        });
    }

    StatementPtr with_minima(const TreeNode& node, StatementPtr body) {
        for (auto d = node.region.dimensions.rbegin(); d != node.region.dimensions.rend(); ++d)
            if (!d->variable.empty() && !is_plain(d->min))
                body = let_statement(node.id, d->variable, resolved(d->min), std::move(body));
        return body;
    }

    // A minimum without clamps is substituted, so that indices relative to it cancel; others get a name.
    static bool is_plain(const ExprPtr& e) {
        bool plain = true;
        visit(e, [&](const Expr& node) {
            plain = plain && !(node.kind == ExprKind::Binary &&
                               (node.op == Op::Min || node.op == Op::Max || node.op == Op::Divide ||
                                node.op == Op::Modulo));
            return plain;
        });
        return plain;
    }

    // Replaces region variables that were substituted rather than named. What stands for one may have been noted before that
    // of a stage around it was: memory of a pipelined stage lies outside of the stages that it is computed in.
    ExprPtr resolved(const ExprPtr& e) const {
        return substitute(e, [&](const std::string& name) -> ExprPtr {
            auto it = plain_.find(name);
            return it == plain_.end() ? nullptr : resolved(it->second);
        });
    }

    StatementPtr storage(const TreeNode& node, StatementPtr rest) {
        if (!node.is_output) {
            auto extents = memory_extents(node);
            auto scope = node.scope;
            if (in_fragments(node)) {
                extents = fragment_extents(fragments_.layouts.at(node.id.stage));
                scope = "register";
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
                        s.rotation = copies->second;
                        s.producers =
                            static_cast<int>(tree_.state.find(node.id.stage)->specialised);
                    });
                if (const auto pattern = swizzled(node, stage.types[c]))
                    rest = edited(rest, [&](Statement& s) {
                        s.swizzle = static_cast<int>(pattern->bytes());
                        s.alignment = static_cast<int>(pattern->alignment());
                    });
            }
        }
        return node.rotation > 1 ? rest : with_minima(node, std::move(rest));
    }

    // On a CPU it is a hint.
    std::optional<Swizzling> swizzled(const TreeNode& node, ScalarType component) const {
        const auto* state = tree_.state.find(node.id.stage);
        return device_ && node.scope == "shared" && state && state->swizzled
                   ? swizzling(node, component)
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

    // A stage that is stored elsewhere has minima of its own, and may leave out iterations of the loops around it.
    StatementPtr stage(const TreeNode& node) {
        if (empty_.count(node.id.stage) && !hosts_others(node))
            return block({}); // it computes nothing, and nothing holds it
        const bool outside = !(node.store_level == node.compute_level);
        const bool rotates = rotations_.count(node.id.stage) > 0;
        if (outside && !rotates)
            substitute_plain(node.region);
        auto body = device_ && is_divided(node) ? divided(node) : sequence(node.children, 0);
        if (device_ && node.scope == "shared" && !is_divided(node))
            body =
                edited(for_loop(node.id, node.id.stage + ".block", constant_int(ScalarType::I32, 0),
                                constant_int(ScalarType::I32, 1), ForKind::Bound, body),
                       [](Statement& s) { s.level = kBlockLevel; });
        if (outside && !rotates)
            body = with_minima(node, std::move(body));
        for (const auto& run : node.runs)
            if (run.ahead > 0)
                body = later(body, run);
        auto runs = run_condition(node);
        return runs ? if_then(node.id, runs, std::move(body)) : body;
    }

    // Are its loops shared with a stage of which something is needed?
    bool hosts_others(const TreeNode& node) const {
        if (node.kind == TreeKind::Compute)
            return empty_.count(node.id.stage) == 0;
        return std::any_of(node.children.begin(), node.children.end(),
                           [this](const auto& child) { return hosts_others(*child); });
    }

    // The body for the iteration that is `ahead` of the present one.
    static StatementPtr later(const StatementPtr& body, const PartialRun& run) {
        const auto then =
            binary(Op::Add, variable(run.variable), constant_int(ScalarType::I32, run.ahead));
        return rewrite(
            body, [](const StatementPtr& s) { return s; },
            [&](const ExprPtr& e) {
                return substitute(e, [&](const std::string& name) -> ExprPtr {
                    return name == run.variable ? then : nullptr;
                });
            });
    }

    // Of the loops of which it does not run in all iterations.
    static std::vector<ExprPtr> run_conditions(const TreeNode& node) {
        std::vector<ExprPtr> all;
        for (const auto& run : node.runs) {
            all.push_back(binary(Op::GreaterEqual, variable(run.variable),
                                 constant_int(ScalarType::I32, run.first - run.ahead)));
            if (run.ahead > 0)
                all.push_back(binary(Op::Less, variable(run.variable),
                                     constant_int(ScalarType::I32, run.end - run.ahead)));
            if (run.moved)
                all.push_back(run.moved);
        }
        return all;
    }

    static ExprPtr both(const ExprPtr& a, const ExprPtr& b) {
        return a ? binary(Op::LogicalAnd, a, b) : b;
    }

    // Null: in all iterations.
    static ExprPtr run_condition(const TreeNode& node) {
        ExprPtr all;
        for (const auto& condition : run_conditions(node))
            all = both(all, condition);
        return all;
    }

    // Is its work divided among the threads of a block: do they share its memory, and is no loop of its own bound?
    static bool is_divided(const TreeNode& stage) {
        return stage.scope == "shared" && !binds_loops(stage, stage.id.stage);
    }

    static bool binds_loops(const TreeNode& node, const std::string& stage) {
        return std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) {
            return (child->kind == TreeKind::Loop && child->id.stage == stage &&
                    !child->binding.empty()) ||
                   binds_loops(*child, stage);
        });
    }

    // Threads take points of the pure definition, or of the reduction; updates, whose order counts, run in one thread.
    StatementPtr divided(const TreeNode& stage) {
        std::vector<StatementPtr> parts;
        for (const auto& child : stage.children) {
            if (has_instruction(*child)) { // work of a warp
                parts.push_back(statement(*child));
                continue;
            }
            const bool whole = child->id.definition > 0;
            dividing_ = !whole;
            divides_ = false;
            auto part = statement(*child);
            dividing_ = false;
            if (whole || !divides_)
                part = among_threads(for_loop(
                    stage.id, child->id.text() + ".thread", constant_int(ScalarType::I32, 0),
                    constant_int(ScalarType::I32, 1), ForKind::Bound, std::move(part)));
            parts.push_back(std::move(part));
        }
        return block(std::move(parts));
    }

    static bool has_instruction(const TreeNode& node) {
        return node.tensor ||
               std::any_of(node.children.begin(), node.children.end(),
                           [](const auto& child) { return has_instruction(*child); });
    }

    static StatementPtr among_threads(const StatementPtr& loop) {
        return edited(loop, [](Statement& s) {
            s.for_kind = ForKind::Bound;
            s.level = kThreadsLevel;
        });
    }

    // Inside of a stage that is divided: this loop is, and so is one that is all there is inside of it. Loops of a reduction may
    // stand around those, and not between them: threads would have their iterations apart.
    bool divides(const TreeNode& node) {
        const bool divide = !node.reduction;
        if (!dividing_ || node.loop_kind == LoopKind::Vectorised || (!divide && divides_))
            return dividing_ = false;
        if (divide)
            divides_ = true;
        dividing_ = node.children.size() == 1 && node.children[0]->kind == TreeKind::Loop &&
                    node.prefetches.empty();
        return divide;
    }

    ForKind kind_of(const TreeNode& node) const {
        if (!node.binding.empty()) // under a CPU target bindings are plain loops
            return device_ ? ForKind::Bound : ForKind::Serial;
        switch (node.loop_kind) {
        case LoopKind::Parallel: // threads of a device are bound
            return device_ ? ForKind::Serial : ForKind::Parallel;
        case LoopKind::Unrolled: return ForKind::Unrolled;
        case LoopKind::Vectorised: return ForKind::Vectorised;
        default: return ForKind::Serial;
        }
    }

    StatementPtr loop(const TreeNode& node) {
        if (node.extent.hint() <= 0)
            return block({}); // what it would read may have no storage
        if (device_ && node.tensor)
            return tensor(node);
        if (const auto* work = divided_among_lanes(node))
            return by_lanes(node, *work);
        if (device_ && !across_.count({node.id.stage, node.id.definition}) &&
            reduces_across_threads(node))
            if (const auto* step = step_below(node); step && !step->compute.atomic)
                return across_threads(node, *step);
        const bool divide = divides(node);
        auto make = [&](StatementPtr body) {
            auto made = for_loop(node.id, node.variable, constant_int(ScalarType::I32, node.begin),
                                 constant_int(ScalarType::I32, node.extent.hint()), kind_of(node),
                                 std::move(body));
            if (divide)
                return among_threads(made);
            return made->for_kind == ForKind::Bound
                       ? edited(made,
                                [&](Statement& s) {
                                    s.level = node.binding;
                                    if (auto found = blocks_.find(node.id); found != blocks_.end())
                                        s.blocks = found->second;
                                })
                       : made;
        };
        auto ahead = loop_prefetches(node, scope());
        bool leaf = node.children.size() == 1 && node.children[0]->kind == TreeKind::Compute;
        if (leaf && node.loop_kind == LoopKind::Vectorised) {
            // Vector loads of an input with a boundary would be gathers of clamped indices. Where all lanes are
            // inside, which a test before the vector decides, the boundary falls away.
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
        return device_ && storage.scope == kFragmentScope &&
               fragments_.layouts.count(storage.id.stage) > 0;
    }

    StatementPtr tensor(const TreeNode& node) {
        auto made = tensor_instruction(node, fragments_, fragment_scope());
        const auto* point = &node;
        std::vector<std::string> inside;
        const bool initialises = node.tensor->initialises;
        while (point->kind == TreeKind::Loop) {
            inside.push_back(point->variable);
            // Where the sum begins inside, the step is the last of the children.
            point = initialises ? point->children.front().get() : point->children.back().get();
        }
        // Whole tiles are guarded, by what does not change inside.
        ExprPtr guard = run_condition(*point);
        for (const auto& g : point->compute.guards) {
            auto first = substitute(resolved(g), [&](const std::string& name) -> ExprPtr {
                return std::find(inside.begin(), inside.end(), name) == inside.end()
                           ? nullptr
                           : constant_int(ScalarType::I32, 0);
            });
            guard = guard ? binary(Op::LogicalAnd, guard, first) : first;
        }
        return guard ? if_then(node.id, guard, std::move(made)) : made;
    }

    const LaneWork* divided_among_lanes(const TreeNode& node) const {
        auto found = fragments_.work.find({node.id.stage, node.id.definition});
        return found == fragments_.work.end() || in_lanes_ || !(found->second.from == node.id)
                   ? nullptr
                   : &found->second;
    }

    StatementPtr by_lanes(const TreeNode& node, const LaneWork& work) {
        in_lanes_ = true;
        auto plain = loop(node);
        in_lanes_ = false;
        return lane_work(node, work, fragments_, plain, fragment_scope());
    }

    FragmentScope fragment_scope() {
        return {[this](const ExprPtr& e) { return lowered(resolved(e), {}, nullptr); },
                [this](const std::string& stage, const std::vector<ExprPtr>& indices) {
                    std::vector<ExprPtr> in_program;
                    for (const auto& index : indices)
                        in_program.push_back(resolved(index));
                    return relative(stage, in_program);
                },
                [this](const ExprPtr& e) { return spelled_out(e); },
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
                    indices.push_back(resolved(value));
        // What guards the point itself; of a term is cared for inside.
        std::set<std::string> inside;
        collect_variables(node, inside);
        auto conditions = run_conditions(step);
        for (const auto& g : info.guards)
            conditions.push_back(resolved(g));
        ExprPtr guard;
        for (const auto& condition : conditions)
            if (std::none_of(inside.begin(), inside.end(),
                             [&](const auto& name) { return mentions(condition, name); }))
                guard = both(guard, condition);
        return reduced_across(node.id, stage, info.definition, relative(info.stage, indices), nest,
                              reduction_levels(node), guard);
    }

    static void collect_variables(const TreeNode& node, std::set<std::string>& names) {
        if (node.kind == TreeKind::Loop)
            names.insert(node.variable);
        for (const auto& child : node.children)
            collect_variables(*child, names);
    }

    static const TreeNode* step_below(const TreeNode& node) {
        if (node.kind == TreeKind::Compute)
            return node.compute.role == ComputeRole::Step ? &node : nullptr;
        const TreeNode* found = nullptr;
        for (const auto& child : node.children)
            if (child->kind == TreeKind::Loop || child->kind == TreeKind::Compute)
                found = found ? found : step_below(*child);
        return found;
    }

    BuildScope scope() {
        return {tree_, [this](const ExprPtr& e) { return resolved(e); },
                [this](const std::string& stage, const std::vector<ExprPtr>& indices) {
                    return relative(stage, indices);
                },
                [this](const std::string& stage) { return empty_.count(stage) > 0; }};
    }

    // Loop variables are unique in a program: the second version of a loop gets a name of its own.
    static StatementPtr renamed_copy(const StatementPtr& s, const std::string& name) {
        auto fresh = name + ".edge";
        return rewrite(
            s,
            [&](const StatementPtr& node) {
                if (node->kind != StatementKind::For || node->name != name)
                    return node;
                auto copy = std::make_shared<Statement>(*node);
                copy->name = fresh;
                return StatementPtr(copy);
            },
            [&](const ExprPtr& e) {
                return substitute(e, [&](const std::string& v) -> ExprPtr {
                    return v == name ? variable(fresh) : nullptr;
                });
            });
    }

    struct Interior {
        std::string variable;
        std::int64_t extent;
        ExprPtr condition; // collected: all lanes' indices are inside their inputs
    };

    ExprPtr input_load(const Expr& at, const Stage& input, Interior* interior) {
        std::vector<ExprPtr> indices;
        ExprPtr inside;
        for (std::size_t d = 0; d < at.args.size(); ++d) {
            const auto& index = at.args[d];
            auto n = input.extents[d].hint();
            if (input.boundary.kind != BoundaryKind::None && in_range(index, n)) {
                indices.push_back(bounded_index(index, BoundaryKind::None, n).index);
                continue;
            }
            // On a device a condition of all lanes is a vector's mask, and no branch.
            if (interior && input.boundary.kind != BoundaryKind::None &&
                (!device_ || mentions(index, interior->variable)) &&
                index->type == ScalarType::I32 && affine_in(index, interior->variable)) {
                add_interior(index, n, *interior);
                indices.push_back(index);
                continue;
            }
            auto bounded = bounded_index(index, input.boundary.kind, n);
            indices.push_back(bounded.index);
            if (bounded.inside)
                inside = inside ? binary(Op::LogicalAnd, inside, bounded.inside) : bounded.inside;
        }
        auto value = load(at.name, at.type, std::move(indices), at.component, at.where);
        if (!inside)
            return value;
        auto outside = input.boundary.kind == BoundaryKind::Constant ? input.boundary.value
                                                                     : constant_bits(at.type, 0);
        return select(inside, value, outside);
    }

    static void add_interior(const ExprPtr& index, std::int64_t n, Interior& interior) {
        auto at = [&](std::int64_t lane) {
            return substitute(index, [&](const std::string& name) -> ExprPtr {
                return name == interior.variable ? constant_int(ScalarType::I32, lane) : nullptr;
            });
        };
        auto require = [&](const ExprPtr& e) {
            auto both = binary(Op::LogicalAnd,
                               binary(Op::GreaterEqual, e, constant_int(ScalarType::I32, 0)),
                               binary(Op::Less, e, constant_int(ScalarType::I32, n)));
            interior.condition =
                interior.condition ? binary(Op::LogicalAnd, interior.condition, both) : both;
        };
        require(at(0));
        if (mentions(index, interior.variable))
            require(at(interior.extent - 1));
    }

    // Is `e` an affine function of the variable, so that its ends bound it, and made of loop and region variables alone?
    // A load would be read before the guard that makes it safe, a let's name means nothing outside its let.
    bool affine_in(const ExprPtr& e, const std::string& name) const {
        switch (e->kind) {
        case ExprKind::Constant: return true;
        case ExprKind::Variable: return variable_range(e->name).has_value();
        case ExprKind::Unary: return e->op == Op::Negate && affine_in(e->args[0], name);
        case ExprKind::Binary: {
            if (!affine_in(e->args[0], name) || !affine_in(e->args[1], name))
                return false;
            if (e->op == Op::Add || e->op == Op::Subtract || !mentions(e, name))
                return true;
            return e->op == Op::Multiply && (is_constant(e->args[0]) || is_constant(e->args[1]));
        }
        default: return false;
        }
    }

    // By the ranges of the loops around, does the index stay inside without help?
    bool in_range(const ExprPtr& index, std::int64_t n) const {
        auto range = range_of(index, [&](const std::string& name) { return variable_range(name); });
        return range && range->least >= 0 && range->greatest < n;
    }

    std::optional<Interval> variable_range(const std::string& name) const {
        const auto& layout = *tree_.layout;
        auto base = name.size() > 5 && name.compare(name.size() - 5, 5, ".init") == 0
                        ? name.substr(0, name.size() - 5)
                        : name;
        if (auto loop = layout.loop_extents.find(base); loop != layout.loop_extents.end()) {
            auto begin = layout.starts.find(base);
            return Interval{begin == layout.starts.end() ? 0 : begin->second,
                            std::max<std::int64_t>(loop->second - 1, 0)};
        }
        if (auto region = layout.region_variables.find(name);
            region != layout.region_variables.end())
            return region->second.least.range();
        return std::nullopt;
    }

    // A definition's expression in loop variables, with loads relative to their buffers.
    ExprPtr lowered(const ExprPtr& e, const ComputeInfo& info, Interior* interior) {
        std::unordered_map<std::string, ExprPtr> values;
        for (const auto& [axis, value] : info.axes)
            values[axis] = resolved(value);
        auto placed = substitute(e, [&](const std::string& name) -> ExprPtr {
            auto it = values.find(name);
            return it == values.end() ? nullptr : it->second;
        });
        return rewrite(placed, [&](const ExprPtr& node) -> ExprPtr {
            if (node->kind != ExprKind::Load)
                return node;
            const Stage* source = tree_.derived->find(node->name);
            if (source->is_input)
                return input_load(*node, *source, interior);
            return load(component_buffer(*source, static_cast<std::size_t>(node->component)),
                        node->type, relative(node->name, node->args), 0, node->where);
        });
    }

    std::vector<ExprPtr> relative(const std::string& stage, const std::vector<ExprPtr>& indices) {
        const auto& places = places_.at(stage);
        std::vector<ExprPtr> out;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            auto index = indices[d]->type == ScalarType::I32 ? indices[d]
                                                             : cast(ScalarType::I32, indices[d]);
            if (places[d].fold > 0) {
                out.push_back(
                    binary(Op::Modulo, index, constant_int(ScalarType::I32, places[d].fold)));
                continue;
            }
            std::int64_t zero = 1;
            const auto least = resolved(places[d].min);
            bool plain = constant_value(least, zero) && zero == 0;
            out.push_back(plain ? index : binary(Op::Subtract, index, least));
        }
        out = in_storage_order(stage, out);
        if (auto rotation = rotations_.find(stage); rotation != rotations_.end())
            out.insert(out.begin(), rotation->second);
        return out;
    }

    // From the order of the declaration to that in memory: for every load and store of a stage's buffer.
    std::vector<ExprPtr> in_storage_order(const std::string& stage,
                                          const std::vector<ExprPtr>& indices) const {
        std::vector<ExprPtr> out;
        for (auto d : orders_.at(stage))
            out.push_back(indices[d]);
        return out;
    }

    StatementPtr compute(const TreeNode& node, Interior* interior) {
        if (empty_.count(node.id.stage))
            return block({}); // in loops that it shares with others
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
                        indices.push_back(resolved(value));
        }
        indices = relative(info.stage, indices);
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
            guard = guard ? binary(Op::LogicalAnd, guard, resolved(g)) : resolved(g);
        return guard ? if_then(node.id, guard, std::move(body)) : body;
    }

    const ScheduleTree& tree_;
    const bool device_ = false;
    std::map<std::string, int> copies_;
    std::map<NodeId, std::int64_t> blocks_; // of persistent loops
    Fragments fragments_;
    bool in_lanes_ = false; // inside of loops that lanes divide among themselves
    std::map<std::string, std::vector<Extent>> shared_; // buffers of a block
    std::set<std::pair<std::string, int>>
        across_;            // definitions inside of whose shared reductions this is
    bool dividing_ = false; // the next loop may be divided among threads
    bool divides_ = false;  // some loop of the nest at hand is
    struct Place {
        ExprPtr min;           // first coordinate of the buffer
        std::int64_t fold = 0; // circular: coordinates are taken modulo this; 0: they are not
    };
    std::map<std::string, std::vector<Place>> places_;       // stage -> per dimension
    std::map<std::string, std::vector<std::size_t>> orders_; // stage -> storage_order()
    std::map<std::string, ExprPtr> rotations_;               // stage -> which of its copies
    std::unordered_map<std::string, ExprPtr> plain_; // region variable -> substituted minimum
    std::unordered_map<std::string, ExprPtr>
        named_;                   // region variable -> minimum that it is the name of
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
    auto blocks = persistent_blocks(tree, device);
    if (copies.empty())
        return ProgramBuilder(tree, {}, std::move(blocks)).run();
    auto plain = build_tree(state);
    if (!plain)
        return plain.errors();
    return ProgramBuilder(**plain, std::move(copies), std::move(blocks)).run();
}

} // namespace loopscope::lower
