// Longer than files are here: one inference of regions, whose steps share what is known of each
// stage.
#include "core/schedule/region.h"

#include "core/schedule/levels.h"
#include "core/schedule/loop_paths.h"
#include "core/schedule/nest_layout.h"
#include "core/schedule/padding.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/sliding.h"
#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope {

namespace {

// Lays out one stage after all that its region depends on.
class StageInference {
public:
    StageInference(const ScheduleState& state, LoopPaths& paths, const Readers& readers,
                   Layout& layout)
        : state_(state), paths_(paths), readers_(readers), layout_(layout) {}

    Result<StageLayout> run(const StageState& s, const Stage& stage) {
        StageLayout layout;
        const Box& box = layout_.boxes.at(s.name);
        const bool at_loop =
            s.compute.kind == Placement::Kind::At &&
            !std::any_of(box.begin(), box.end(), [](auto& i) { return i.empty(); });
        if (at_loop)
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
        if (at_loop && !(s.store == s.compute)) {
            if (auto status = check_padded_updates(s, layout); !status)
                return status.errors();
            store_outside(s, layout);
        } else
            for (std::size_t d = 0; d < layout.region.size(); ++d)
                layout.stored.push_back({layout.region[d].least, layout.extents[d], 0});
        return layout;
    }

private:
    // The first definition computes all that a padded update goes on with, hence comes last here.
    Status nests(const StageState& s, const Stage& stage, StageLayout& layout) {
        layout.nests.resize(stage.definitions.size());
        auto computed = layout.needed;
        const bool of_block = shared_by_block(state_, paths_, s);
        for (auto d = stage.definitions.size(); d-- > 0;) {
            const auto& over = d == 0 ? computed : layout.needed;
            auto nest =
                lay_out_nest(stage, s, static_cast<int>(d), over, layout.mins,
                             paths_.merged_variables({s.name, static_cast<int>(d)}), of_block);
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

    // The loops around the stage, outermost first, with the values for which some reader runs.
    std::vector<SlidingLoop> loops_around_stage(const StageState& s) const {
        std::vector<SlidingLoop> out;
        // A host knows the variables and extents of loops that it takes from another definition.
        for (const StageState* inner = &s; inner->compute.kind == Placement::Kind::At;
             inner = state_.find(inner->compute.at.stage)) {
            const auto& at = inner->compute.at;
            const auto d = static_cast<std::size_t>(at.definition);
            const auto& nest = layout_.stages.at(at.stage).nests[d];
            const auto last = state_.find(at.stage)->definitions[d].position_of(at.loop);
            std::vector<SlidingLoop> host;
            for (std::size_t p = 0; p <= static_cast<std::size_t>(last); ++p)
                host.push_back(
                    {nest.variables[p], {0, std::max<std::int64_t>(nest.extents[p] - 1, 0)}});
            out.insert(out.begin(), host.begin(), host.end());
        }
        for (const Reader& reader : readers_.of(s.name))
            for (const auto& [variable, first] : layout_.stages.at(reader.stage->name).firsts)
                for (auto& loop : out)
                    if (loop.variable == variable)
                        loop.range.least = std::min(loop.range.least, first);
        return out;
    }

    // Region variables replaced by what they are in loop variables, of which those in `loops` take
    // the values there.
    LinearForm in_loops(const LinearForm& form, const std::vector<SlidingLoop>& loops) const {
        return with_variables(form, [&](const Atom& atom) -> std::optional<LinearForm> {
            if (auto region = layout_.region_variables.find(atom.name);
                region != layout_.region_variables.end())
                return in_loops(region->second.least, loops);
            for (const auto& loop : loops)
                if (loop.variable == atom.name)
                    return variable_form(loop.variable, loop.range);
            return std::nullopt;
        });
    }

    void in_loops(std::vector<FormInterval>& region, const std::vector<SlidingLoop>& loops) const {
        for (auto& interval : region) {
            interval.least = in_loops(interval.least, loops);
            interval.greatest = in_loops(interval.greatest, loops);
        }
    }

    // How many of the loops around are outside of the place where the stage is stored, or are the
    // one at which it is.
    std::size_t loops_outside(const StageState& s) const {
        if (s.store.kind != Placement::Kind::At)
            return 0;
        return paths_.around(s.name).down_to(s.store.at)->size();
    }

    // The variables that are held where the stage is stored. That loop may be shared, and its own
    // stage not be laid out yet: the stage's hosts know it too.
    std::set<std::string> visible_where_stored(const StageState& s) const {
        if (s.store.kind != Placement::Kind::At)
            return {};
        auto inside = paths_.around(s.name).size() - loops_outside(s); // of the place
        auto at = s.compute.at;
        for (;; at = state_.find(at.stage)->compute.at) {
            const auto d = static_cast<std::size_t>(at.definition);
            const auto last = state_.find(at.stage)->definitions[d].position_of(at.loop);
            const auto count = static_cast<std::size_t>(last) + 1;
            if (inside >= count) {
                inside -= count;
                continue;
            }
            auto visible = held_for(state_, layout_, s, at);
            const auto& variables = layout_.stages.at(at.stage).nests[d].variables;
            for (auto p = count - inside; p < count; ++p)
                visible.erase(variables[p]);
            return visible;
        }
    }

    // What an iteration computes where earlier ones left their part in memory.
    void slide(const StageState& s, const Stage& stage, std::vector<SlidingLoop>& loops,
               std::vector<FormInterval>& region, StageLayout& layout) {
        in_loops(region, loops);
        const auto outside = loops_outside(s);
        auto sliding =
            find_sliding(region, slidable(stage),
                         {loops.begin() + static_cast<std::ptrdiff_t>(outside), loops.end()});
        for (std::size_t l = outside; l < loops.size(); ++l)
            loops[l].range.least -= sliding.warm_up[l - outside];
        in_loops(region, loops);
        for (std::size_t l = outside; l < loops.size(); ++l)
            if (const auto& moves = sliding.moves[l - outside])
                layout.moves[loops[l].variable] = in_loops(*moves, loops);
        for (std::size_t d = 0; d < region.size(); ++d) {
            const auto& dimension = sliding.dimensions[d];
            if (dimension.slides && dimension.downward)
                region[d].greatest = region[d].least + LinearForm(dimension.step - 1);
            else if (dimension.slides)
                region[d].least = region[d].greatest - LinearForm(dimension.step - 1);
        }
        layout.sliding = std::move(sliding.dimensions);
    }

    void region_at(const StageState& s, const Stage& stage, StageLayout& layout) {
        auto visible = held_for(state_, layout_, s, s.compute.at);
        auto region = needed_by_readers(layout_, readers_, s.name, visible);
        const Box& box = layout_.boxes.at(s.name);
        if (region.empty()) // nothing reads it: only its updates, if any, give it a region
            for (const auto& interval : box)
                region.push_back({LinearForm(interval.least), LinearForm(interval.greatest), true});
        add_own_updates(layout_, stage, box, region);
        auto loops = loops_around_stage(s);
        if (!(s.store == s.compute))
            slide(s, stage, loops, region, layout);
        for (const auto& loop : loops)
            if (loop.range.least < 0) {
                layout.firsts[loop.variable] = loop.range.least;
                auto& begin = layout_.begins[loop.variable];
                begin = std::min(begin, loop.range.least);
            }
        if (!layout.firsts.empty())
            in_loops(region, loops);
        for (const auto& interval : settled_region(layout_, stage, box, region)) {
            const auto d = layout.region.size();
            const auto& min = interval.least;
            layout.exact = layout.exact && interval.exact;
            layout.region.push_back(interval);
            layout.needed.push_back((interval.greatest - interval.least).constant() + 1);
            if (min.is_constant()) {
                layout.mins.push_back(min);
                continue;
            }
            std::string name = s.name + "." + stage.variables[d] + ".min";
            layout_.region_variables[name] = {min, min, true};
            layout.mins.push_back(variable_form(name, min.range()));
        }
    }

    // Where iterations leave to later ones what they have computed, the points that a padded tail
    // computes beyond the end must not be among those: it would compute them over what updates have
    // changed, and these do not run again there. They are not where the dimension does not move,
    // nor where it moves upwards alone.
    static Status check_padded_updates(const StageState& s, const StageLayout& layout) {
        if (s.definitions.size() < 2 ||
            std::none_of(layout.sliding.begin(), layout.sliding.end(),
                         [](const auto& dimension) { return dimension.slides; }))
            return success();
        for (std::size_t d = 0; d < layout.needed.size(); ++d)
            if (layout.extents[d] > layout.needed[d] && !layout.mins[d].is_constant() &&
                !layout.sliding[d].rises) {
                return coded_error(
                    kCodePadding,
                    s.name + " has updates and a padded tail, and is stored outside of where it is "
                             "computed: the padding would overwrite what its updates keep there",
                    "give its tails guard, or leave out its store_at or store_root");
            }
        return success();
    }

    // Memory at an outer loop: all that is needed and computed while it lives, or, of a dimension
    // that folds, what is needed at a time. Padded tails compute some more at the upper end.
    void store_outside(const StageState& s, StageLayout& layout) {
        const auto visible = visible_where_stored(s);
        const Box& box = layout_.boxes.at(s.name);
        auto needed = needed_by_readers(layout_, readers_, s.name, visible);
        for (std::size_t d = 0; d < box.size(); ++d) {
            const auto more = layout.extents[d] - layout.needed[d];
            FormInterval own{
                layout_.over(layout.region[d].least, visible).least,
                layout_.over(layout.region[d].least + LinearForm(layout.needed[d] - 1), visible)
                    .greatest,
                true};
            auto all = needed.empty() ? own : hull(own, needed[d]);
            auto extent = std::clamp<std::int64_t>(
                difference_range(all.greatest, all.least).greatest + 1, 1, box[d].extent());
            StoredDimension stored{clamp(all.least, box[d].least, box[d].greatest - extent + 1),
                                   extent + more, 0};
            // Updates may have widened what an iteration computes beyond what is read of it at a
            // time.
            const auto window = std::max(layout.sliding[d].window, layout.needed[d]);
            if (layout.sliding[d].folds && window + more < stored.extent)
                stored.fold = window + more;
            else if (!stored.min.is_constant())
                layout_.region_variables[base_variable(
                    s.name, layout_.derived->find(s.name)->variables[d])] = {stored.min, stored.min,
                                                                             true};
            layout.stored.push_back(std::move(stored));
        }
    }

    const ScheduleState& state_;
    LoopPaths& paths_;
    const Readers& readers_;
    Layout& layout_;
};

} // namespace

std::string base_variable(const std::string& stage, const std::string& index) {
    return stage + "." + index + ".base";
}

std::string minimum_variable(const StageState& stage, const Stage& declared,
                             const StageLayout& layout, std::size_t d) {
    const bool own = stage.store == stage.compute;
    if (own ? layout.mins[d].is_constant()
            : layout.stored[d].fold > 0 || layout.stored[d].min.is_constant())
        return {};
    return own ? stage.name + "." + declared.variables[d] + ".min"
               : base_variable(stage.name, declared.variables[d]);
}

std::vector<std::int64_t> stored_extents(const StageLayout& layout) {
    std::vector<std::int64_t> out;
    for (const auto& d : layout.stored)
        out.push_back(d.fold > 0 ? d.fold : d.extent);
    return out;
}

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
                // Iterations that warm something up are values too: a hull of forms holds for them
                // as well.
                const auto begin = begins.find(atom->name);
                const auto form =
                    begin == begins.end()
                        ? LinearForm(atom)
                        : variable_form(atom->name, {std::min(begin->second, atom->range.least),
                                                     atom->range.greatest});
                add({form, form, true}, c);
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

LinearForm Layout::in_all_iterations(const LinearForm& form) const {
    return with_variables(form, [&](const Atom& atom) -> std::optional<LinearForm> {
        auto range = atom.range;
        if (auto begin = begins.find(atom.name); begin != begins.end())
            range.least = std::min(range.least, begin->second);
        else if (auto region = region_variables.find(atom.name); region != region_variables.end())
            range = hull(range, in_all_iterations(region->second.least).range());
        return variable_form(atom.name, range);
    });
}

ExprPtr Layout::expr(const LinearForm& form) const {
    return begins.empty() ? to_expr(form) : to_expr(form, in_all_iterations(form));
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

namespace {

// Variables of the loops around a stage that number members of a unit which shares its memory.
std::set<std::string> numbering_sharers(const ScheduleState& state, const Layout& layout,
                                        const StageState& stage) {
    std::set<std::string> out;
    for (const auto* inner = &stage; inner->compute.kind == Placement::Kind::At;
         inner = state.find(inner->compute.at.stage)) {
        const auto& at = inner->compute.at;
        const auto d = static_cast<std::size_t>(at.definition);
        const auto& loops = state.find(at.stage)->definitions[d].loops;
        const auto& variables = layout.stages.at(at.stage).nests[d].variables;
        for (std::size_t p = 0; p < loops.size(); ++p)
            if (loops[p].numbers.any() &&
                !device::is_inside(stage.scope.shared_by, loops[p].numbers.unit))
                out.insert(variables[p]);
    }
    return out;
}

} // namespace

std::set<std::string> held_for(const ScheduleState& state, const Layout& layout,
                               const StageState& stage, const LoopRef& loop) {
    auto visible = visible_at(state, layout, loop);
    if (stage.scope.shared_by == device::Unit::Thread) // or inferred: inside of no such loop
        return visible;
    for (const auto& variable : numbering_sharers(state, layout, stage))
        visible.erase(variable);
    // Minima of regions that follow from what is not held are not held either.
    auto follows = [&](const std::string& name) {
        auto region = layout.region_variables.find(name);
        if (region == layout.region_variables.end())
            return false;
        bool missing = false;
        with_variables(region->second.least, [&](const Atom& atom) {
            missing = missing || !visible.count(atom.name);
            return std::optional<LinearForm>();
        });
        return missing;
    };
    while (std::erase_if(visible, follows) > 0)
        ;
    return visible;
}

std::map<std::string, std::vector<FormInterval>> touched(const Layout& layout, const Stage& stage,
                                                         int d,
                                                         const std::set<std::string>& visible,
                                                         bool writes, Guards guards) {
    std::map<std::string, std::vector<FormInterval>> out;
    const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
    auto axes = axis_intervals(layout, stage, d, visible, guards);
    each_load(definition, [&](const Expr& node) {
        unite(out[node.name], access_intervals(node.args, definition, axes, layout));
    });
    if (writes) {
        if (definition.kind == DefinitionKind::Update) {
            unite(out[stage.name], access_intervals(definition.left, definition, axes, layout));
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
                                               LoopPaths& paths, const Readers& readers,
                                               Layout& layout, PaddedBoxes& padded) {
    const Stage& stage = *layout.derived->find(s.name);
    if (auto closed = padded.close(stage); !closed)
        return closed.errors();
    auto made = StageInference(state, paths, readers, layout).run(s, stage);
    if (!made)
        return made.errors();
    auto reads = padded.reads_beyond(stage, *made);
    if (!reads)
        return reads;
    if (auto size = check_storage_size(s, stage, stored_extents(*made)); !size)
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
    LoopPaths paths(state);
    Readers readers(*layout.derived);
    for (auto s = state.stages.rbegin(); s != state.stages.rend(); ++s) {
        if ((*s)->compute.kind == Placement::Kind::Inline)
            continue;
        auto reads = lay_out_stage(state, **s, paths, readers, layout, padded);
        if (!reads)
            return reads.errors();
        padded.add((*s)->name, *reads);
        readers.add((*s)->name);
    }
    if (auto inside = padded.check_inputs(); !inside)
        return inside.errors();
    return layout;
}

} // namespace loopscope
