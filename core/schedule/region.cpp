#include "core/schedule/region.h"

#include "core/schedule/nest_layout.h"
#include "core/schedule/padding.h"

#include <algorithm>

namespace loopscope {

namespace {

// Visits every access of a definition: reads in values, condition and left indices.
void each_load(const Definition& definition, const std::function<void(const Expr&)>& f) {
    auto in = [&](const ExprPtr& e) {
        if (e)
            visit(e, [&](const Expr& node) {
                if (node.kind == ExprKind::Load)
                    f(node);
                return true;
            });
    };
    for (const auto& e : definition.values)
        in(e);
    in(definition.condition);
    for (const auto& e : definition.left)
        in(e);
}

bool reads(const Definition& definition, const std::string& name) {
    bool found = false;
    each_load(definition, [&](const Expr& node) { found = found || node.name == name; });
    return found;
}

void unite(std::vector<FormInterval>& into, const std::vector<FormInterval>& more) {
    if (into.empty()) {
        into = more;
        return;
    }
    for (std::size_t d = 0; d < into.size(); ++d)
        into[d] = hull(into[d], more[d]);
}

// An interval whose ends are numbers lies within the axis's own range: a guard keeps it there, unless the tail pads.
std::map<std::string, FormInterval> axis_intervals(const Layout& layout, const Stage& stage, int d,
                                                   const std::set<std::string>& visible) {
    const auto& stage_layout = layout.stages.at(stage.name);
    const auto& nest = stage_layout.nests[static_cast<std::size_t>(d)];
    const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
    std::map<std::string, FormInterval> out;
    for (std::size_t a = 0; a < nest.axes.size(); ++a) {
        auto interval = layout.over(nest.axes[a].second, visible);
        if (interval.least.is_constant() && interval.greatest.is_constant()) {
            Interval limit;
            if (a < definition.free.size()) {
                auto position = stage.dimension_of(definition.free[a]);
                limit = layout.boxes.at(stage.name)[position];
                limit.greatest += nest.computed[a] - stage_layout.needed[position];
            } else {
                const auto& axis = definition.axes[a - definition.free.size()];
                limit = {axis.begin.hint(), axis.end.hint() - 1};
            }
            if (interval.greatest.constant() > limit.greatest && !limit.empty())
                interval.greatest = LinearForm(std::max(limit.greatest, interval.least.constant()));
        }
        out.emplace(nest.axes[a].first, std::move(interval));
    }
    return out;
}

std::vector<FormInterval> access_intervals(const std::vector<ExprPtr>& indices,
                                           const std::map<std::string, FormInterval>& axes,
                                           const Layout& layout) {
    std::vector<FormInterval> out;
    for (const auto& index : indices)
        out.push_back(index_interval(index, axes, layout));
    return out;
}

// One round over the stage's updates: widens the region by what they write and what they read of the stage itself.
void widen_by_updates(const Layout& layout, const Stage& stage, std::vector<FormInterval>& region) {
    for (const auto& definition : stage.definitions) {
        bool empty = std::any_of(definition.axes.begin(), definition.axes.end(),
                                 [](const ReductionAxis& a) { return a.extent().hint() <= 0; });
        if (definition.kind != DefinitionKind::Update || empty) // an empty update writes nothing
            continue;
        std::map<std::string, FormInterval> axes;
        for (std::size_t d = 0; d < stage.variables.size(); ++d)
            axes[stage.variables[d]] = region[d];
        for (const auto& axis : definition.axes)
            axes[axis.name] = {LinearForm(axis.begin.hint()), LinearForm(axis.end.hint() - 1),
                               true};
        auto add = [&](const std::vector<ExprPtr>& indices) {
            auto intervals = access_intervals(indices, axes, layout);
            for (std::size_t d = 0; d < indices.size(); ++d) {
                // A free variable in its own position; an `over` axis may bear a variable's name.
                bool own = indices[d]->kind == ExprKind::Variable &&
                           indices[d]->name == stage.variables[d] &&
                           std::find(definition.free.begin(), definition.free.end(),
                                     indices[d]->name) != definition.free.end();
                if (!own)
                    region[d] = hull(region[d], intervals[d]);
            }
        };
        add(definition.left);
        each_load(definition, [&](const Expr& node) {
            if (node.name == stage.name)
                add(node.args);
        });
    }
}

// Dimensions that a stage's own updates add to its region, until nothing changes. A region that does not settle within
// the rounds that a chain of updates can need becomes the whole box, which holds everything.
void add_own_updates(const Layout& layout, const Stage& stage, const Box& box,
                     std::vector<FormInterval>& region) {
    auto rounds = stage.definitions.size() * (stage.variables.size() + 1) + 1;
    for (std::size_t round = 0; round <= rounds; ++round) {
        auto before = region;
        widen_by_updates(layout, stage, region);
        bool settled = true;
        for (std::size_t d = 0; d < region.size(); ++d)
            settled = settled && region[d].least == before[d].least &&
                      region[d].greatest == before[d].greatest;
        if (settled)
            return;
    }
    for (std::size_t d = 0; d < region.size(); ++d)
        region[d] = {LinearForm(box[d].least), LinearForm(box[d].greatest), true};
}

// Lays out one stage after all that its region depends on.
class StageInference {
public:
    StageInference(const ScheduleState& state, Layout& layout) : state_(state), layout_(layout) {}

    Result<StageLayout> run(const StageState& s, const Stage& stage) {
        StageLayout layout;
        const Box& box = layout_.boxes.at(s.name);
        if (s.compute.kind == Placement::Kind::At &&
            !std::any_of(box.begin(), box.end(), [](auto& i) { return i.empty(); }))
            region_at(s, stage, layout);
        else
            for (const auto& interval : box) {
                layout.region.push_back(
                    {LinearForm(interval.least), LinearForm(interval.greatest), true});
                layout.needed.push_back(interval.extent());
                layout.mins.emplace_back(interval.least);
            }
        if (auto status = nests(s, stage, layout); !status)
            return status.errors();
        return layout;
    }

private:
    // The first definition computes all that a padded update goes on with, hence comes last here.
    Status nests(const StageState& s, const Stage& stage, StageLayout& layout) {
        layout.nests.resize(stage.definitions.size());
        auto computed = layout.needed;
        for (auto d = stage.definitions.size(); d-- > 0;) {
            const auto& over = d == 0 ? computed : layout.needed;
            auto nest = lay_out_nest(stage, s, static_cast<int>(d), over, layout.mins);
            if (!nest)
                return nest.errors();
            for (std::size_t l = 0; l < nest->variables.size(); ++l)
                layout_.loop_extents[nest->variables[l]] = nest->extents[l];
            const auto& free = stage.definitions[d].free;
            for (std::size_t a = 0; a < free.size(); ++a) {
                auto dim = stage.dimension_of(free[a]);
                computed[dim] = std::max(computed[dim], nest->computed[a]);
            }
            layout.nests[d] = std::move(*nest);
        }
        for (std::size_t d = 0; d < computed.size(); ++d)
            layout.region[d].greatest =
                layout.region[d].greatest + LinearForm(computed[d] - layout.needed[d]);
        layout.extents = std::move(computed);
        return success();
    }

    void region_at(const StageState& s, const Stage& stage, StageLayout& layout) {
        auto visible = visible_at(state_, layout_, s.compute.at);
        std::vector<FormInterval> region;
        for (const auto& [name, reader_layout] : layout_.stages) {
            const Stage& reader = *layout_.derived->find(name);
            for (std::size_t d = 0; d < reader.definitions.size(); ++d) {
                if (!reads(reader.definitions[d], s.name))
                    continue;
                auto axes = axis_intervals(layout_, reader, static_cast<int>(d), visible);
                each_load(reader.definitions[d], [&](const Expr& node) {
                    if (node.name == s.name)
                        unite(region, access_intervals(node.args, axes, layout_));
                });
            }
        }
        const Box& box = layout_.boxes.at(s.name);
        if (region.empty()) // nothing reads it: only its updates, if any, give it a region
            for (const auto& interval : box)
                region.push_back({LinearForm(interval.least), LinearForm(interval.greatest), true});
        add_own_updates(layout_, stage, box, region);
        for (std::size_t d = 0; d < box.size(); ++d) {
            auto extent = std::clamp<std::int64_t>(
                difference_range(region[d].greatest, region[d].least).greatest + 1, 1,
                box[d].extent());
            // The box holds all that is needed; a region that would leave it moves back inside, whole: the same
            // extent in every iteration, and no guard. Points computed twice are the same points.
            auto min = clamp(region[d].least, box[d].least, box[d].greatest - extent + 1);
            layout.exact = layout.exact && region[d].exact;
            layout.region.push_back({min, min + LinearForm(extent - 1), region[d].exact});
            layout.needed.push_back(extent);
            if (min.is_constant()) {
                layout.mins.push_back(min);
                continue;
            }
            std::string name = s.name + "." + stage.variables[d] + ".min";
            layout_.region_variables[name] = {min, min, true};
            layout.mins.push_back(variable_form(name, min.range()));
        }
    }

    const ScheduleState& state_;
    Layout& layout_;
};

} // namespace

FormInterval Layout::over(const LinearForm& form, const std::set<std::string>& visible) const {
    FormInterval sum{LinearForm(form.constant()), LinearForm(form.constant()), true};
    auto add = [&](const FormInterval& part, std::int64_t c) {
        sum.least = sum.least + (c > 0 ? part.least : part.greatest) * c;
        sum.greatest = sum.greatest + (c > 0 ? part.greatest : part.least) * c;
        sum.exact = sum.exact && part.exact;
    };
    for (const auto& [atom, c] : form.terms()) {
        switch (atom->kind) {
        case Atom::Kind::Variable: {
            if (visible.count(atom->name)) {
                add({LinearForm(atom), LinearForm(atom), true}, c);
            } else if (auto region = region_variables.find(atom->name);
                       region != region_variables.end()) {
                add(over(region->second.least, visible), c);
            } else {
                add({LinearForm(atom->range.least), LinearForm(atom->range.greatest), true}, c);
            }
            break;
        }
        case Atom::Kind::FloorDivide: {
            auto inner = over(atom->inner, visible);
            add({floor_divide(inner.least, atom->a), floor_divide(inner.greatest, atom->a),
                 inner.exact},
                c);
            break;
        }
        case Atom::Kind::Clamp: {
            auto inner = over(atom->inner, visible);
            add({loopscope::clamp(inner.least, atom->a, atom->b),
                 loopscope::clamp(inner.greatest, atom->a, atom->b), inner.exact},
                c);
            break;
        }
        case Atom::Kind::Modulo: {
            auto inner = over(atom->inner, visible);
            if (inner.least == inner.greatest) {
                auto held = modulo(inner.least, atom->a);
                add({held, held, inner.exact}, c);
                break;
            }
            // Within one period the ends keep their order.
            auto low = inner.least.range(), high = inner.greatest.range();
            auto floor = [&](std::int64_t v) {
                return v >= 0 ? v / atom->a : -((-v + atom->a - 1) / atom->a);
            };
            if (inner.least.is_constant() && inner.greatest.is_constant() &&
                floor(low.least) == floor(high.greatest))
                add({modulo(inner.least, atom->a), modulo(inner.greatest, atom->a), inner.exact},
                    c);
            else
                add({LinearForm(0), LinearForm(atom->a - 1), true}, c);
            break;
        }
        }
    }
    return sum;
}

std::set<std::string> visible_at(const ScheduleState& state, const Layout& layout,
                                 const LoopRef& loop) {
    std::set<std::string> out;
    LoopRef at = loop;
    for (;;) {
        const StageState* host = state.find(at.stage);
        const auto& nest = host->definitions[static_cast<std::size_t>(at.definition)];
        const auto& host_layout = layout.stages.at(at.stage);
        int position = nest.position_of(at.loop);
        const auto& variables =
            host_layout.nests[static_cast<std::size_t>(at.definition)].variables;
        for (int p = 0; p <= position; ++p)
            out.insert(variables[static_cast<std::size_t>(p)]);
        for (const auto& min : host_layout.mins)
            for (const auto& term : min.terms())
                out.insert(term.first->name);
        if (host->compute.kind != Placement::Kind::At)
            return out;
        at = host->compute.at;
    }
}

std::map<std::string, std::vector<FormInterval>> touched(const Layout& layout, const Stage& stage,
                                                         int d,
                                                         const std::set<std::string>& visible,
                                                         bool writes) {
    std::map<std::string, std::vector<FormInterval>> out;
    const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
    auto axes = axis_intervals(layout, stage, d, visible);
    each_load(definition, [&](const Expr& node) {
        unite(out[node.name], access_intervals(node.args, axes, layout));
    });
    if (writes) {
        if (definition.kind == DefinitionKind::Update) {
            unite(out[stage.name], access_intervals(definition.left, axes, layout));
        } else {
            std::vector<FormInterval> own;
            for (const auto& v : stage.variables)
                own.push_back(axes.at(v));
            unite(out[stage.name], own);
        }
    }
    return out;
}

Result<std::vector<PaddedReads>> lay_out_stage(const ScheduleState& state, const StageState& s,
                                               Layout& layout, PaddedBoxes& padded) {
    const Stage& stage = *layout.derived->find(s.name);
    if (auto closed = padded.close(stage); !closed)
        return closed.errors();
    auto made = StageInference(state, layout).run(s, stage);
    if (!made)
        return made.errors();
    auto reads = padded.reads_beyond(stage, *made);
    if (!reads)
        return reads;
    if (auto size = check_storage_size(s, stage, made->extents); !size)
        return size.errors();
    layout.stages[s.name] = std::move(*made);
    return reads;
}

Result<Layout> infer_layout(const ScheduleState& state, std::shared_ptr<const Pipeline> derived) {
    Layout layout;
    layout.derived = std::move(derived);
    auto boxes = required_boxes(*layout.derived);
    if (!boxes)
        return boxes.errors();
    layout.boxes = std::move(*boxes);
    PaddedBoxes padded(*layout.derived, layout.boxes);
    for (auto s = state.stages.rbegin(); s != state.stages.rend(); ++s) {
        if ((*s)->compute.kind == Placement::Kind::Inline)
            continue;
        auto reads = lay_out_stage(state, **s, layout, padded);
        if (!reads)
            return reads.errors();
        padded.add((*s)->name, *reads);
    }
    if (auto inside = padded.check_inputs(); !inside)
        return inside.errors();
    return layout;
}

} // namespace loopscope
