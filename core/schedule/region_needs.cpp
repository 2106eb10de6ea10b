#include "core/schedule/region_needs.h"

#include <algorithm>

namespace loopscope {

void unite(std::vector<FormInterval>& into, const std::vector<FormInterval>& more) {
    if (into.empty()) {
        into = more;
        return;
    }
    for (std::size_t d = 0; d < into.size(); ++d)
        into[d] = hull(into[d], more[d]);
}

void Readers::add(const std::string& stage) {
    const Stage& reader = *derived_.find(stage);
    std::map<std::string, std::vector<Reader>> own;
    for (std::size_t d = 0; d < reader.definitions.size(); ++d)
        each_load(reader.definitions[d], [&](const Expr& load) {
            auto& of = own[load.name];
            if (of.empty() || of.back().definition != d)
                of.push_back({&reader, d, {}});
            of.back().loads.push_back(&load);
        });
    for (auto& [name, more] : own) {
        // has no region to be found
        if (derived_.find(name)->is_input)
            continue;
        auto& all = readers_[name];
        const auto at = std::upper_bound(all.begin(), all.end(), stage,
                                         [](const std::string& added, const Reader& other) {
                                             return added < other.stage->name;
                                         });
        all.insert(at, std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
}

const std::vector<Reader>& Readers::of(const std::string& name) const {
    static const std::vector<Reader> none;
    const auto found = readers_.find(name);
    return found == readers_.end() ? none : found->second;
}

namespace {

// How often one form is part of another; 0: it is not.
std::int64_t times_in(const LinearForm& part, const LinearForm& form) {
    if (part.is_constant())
        return 0;
    const auto& [atom, count] = part.terms().front();
    for (const auto& [other, c] : form.terms()) {
        if (other->key != atom->key || c % count != 0)
            continue;
        const auto rest = form - part * (c / count);
        return rest.terms().size() + part.terms().size() == form.terms().size() ? c / count : 0;
    }
    return 0;
}

bool share_variables(const LinearForm& one, const LinearForm& other) {
    bool shared = false;
    with_variables(one, [&](const Atom& atom) -> std::optional<LinearForm> {
        shared = shared || depends_on(other, atom.name);
        return std::nullopt;
    });
    return shared;
}

// The value of an axis for the points that guards inside of tiles let run, while some variables are
// held: what would lie behind the end of a tile is the end. Inexact where iterations may be left
// without a point, or a guard is not understood.
FormInterval inside_tiles(const Layout& layout, const NestLayout& nest, LinearForm value,
                          const std::set<std::string>& visible) {
    auto guards = nest.guards; // inner ones first
    const auto whole = value;  // where a guard leaves one value it is a constant in the end
    bool exact = true;
    for (std::size_t g = 0; g < guards.size(); ++g) {
        const auto guard = guards[g];
        if (guard.whole || guard.limit < 1)
            continue;
        const auto held = clamp(guard.value, guard.value.range().least, guard.limit - 1);
        auto hold = [&](LinearForm& form) {
            const auto times = times_in(guard.value, form);
            form = form + (held - guard.value) * times;
            return times != 0 || !share_variables(guard.value, form);
        };
        exact = hold(value) && exact;
        for (auto outer = g + 1; outer < guards.size(); ++outer)
            hold(guards[outer].value);
        if (layout.over(guard.value, visible).least.range().greatest >= guard.limit)
            exact = exact && !share_variables(nest.guards[g].value, whole);
    }
    auto interval = layout.over(value, visible);
    interval.exact = interval.exact && exact;
    return interval;
}

} // namespace

std::map<std::string, FormInterval> axis_intervals(const Layout& layout, const Stage& stage, int d,
                                                   const std::set<std::string>& visible,
                                                   Guards guards) {
    const auto& stage_layout = layout.stages.at(stage.name);
    const auto& nest = stage_layout.nests[static_cast<std::size_t>(d)];
    const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
    std::map<std::string, FormInterval> out;
    for (std::size_t a = 0; a < nest.axes.size(); ++a) {
        auto interval = guards == Guards::None
                            ? layout.over(nest.axes[a].second, visible)
                            : inside_tiles(layout, nest, nest.axes[a].second, visible);
        const bool constant = interval.least.is_constant() && interval.greatest.is_constant();
        if (constant || guards == Guards::All) {
            Interval limit;
            if (a < definition.free.size()) {
                auto position = stage.dimension_of(definition.free[a]);
                limit = layout.boxes.at(stage.name)[position];
                limit.greatest += nest.computed[a] - stage_layout.needed[position];
            } else {
                const auto& axis = definition.axes[a - definition.free.size()];
                limit = {axis.begin.hint(), axis.end.hint() - 1};
            }
            if (!constant && !limit.empty() &&
                interval.greatest.range().greatest > limit.greatest) {
                const auto least = std::min(limit.least, interval.least.range().least);
                interval.least = clamp(interval.least, least, limit.greatest);
                interval.greatest = clamp(interval.greatest, least, limit.greatest);
            } else if (constant && interval.greatest.constant() > limit.greatest &&
                       !limit.empty()) {
                interval.greatest = LinearForm(std::max(limit.greatest, interval.least.constant()));
            }
        }
        out.emplace(nest.axes[a].first, std::move(interval));
    }
    return out;
}

std::vector<FormInterval> access_intervals(const std::vector<ExprPtr>& indices,
                                           const Definition& definition,
                                           const std::map<std::string, FormInterval>& axes,
                                           const Layout& layout) {
    std::vector<FormInterval> out;
    for (const auto& index : indices)
        out.push_back(index_interval(index, definition, axes, layout));
    return out;
}

namespace {

// Is the index the dimension's own free variable? An `over` axis may bear a variable's name.
bool is_own(const Stage& stage, const Definition& definition, const std::vector<ExprPtr>& indices,
            std::size_t d) {
    return indices[d]->kind == ExprKind::Variable && indices[d]->name == stage.variables[d] &&
           std::find(definition.free.begin(), definition.free.end(), indices[d]->name) !=
               definition.free.end();
}

// One round over the stage's updates: widens the region by what they write and what they read of
// the stage itself.
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
            auto intervals = access_intervals(indices, definition, axes, layout);
            for (std::size_t d = 0; d < indices.size(); ++d) {
                if (!is_own(stage, definition, indices, d))
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

} // namespace

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

namespace {

// The box holds all that is needed; a region that would leave it moves back inside, whole: the same
// extent in every iteration, and no guard. Points computed twice are the same points.
std::vector<FormInterval> moved_inside(const std::vector<FormInterval>& region, const Box& box) {
    std::vector<FormInterval> out;
    for (std::size_t d = 0; d < region.size(); ++d) {
        const auto extent = std::clamp<std::int64_t>(
            difference_range(region[d].greatest, region[d].least).greatest + 1, 1, box[d].extent());
        auto least = clamp(region[d].least, box[d].least, box[d].greatest - extent + 1);
        out.push_back({least, least + LinearForm(extent - 1), region[d].exact});
    }
    return out;
}

} // namespace

std::vector<FormInterval> settled_region(const Layout& layout, const Stage& stage, const Box& box,
                                         const std::vector<FormInterval>& region) {
    auto settled = moved_inside(region, box);
    if (stage.definitions.size() == 1)
        return settled;
    // What moved is computed elsewhere, and so is what updates write from there on. After as many
    // rounds as a chain of updates can need a dimension that still changes is computed whole, for
    // good: this ends.
    const auto rounds = stage.definitions.size() * (stage.variables.size() + 1);
    for (std::size_t round = 0;; ++round) {
        auto wider = settled;
        widen_by_updates(layout, stage, wider);
        wider = moved_inside(wider, box);
        bool changed = false;
        for (std::size_t d = 0; d < wider.size(); ++d) {
            if (wider[d].least == settled[d].least && wider[d].greatest == settled[d].greatest)
                continue;
            changed = true;
            settled[d] = round < rounds ? wider[d]
                                        : FormInterval{LinearForm(box[d].least),
                                                       LinearForm(box[d].greatest), false};
        }
        if (!changed)
            return settled;
    }
}

namespace {

std::vector<FormInterval> needed(const Layout& layout, const std::vector<Reader>& readers,
                                 const std::set<std::string>& visible, Guards guards) {
    std::vector<FormInterval> region;
    for (const Reader& reader : readers) {
        const auto& definition = reader.stage->definitions[reader.definition];
        auto axes = axis_intervals(layout, *reader.stage, static_cast<int>(reader.definition),
                                   visible, guards);
        for (const Expr* load : reader.loads)
            unite(region, access_intervals(load->args, definition, axes, layout));
    }
    return region;
}

bool any_guarded(const Layout& layout, const std::vector<Reader>& readers) {
    return std::any_of(readers.begin(), readers.end(), [&](const Reader& reader) {
        return !layout.stages.at(reader.stage->name).nests[reader.definition].guards.empty();
    });
}

double size(const std::vector<FormInterval>& region) {
    double size = 1;
    for (const auto& interval : region)
        size *=
            static_cast<double>(difference_range(interval.greatest, interval.least).greatest + 1);
    return size;
}

} // namespace

std::vector<FormInterval> needed_by_readers(const Layout& layout, const Readers& readers,
                                            const std::string& name,
                                            const std::set<std::string>& visible) {
    const auto& all = readers.of(name);
    auto region = needed(layout, all, visible, Guards::None);
    if (!any_guarded(layout, all))
        return region;
    // Forms without clamps are simpler code: they are taken unless they cost elements.
    auto held = needed(layout, all, visible, Guards::All);
    return size(held) < size(region) ? held : region;
}

std::vector<bool> slidable(const Stage& stage) {
    std::vector<bool> out(stage.variables.size(), true);
    for (const auto& definition : stage.definitions) {
        if (definition.kind != DefinitionKind::Update)
            continue;
        auto hold = [&](const std::vector<ExprPtr>& indices) {
            for (std::size_t d = 0; d < indices.size(); ++d)
                out[d] = out[d] && is_own(stage, definition, indices, d);
        };
        hold(definition.left);
        each_load(definition, [&](const Expr& node) {
            if (node.name == stage.name)
                hold(node.args);
        });
    }
    return out;
}

} // namespace loopscope
