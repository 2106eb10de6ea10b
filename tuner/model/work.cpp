// One walk of a tree makes its nodes, buffers and points, and each needs the places that the others
// have found: longer than files are here for that.
#include "tuner/model/work.h"

#include "core/ir/range.h"
#include "core/schedule/region.h"
#include "core/schedule/storage.h"
#include "tuner/model/index_form.h"
#include "tuner/model/where.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace loopscope::model {

namespace {

int deepest(const TreeNode& node) {
    int depth = 0;
    for (const auto& child : node.children)
        depth = std::max(depth, deepest(*child));
    return depth + (node.kind == TreeKind::Loop ? 1 : 0);
}

double product_of(const Box& box) {
    double p = 1;
    for (const auto& i : box)
        p *= static_cast<double>(i.extent());
    return p;
}

class Flattener {
public:
    explicit Flattener(const ScheduleTree& tree) : indices_(work_.forms, *tree.derived) {
        work_.tree = &tree;
        work_.forms = FormTable(deepest(*tree.root));
        for (const auto& stage : tree.stages)
            stages_[stage.stage.name] = &stage;
        for (const auto& stage : tree.derived->stages)
            if (stage.is_input)
                add_input(stage);
    }

    Work run() {
        walk(*work_.tree->root, -1, 0, 1);
        for (const auto& node : work_.nodes)
            if (node.node->kind == TreeKind::Stage)
                if (auto place = places_.find(node.node->id.stage); place != places_.end())
                    work_.buffers[static_cast<std::size_t>(place->second.buffer)].writer_depth =
                        node.depth;
        return std::move(work_);
    }

private:
    struct Place { // of a buffer: where its first element lies
        int buffer;
        std::vector<Form> mins;
        std::vector<double> extents; // of all dimensions, however many
        std::vector<double> stored;  // those with padding, in the order of memory
        const Stage* input = nullptr;
        std::vector<std::size_t> order; // the dimension at each position of memory
    };

    void add_input(const Stage& stage) {
        std::vector<double> extents;
        for (const auto& e : stage.extents)
            extents.push_back(static_cast<double>(e.hint()));
        Buffer b = buffer(stage.name, stage.types, extents, extents);
        b.is_input = true;
        b.folds = stage.boundary.kind == BoundaryKind::Wrap ||
                  stage.boundary.kind == BoundaryKind::Mirror ||
                  stage.boundary.kind == BoundaryKind::Reflect;
        std::vector<std::size_t> order(extents.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        places_[stage.name] = {
            add(std::move(b)), std::vector<Form>(extents.size()), extents, extents, &stage,
            std::move(order)};
    }

    // `stored`: the extents with padding; both in the order of memory.
    static Buffer buffer(const std::string& name, const std::vector<ScalarType>& types,
                         std::vector<double> extents, std::vector<double> stored) {
        Buffer b;
        b.name = name;
        for (auto type : types)
            b.element_bytes += bytes(type);
        b.held_bytes = b.element_bytes;
        for (double e : extents)
            b.held_bytes *= e;
        while (extents.size() > kMaxRank) { // the outermost two as one
            extents[1] += (extents[0] - 1) * stored[1];
            stored[1] *= stored[0];
            extents.erase(extents.begin());
            stored.erase(stored.begin());
        }
        b.pitch.assign(extents.size(), 1);
        for (std::size_t d = extents.size(); d-- > 1;)
            b.pitch[d - 1] = b.pitch[d] * stored[d];
        b.bytes = b.element_bytes;
        for (double e : stored)
            b.bytes *= e;
        b.extents = std::move(extents);
        return b;
    }

    int add(Buffer b) {
        work_.buffers.push_back(std::move(b));
        return static_cast<int>(work_.buffers.size()) - 1;
    }

    int walk(const TreeNode& node, int parent, int depth, double trips) {
        auto index = static_cast<int>(work_.nodes.size());
        WorkNode w;
        w.node = &node;
        w.parent = parent;
        w.depth = depth;
        w.trips = trips;
        w.first_point = static_cast<int>(work_.points.size());
        work_.nodes.push_back(std::move(w));
        int inner = depth;
        double inner_trips = trips;
        const bool around_exact = runs_exact_;
        runs_exact_ = runs_exact_ && std::all_of(node.runs.begin(), node.runs.end(),
                                                 [](const auto& run) { return run.exact; });
        switch (node.kind) {
        case TreeKind::Storage: add_storage(node, depth); break;
        case TreeKind::Stage:
            stage_nodes_[node.id.stage] = index;
            add_minima(node);
            inner_trips = work_.nodes.back().trips = executed(trips, node, path_.size());
            break;
        case TreeKind::Loop: {
            double extent = static_cast<double>(node.extent.hint());
            work_.nodes.back().extent = extent;
            // What is computed ahead is computed for iterations that use it, and nothing else runs
            // in those before.
            const auto first = first_used(node);
            const auto used = node.extent.hint() - (first - node.begin);
            variables_[node.variable] = work_.forms.loop(depth, used);
            variables_[node.variable].constant += first;
            path_.push_back(index);
            path_trips_.push_back(extent);
            path_used_.push_back(static_cast<double>(used));
            inner = depth + 1;
            inner_trips = trips * extent;
            break;
        }
        case TreeKind::Compute: add_point(node, index); break;
        case TreeKind::Root: break;
        }
        for (const auto& child : node.children) {
            int c = walk(*child, index, inner, inner_trips);
            work_.nodes[static_cast<std::size_t>(index)].children.push_back(c);
        }
        runs_exact_ = around_exact;
        if (node.kind == TreeKind::Loop) {
            path_.pop_back();
            path_trips_.pop_back();
            path_used_.pop_back();
        }
        work_.nodes[static_cast<std::size_t>(index)].last_point =
            static_cast<int>(work_.points.size());
        return index;
    }

    std::int64_t first_used(const TreeNode& loop) const {
        const auto& begins = work_.tree->layout->begins;
        const auto found = begins.find(loop.variable);
        return found == begins.end() ? std::max<std::int64_t>(loop.begin, 0) : found->second;
    }

    // How often a stage or point runs, of `trips` iterations of the outermost loops around, which
    // are a multiple of each of their extents. Multiplied first: whole numbers stay whole.
    double executed(double trips, const TreeNode& node, std::size_t loops) const {
        for (const auto& run : node.runs)
            for (std::size_t depth = 0; depth < path_.size() && depth < loops; ++depth)
                if (const auto& around = work_.tree_node(path_[depth]);
                    around.variable == run.variable)
                    trips = trips * run.count / static_cast<double>(around.extent.hint());
        return trips;
    }

    Form minimum(const Region::Dimension& d) {
        Form min;
        if (!work_.forms.parse(d.min, variables_, min))
            min = unknown(d.min);
        if (!d.variable.empty())
            variables_[d.variable] = min;
        return min;
    }

    // Adds the minima of what the stage computes; its memory has others where it is stored further
    // out.
    void add_minima(const TreeNode& stage) {
        auto& mins = computed_mins_[stage.id.stage];
        if (stage.store_level == stage.compute_level) {
            mins = places_.at(stage.id.stage).mins;
            return;
        }
        mins.clear();
        for (const auto& d : stage.region.dimensions)
            mins.push_back(minimum(d));
        // Copies that rotate have the minima of the iteration that uses them; of the copies, one is
        // counted, for each iteration touches one to write and one to read.
        if (rotating_.count(stage.id.stage))
            places_.at(stage.id.stage).mins = mins;
    }

    void add_storage(const TreeNode& node, int depth) {
        std::vector<double> extents;
        Place place;
        for (const auto& d : node.region.dimensions) {
            extents.push_back(static_cast<double>(d.extent.hint()));
            // The minima of slots follow from a loop that is yet to come: see add_minima.
            place.mins.push_back(node.rotation > 1 ? Form{} : minimum(d));
        }
        if (node.rotation > 1)
            rotating_.insert(node.id.stage);
        place.order = storage_order(node);
        const auto padded = storage_extents(node);
        std::vector<double> lying;
        for (auto d : place.order) {
            lying.push_back(extents[d]);
            place.stored.push_back(static_cast<double>(padded[d]));
        }
        Buffer b = buffer(node.id.stage, node.types, lying, place.stored);
        b.depth = depth;
        b.copies = std::max(1, static_cast<int>(node.rotation));
        b.is_output = node.is_output;
        place.buffer = add(std::move(b));
        place.extents = std::move(extents);
        places_[node.id.stage] = std::move(place);
    }

    // A value that depends, in some way, on all the loops around.
    Form unknown(const ExprPtr& e) {
        Interval range{0, 0};
        if (auto found = range_of(e, [&](const std::string& name) -> std::optional<Interval> {
                auto it = variables_.find(name);
                return it == variables_.end() ? std::nullopt
                                              : std::optional(work_.forms.range(it->second));
            }))
            range = *found;
        return work_.forms.opaque(range, ~std::uint64_t{0}, path_trips_);
    }

    const NestLayout& nest_of(const Point& p) const {
        auto d = p.definition - p.stage->stage.definitions.data();
        return work_.tree->layout->stages.at(p.stage->stage.name)
            .nests[static_cast<std::size_t>(d)];
    }

    // The axes of the definition as forms, each within what it computes: guards cut off what a
    // split adds.
    FormTable::Environment axes(const TreeNode& node, const Point& p) {
        FormTable::Environment out;
        const auto& computed = nest_of(p).computed;
        const auto& variables = p.stage->stage.variables;
        for (std::size_t i = 0; i < node.compute.axes.size(); ++i) {
            const auto& [axis, value] = node.compute.axes[i];
            Form form, min;
            std::int64_t extent = 0;
            auto v = std::find(variables.begin(), variables.end(), axis);
            bool reduction = std::any_of(p.definition->axes.begin(), p.definition->axes.end(),
                                         [&](const ReductionAxis& a) { return a.name == axis; });
            if (!reduction && v != variables.end()) {
                auto d = static_cast<std::size_t>(v - variables.begin());
                min = computed_mins_.at(p.stage->stage.name)[d];
                extent = computed[i];
            } else {
                for (const auto& a : p.definition->axes)
                    if (a.name == axis) {
                        min.constant = a.begin.hint();
                        extent = a.extent().hint();
                    }
            }
            if (!work_.forms.parse(value, variables_, form)) {
                out[axis] = unknown(value);
                continue;
            }
            auto own = add_forms(form, min, -1);
            out[axis] =
                add_forms(min, work_.forms.clamp(own, 0, std::max<std::int64_t>(extent - 1, 0)), 1);
        }
        return out;
    }

    static Form add_forms(const Form& a, const Form& b, std::int64_t factor) {
        return model::add(a, b, factor);
    }

    void add_point(const TreeNode& node, int index) {
        Point p;
        p.node = index;
        p.stage = stages_.at(node.compute.stage);
        p.definition =
            &p.stage->stage.definitions[static_cast<std::size_t>(node.compute.definition)];
        p.role = node.compute.role;
        p.loops = path_;
        p.trips = path_trips_;
        p.type = p.stage->stage.types[0];
        const auto& stage_node =
            work_.nodes[static_cast<std::size_t>(stage_nodes_.at(node.compute.stage))];
        p.own = stage_node.depth;
        // Those of its own nest are counted by the nest.
        p.stage_executions = executed(stage_node.trips, node, static_cast<std::size_t>(p.own));
        auto axis_forms = axes(node, p);
        count_points(p, node);
        add_accesses(p, node, axis_forms);
        work_.nodes[static_cast<std::size_t>(index)].trips = p.points;
        work_.points.push_back(std::move(p));
    }

    void count_points(Point& p, const TreeNode& node) {
        const auto& stage = p.stage->stage;
        const auto& nest = nest_of(p);
        double own = p.role == ComputeRole::Init ? nest.initializations : nest.evaluations;
        double once = 1;
        for (const auto& v : p.definition->free) {
            once *= static_cast<double>(p.stage->box[stage.dimension_of(v)].extent());
        }
        // nothing needs the stage: it has no storage and does not run
        bool empty = product_of(p.stage->box) == 0;
        if (p.role != ComputeRole::Init)
            for (const auto& axis : p.definition->axes)
                once *= static_cast<double>(axis.extent().hint());
        p.points = empty ? 0 : own * p.stage_executions;
        p.needed = empty ? 0 : once;
        p.taken = p.points;
        p.taken_exact = nest.exact && runs_exact_;
        bool init = p.role == ComputeRole::Init;
        if (!init && p.definition->condition) {
            const std::vector<double> outside(path_used_.begin(), path_used_.begin() + p.own);
            auto holds = where_holds(work_.forms, stage, *p.definition,
                                     computed_mins_.at(stage.name), nest.computed, outside);
            // A stage that some iterations of a loop leave out may leave out those that count.
            double all = std::accumulate(outside.begin(), outside.end(), 1.0, std::multiplies<>{});
            bool known = holds.executions == 1 || p.stage_executions == all;
            if (known && !empty)
                p.taken = std::min(holds.points * p.stage_executions / holds.executions, p.points);
            p.taken_exact = runs_exact_ && holds.exact && known &&
                            covers(nest, nest.computed.size(), nest.evaluations);
        }
        PointFlops condition =
            init ? PointFlops{} : condition_flops(*work_.tree, *p.definition, node.compute);
        PointFlops value = point_flops(*work_.tree, *p.stage, node.compute);
        p.flops = condition.flops * p.points + value.flops * p.taken;
        p.integer_operations =
            point_integer_operations(p.stage->stage, *p.definition, p.role) * p.taken;
        p.flops_exact = condition.exact && value.exact && (p.taken_exact || value.flops == 0) &&
                        ((nest.exact && runs_exact_) || condition.flops == 0);
    }

    void add_accesses(Point& p, const TreeNode& node, FormTable::Environment& axis_forms) {
        const auto& stage = p.stage->stage;
        ExprWork expressions;
        ExprWork::Visitor visitor;
        visitor.load = [&](const Expr& load) {
            add_access(p, load.name, load.args, axis_forms, true, false);
        };
        visitor.let = [&](const Expr& let) {
            Form form;
            if (is_integer(let.args[0]->type) && work_.forms.parse(let.args[0], axis_forms, form))
                axis_forms[let.name] = form;
            else
                indices_.let(let, axis_forms, path_trips_);
        };
        bool init = p.role == ComputeRole::Init;
        indices_.next_point();
        if (!init) {
            if (p.definition->condition) {
                expressions.add(p.definition->condition, visitor);
                p.condition = std::exchange(expressions.operations, {});
                p.condition_depths =
                    condition_depths(work_.forms, *p.definition->condition, axis_forms);
            }
            for (const auto& value : p.definition->values)
                expressions.add(value, visitor);
        }
        std::vector<ExprPtr> indices;
        if (p.definition->kind == DefinitionKind::Update) {
            indices = p.definition->left;
            for (const auto& left : indices)
                expressions.add(left, visitor);
        } else {
            for (const auto& v : stage.variables)
                indices.push_back(variable(v));
        }
        bool accumulates =
            p.role == ComputeRole::Step ||
            (p.role == ComputeRole::Update && p.definition->update != UpdateOp::Assign);
        auto d = static_cast<std::size_t>(node.compute.definition);
        bool fused = d < p.stage->fused_step.size() && p.stage->fused_step[d];
        if (accumulates) {
            auto step = combining_step(stage, *p.definition);
            p.step_latency = step_latency(step);
            for (const auto& e : step)
                if (!fused)
                    expressions.add(e, {});
        }
        p.operations = expressions.operations;
        add_access(p, stage.name, indices, axis_forms, accumulates, true);
        // Sums are in registers until they are stored; of what an update changes the old value is
        // fetched.
        if (node.compute.non_temporal && !node.compute.read_again)
            for (auto& access : p.accesses)
                access.streams = access.write && !(p.role == ComputeRole::Update && access.read);
    }

    void add_access(Point& p, const std::string& target, const std::vector<ExprPtr>& indices,
                    const FormTable::Environment& axis_forms, bool read, bool write) {
        auto found = places_.find(target);
        if (found == places_.end())
            return;
        const auto& place = found->second;
        Access access;
        access.buffer = place.buffer;
        access.read = read;
        access.write = write;
        access.loads = 1;
        std::vector<std::int64_t> constants;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            Form form;
            if (work_.forms.parse(indices[d], axis_forms, form)) {
                if (place.input && place.input->boundary.kind != BoundaryKind::None &&
                    !Interval{0, place.input->extents[d].hint() - 1}.contains(
                        work_.forms.range(form)))
                    access.clamped += 1;
                form = add_forms(form, place.mins[d], -1);
            } else {
                auto index = indices_.within(indices[d], place.mins[d],
                                             static_cast<std::int64_t>(place.extents[d]),
                                             axis_forms, path_trips_);
                form = std::move(index.form);
                access.by_data = true;
                access.data_depths |= index.data;
            }
            constants.push_back(form.constant);
            form.constant = 0;
            access.forms.push_back(std::move(form));
        }
        in_storage_order(place.order, access.forms);
        in_storage_order(place.order, constants);
        const auto& buffer = work_.buffers[static_cast<std::size_t>(place.buffer)];
        auto folded = access.forms.size() - buffer.extents.size(); // the outermost as one
        for (std::size_t d = 0; d < folded; ++d) {
            auto extent = static_cast<std::int64_t>(place.stored[d + 1]);
            access.forms[d + 1] = add_forms(access.forms[d + 1], access.forms[d], extent);
            constants[d + 1] += constants[d] * extent;
        }
        access.forms.erase(access.forms.begin(),
                           access.forms.begin() + static_cast<std::ptrdiff_t>(folded));
        constants.erase(constants.begin(), constants.begin() + static_cast<std::ptrdiff_t>(folded));
        for (const auto& form : access.forms)
            access.depths |= work_.forms.depths(form);
        for (auto& known : p.accesses)
            if (known.buffer == access.buffer && known.write == access.write &&
                known.forms == access.forms) {
                known.loads += 1;
                known.clamped += access.clamped;
                known.read = known.read || read;
                for (std::size_t d = 0; d < constants.size(); ++d) {
                    auto& list = known.offsets[d];
                    auto at = std::lower_bound(list.begin(), list.end(), constants[d]);
                    if (at == list.end() || *at != constants[d])
                        list.insert(at, constants[d]);
                }
                return;
            }
        for (auto c : constants)
            access.offsets.push_back({c});
        p.accesses.push_back(std::move(access));
    }

    template <typename T>
    static void in_storage_order(const std::vector<std::size_t>& order, std::vector<T>& parts) {
        std::vector<T> lying;
        for (auto d : order)
            lying.push_back(std::move(parts[d]));
        parts = std::move(lying);
    }

    Work work_;
    IndexForms indices_;
    std::unordered_map<std::string, const DerivedStage*> stages_;
    std::unordered_map<std::string, Place> places_;
    std::unordered_map<std::string, std::vector<Form>> computed_mins_;
    std::set<std::string> rotating_;   // stages whose memory is copies that rotate
    FormTable::Environment variables_; // loops and region variables
    std::vector<int> path_;
    std::vector<double> path_trips_;
    // of those, the iterations whose results are used: the values of their forms
    std::vector<double> path_used_;
    bool runs_exact_ = true;                 // of the stages around: how often they run is known
    std::map<std::string, int> stage_nodes_; // of stages whose definitions have been come to
};

} // namespace

bool covers(const NestLayout& nest, std::size_t axes, double count) {
    bool shifts = false, pads = false;
    for (const auto& loop : nest.tails)
        for (const auto& tail : loop) {
            shifts = shifts || tail.used == Tail::Shift;
            pads = pads || tail.used == Tail::Pad;
        }
    double box = 1;
    for (std::size_t a = 0; a < axes; ++a)
        box *= static_cast<double>(nest.computed[a]);
    return !pads || (!shifts && nest.exact && count == box);
}

Work flatten(const ScheduleTree& tree) { return Flattener(tree).run(); }

} // namespace loopscope::model
