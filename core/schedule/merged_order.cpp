// Do merged loops keep the order that matters (merging.h)? A later definition may read, in an
// iteration of the shared loops, what the earlier one has computed in that iteration or in one
// before it.
//
// An element of the earlier stage E is written where the loops over its free variables say, so that
// each shared loop moves one dimension. Where, along each dimension, what the iterations write goes
// on without gaps and never back, all elements up to the end of the present part have been written
// in iterations that are not later in any of the loops of that dimension, hence lexicographically
// not later; so an iteration may read whatever does not lie beyond that end.
//
// What an iteration writes is spoken of by its first and last element: those between must be
// written in it, too. Where the loops inside go in strides (y = yo*5 + yi, with yi shared and yo
// inside), it may read no elements but those it writes.

#include "core/schedule/loop_kinds.h"
#include "core/schedule/loop_paths.h"
#include "core/schedule/merge_terms.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"
#include "core/schedule/region_needs.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

using merging::refuse;
using merging::text;

const NestLayout& layout_of(const Layout& layout, const DefinitionKey& key) {
    return layout.stages.at(key.first).nests[static_cast<std::size_t>(key.second)];
}

struct SharedLoop {
    std::string variable;
    std::int64_t extent = 0;
    bool at_once = false;
    bool of_grid = false;
};

// A term of a form while some variables are held: how far apart its neighbouring values lie at
// most, and how far the first and the last lie apart at least.
struct Moving {
    std::int64_t gap = 0, spread = 0;
};

class Pair {
public:
    Pair(const ScheduleState& state, const Layout& layout, LoopPaths& paths, DefinitionKey earlier,
         DefinitionKey later)
        : state_(state),
          layout_(layout),
          earlier_(std::move(earlier)),
          later_(std::move(later)),
          stage_(*layout.derived->find(earlier_.first)),
          same_stage_(earlier_.first == later_.first) {
        const auto first = paths.around_point(earlier_).loops();
        const auto second = paths.around_point(later_).loops();
        const auto outside = paths.around(earlier_.first).size();
        for (std::size_t l = 0; l < first.size() && l < second.size() && first[l] == second[l];
             ++l) {
            const auto& ref = first[l];
            const DefinitionKey owner{ref.stage, ref.definition};
            const auto& nest = nest_of(state, owner);
            const auto p = static_cast<std::size_t>(nest.position_of(ref.loop));
            visible_.insert(layout_of(layout, owner).variables[p]);
            if (l < outside)
                continue;
            shared_.push_back({layout_of(layout, owner).variables[p],
                               layout_of(layout, owner).extents[p], runs_on_threads(nest.loops[p]),
                               nest.loops[p].numbers.unit == device::Unit::Grid});
        }
    }

    Status check() {
        auto touched_later = touched(layout_, *layout_.derived->find(later_.first), later_.second,
                                     visible_, same_stage_, Guards::InsideTiles);
        auto reads = touched_later.find(earlier_.first);
        if (reads == touched_later.end())
            return success();
        const auto& nest = nest_of(state_, earlier_);
        for (std::size_t p = 0; p < shared_.size(); ++p)
            if (nest.loops[p].reduction)
                return refuse(text(later_) + " reads " + earlier_.first + ", which is complete " +
                                  "only after the last iteration of " + nest.loops[p].name,
                              "share loops outside of that one");
        const auto written = writes();
        for (std::size_t d = 0; d < written.size(); ++d)
            if (!dense(d) &&
                !(same_points(later_, d) && (!same_stage_ || same_points(earlier_, d))))
                return not_proven("an iteration of the merged loops computes points of " +
                                  earlier_.first + " that do not lie side by side along " +
                                  stage_.variables[d]);
        if (!same_stage_ && repeats_points([](const SharedLoop& loop) { return loop.of_grid; }))
            return refuse(text(earlier_) + " computes some points in two blocks, of which one " +
                              "would read what the other stores",
                          "give its tails no shift");
        if (contained(reads->second, written))
            return same_stage_ ? check_alone(written) : success();
        if (same_stage_)
            return not_proven("an iteration of the merged loops touches more of " + earlier_.first +
                              " than " + text(earlier_) + " writes in it");
        return check_behind(reads->second, written);
    }

private:
    // What an iteration of the shared loops writes of the earlier stage.
    std::vector<FormInterval> writes() const {
        const auto& definition = stage_.definitions[static_cast<std::size_t>(earlier_.second)];
        const auto axes =
            axis_intervals(layout_, stage_, earlier_.second, visible_, Guards::InsideTiles);
        if (definition.kind == DefinitionKind::Update)
            return access_intervals(definition.left, definition, axes, layout_);
        std::vector<FormInterval> out;
        for (const auto& v : stage_.variables)
            out.push_back(axes.at(v));
        return out;
    }

    bool is_held(const std::string& variable) const {
        return visible_.count(variable) || layout_.region_variables.count(variable);
    }
    bool is_held(const LinearForm& form) const {
        return std::all_of(form.terms().begin(), form.terms().end(), [&](const auto& term) {
            return term.first->kind == Atom::Kind::Variable ? is_held(term.first->name)
                                                            : is_held(term.first->inner);
        });
    }
    bool follows_shared(const LinearForm& form) const {
        return std::any_of(shared_.begin(), shared_.end(),
                           [&](const SharedLoop& loop) { return depends_on(form, loop.variable); });
    }

    // How a form moves with the variables that are not held, of which no two terms have one.
    // Nothing: that is not known.
    std::optional<Moving> moving(const LinearForm& form) const {
        std::vector<Moving> terms;
        for (const auto& [atom, c] : form.terms()) {
            const auto factor = c < 0 ? -c : c;
            if (atom->kind == Atom::Kind::Variable) {
                if (!is_held(atom->name) && atom->range.extent() > 1)
                    terms.push_back({factor, factor * (atom->range.extent() - 1)});
                continue;
            }
            if (is_held(atom->inner))
                continue;
            const auto inner = moving(atom->inner);
            if (!inner || atom->kind == Atom::Kind::Modulo)
                return std::nullopt;
            const bool divides = atom->kind == Atom::Kind::FloorDivide;
            terms.push_back({factor * (divides ? (inner->gap + atom->a - 1) / atom->a : inner->gap),
                             divides ? factor * (inner->spread / atom->a) : 0});
        }
        std::sort(terms.begin(), terms.end(),
                  [](const auto& one, const auto& other) { return one.gap < other.gap; });
        Moving out;
        for (const auto& term : terms) {
            out.gap = std::max<std::int64_t>(out.gap, term.gap > out.spread + 1 ? term.gap : 1);
            out.spread += term.spread;
        }
        return out;
    }

    const LinearForm* axis_of(const DefinitionKey& key, const std::string& name) const {
        for (const auto& [axis, value] : layout_of(layout_, key).axes)
            if (axis == name)
                return &value;
        return nullptr;
    }

    // Along the dimension: are the points that an iteration of the shared loops writes all between
    // the first and the last? Of a dimension that these do not move they are all that is ever
    // written.
    bool dense(std::size_t d) const {
        const auto& free = stage_.definitions[static_cast<std::size_t>(earlier_.second)].free;
        if (std::find(free.begin(), free.end(), stage_.variables[d]) == free.end())
            return true;
        const auto* form = axis_of(earlier_, stage_.variables[d]);
        if (!follows_shared(*form))
            return true;
        const auto moves = moving(*form);
        return moves && moves->gap <= 1;
    }

    // Does a definition touch the earlier stage, in each iteration of the shared loops, only at the
    // points along the dimension that are written in it, by loops of the same strides?
    bool same_points(const DefinitionKey& key, std::size_t d) const {
        const auto& definition =
            layout_.derived->find(key.first)->definitions[static_cast<std::size_t>(key.second)];
        const auto written = strides(*axis_of(earlier_, stage_.variables[d]));
        auto same = [&](const std::vector<ExprPtr>& indices) {
            const auto* axis =
                indices[d]->kind == ExprKind::Variable ? axis_of(key, indices[d]->name) : nullptr;
            return axis && strides(*axis) == written;
        };
        bool all = true;
        each_load(definition, [&](const Expr& load) {
            all = all && (load.name != earlier_.first || same(load.args));
        });
        return all && (key.first != earlier_.first || definition.kind != DefinitionKind::Update ||
                       same(definition.left));
    }

    // What is held, and the factors and numbers of the loops that move the rest.
    struct Strides {
        LinearForm held;
        std::vector<std::pair<std::int64_t, std::int64_t>> others;
        bool operator==(const Strides&) const = default;
    };
    Strides strides(const LinearForm& form) const {
        Strides out{LinearForm(form.constant()), {}};
        for (const auto& [atom, c] : form.terms())
            if (atom->kind == Atom::Kind::Variable && !is_held(atom->name))
                out.others.emplace_back(c, atom->range.extent());
            else
                out.held = out.held + LinearForm(atom) * c;
        std::sort(out.others.begin(), out.others.end());
        return out;
    }

    static bool contained(const std::vector<FormInterval>& part,
                          const std::vector<FormInterval>& whole) {
        for (std::size_t d = 0; d < whole.size(); ++d)
            if (!whole[d].exact ||
                difference_range(part[d].greatest, whole[d].greatest).greatest > 0 ||
                difference_range(part[d].least, whole[d].least).least < 0)
                return false;
        return true;
    }

    // Two definitions of one stage: no other iteration may touch what one has written.
    Status check_alone(const std::vector<FormInterval>& written) const {
        if (repeats_points([](const SharedLoop&) { return true; }))
            return refuse(text(earlier_) + " computes some points twice, the second time after " +
                              text(later_) + " has changed them",
                          "give its tails no shift");
        auto own = touched(layout_, stage_, earlier_.second, visible_, true, Guards::InsideTiles);
        if (!contained(own.at(earlier_.first), written))
            return not_proven(text(earlier_) + " reads what other iterations of the merged loops " +
                              "write");
        return success();
    }

    // Do iterations of such shared loops compute points that others have computed? A tail that
    // shifts inside of all of them repeats points of the same iteration.
    template <typename Which> bool repeats_points(Which&& which) const {
        const auto& nest = layout_of(layout_, earlier_);
        for (std::size_t l = 0; l < nest.tails.size(); ++l) {
            if (std::none_of(nest.tails[l].begin(), nest.tails[l].end(),
                             [](const auto& tail) { return tail.used == Tail::Shift; }))
                continue;
            for (const auto& [axis, value] : nest.axes)
                if (depends_on(value, nest.variables[l]))
                    for (std::size_t s = 0; s < shared_.size() && s < nest.variables.size(); ++s)
                        if (which(shared_[s]) && depends_on(value, nest.variables[s]))
                            return true;
        }
        return false;
    }

    Status check_behind(const std::vector<FormInterval>& reads,
                        const std::vector<FormInterval>& written) const {
        std::vector<std::vector<std::size_t>> movers(written.size());
        for (std::size_t l = 0; l < shared_.size(); ++l) {
            int moved = 0;
            for (std::size_t d = 0; d < written.size(); ++d)
                if (moves(written, d, shared_[l].variable)) {
                    movers[d].push_back(l);
                    ++moved;
                }
            if (moved > 1)
                return not_proven("a merged loop moves " + earlier_.first +
                                  " along several dimensions");
        }
        for (std::size_t d = 0; d < written.size(); ++d) {
            const auto beyond = difference_range(reads[d].greatest, written[d].greatest).greatest;
            const auto& index = stage_.variables[d];
            if (!movers[d].empty() && !written[d].exact)
                return not_proven("which elements the iterations of the merged loops compute " +
                                  std::string("along ") + index + " is not known");
            if (beyond > 0)
                return not_proven("an iteration of the merged loops reads up to " +
                                  std::to_string(beyond) + " elements beyond what has been " +
                                  "computed so far along " + index);
            const bool before = difference_range(reads[d].least, written[d].least).least < 0;
            for (auto l : movers[d])
                if (before && shared_[l].at_once)
                    return not_proven("an iteration of the merged loops reads what another one " +
                                      std::string("computes along ") + index +
                                      ", and they run at once");
            if (!goes_on(written[d], movers[d]))
                return not_proven("the merged loops do not go through " + earlier_.first +
                                  " in one direction along " + index);
        }
        return success();
    }

    // Does the loop decide what is written along the dimension? Also where it does by leaving
    // iterations without a point.
    bool moves(const std::vector<FormInterval>& written, std::size_t d,
               const std::string& loop) const {
        if (depends_on(written[d].least, loop) || depends_on(written[d].greatest, loop))
            return true;
        const auto* axis = axis_of(earlier_, stage_.variables[d]);
        return !written[d].exact && axis && depends_on(*axis, loop);
    }

    LinearForm at(const LinearForm& form, std::size_t loop, const LinearForm& value) const {
        return at_value(form, shared_[loop].variable, value);
    }

    // From each iteration of the loops to the next, the inner ones starting anew: without a gap,
    // and not back.
    bool goes_on(const FormInterval& written, const std::vector<std::size_t>& movers) const {
        for (std::size_t i = 0; i < movers.size(); ++i) {
            auto last = written, first = written;
            for (std::size_t j = i + 1; j < movers.size(); ++j) {
                const LinearForm end(std::max<std::int64_t>(shared_[movers[j]].extent - 1, 0));
                last = {at(last.least, movers[j], end), at(last.greatest, movers[j], end), true};
                first = {at(first.least, movers[j], LinearForm(0)),
                         at(first.greatest, movers[j], LinearForm(0)), true};
            }
            const auto& loop = shared_[movers[i]];
            if (loop.extent < 2)
                continue;
            const auto now = variable_form(loop.variable, {1, loop.extent - 1});
            const auto before = now - LinearForm(1);
            const auto end = at(last.greatest, movers[i], before);
            if (difference_range(at(first.greatest, movers[i], now), end).least < 0 ||
                difference_range(at(first.least, movers[i], now), end).greatest > 1)
                return false;
        }
        return true;
    }

    // Where all that reads the earlier stage is inside of the later nest.
    std::string instead() const {
        const auto graph = read_graph(state_);
        const auto& readers = graph->readers(earlier_.first);
        return same_stage_ || state_.pipeline->find_output(earlier_.first) ||
                       readers != std::vector<DefinitionKey>{later_}
                   ? ""
                   : " and compute " + earlier_.first + " at a loop of " + text(later_);
    }

    Status not_proven(const std::string& reason) const {
        return refuse(text(later_) + " reads " + earlier_.first + ", and it is not proven that " +
                          "this is computed before: " + reason,
                      "share fewer loops, or leave the two apart" + instead());
    }

    const ScheduleState& state_;
    const Layout& layout_;
    DefinitionKey earlier_, later_;
    const Stage& stage_;
    bool same_stage_;
    std::vector<SharedLoop> shared_;
    std::set<std::string> visible_;
};

Status check_trips(const ScheduleState& state, const Layout& layout, const DefinitionKey& own) {
    const auto& with = *nest_of(state, own).with;
    const DefinitionKey host{with.stage, with.definition};
    const auto& mine = layout_of(layout, own);
    const auto& its = layout_of(layout, host);
    for (std::size_t p = 0; p < merged_loops(state, own); ++p)
        if (mine.extents[p] != its.extents[p])
            return refuse(
                text(own) + "." + nest_of(state, own).loops[p].name + " has " +
                    std::to_string(mine.extents[p]) + " iterations, and " + text(host) + "." +
                    nest_of(state, host).loops[p].name + " has " + std::to_string(its.extents[p]),
                "only loops of the same extent become one; split them so that they have it");
    if (layout.stages.at(own.first).firsts != layout.stages.at(host.first).firsts)
        return refuse(own.first + " and " + host.first +
                          " do not run in the same iterations of the loops around: one of them " +
                          "warms up a sliding window",
                      "leave the two apart, or leave out the store_at of what reads them");
    return success();
}

} // namespace

MergedOrder merged_order(const ScheduleState& state,
                         const std::function<bool(const std::string&)>& concerns) {
    MergedOrder out;
    const MergeGroups groups(state);
    const auto graph = read_graph(state);
    LoopPaths paths(state);
    auto around = [&](const DefinitionKey& key) {
        std::set<std::string> stages{key.first};
        for (const auto& loop : paths.around_point(key).loops())
            stages.insert(loop.stage);
        return stages;
    };
    for (const auto& group : groups.all()) {
        std::map<std::string, std::vector<std::size_t>> members; // by stage: places in the group
        std::vector<std::set<std::string>> stages;
        std::vector<bool> concerned;
        for (std::size_t j = 0; j < group.size(); ++j) {
            const auto& later = group[j];
            stages.push_back(around(later));
            concerned.push_back(std::any_of(stages[j].begin(), stages[j].end(), concerns));
            if (const auto& with = nest_of(state, later).with;
                with && (concerned[j] || concerns(with->stage))) {
                out.trips.push_back(later);
                out.stages.insert(with->stage);
                out.stages.insert(stages[j].begin(), stages[j].end());
            }
            // What it does not touch may come in any order.
            auto sources = graph->reads(later.first, later.second);
            sources.insert(later.first);
            for (const auto& source : sources)
                if (const auto known = members.find(source); known != members.end())
                    for (auto i : known->second)
                        if (concerned[i] || concerned[j]) {
                            out.pairs.emplace_back(group[i], later);
                            out.stages.insert(stages[i].begin(), stages[i].end());
                            out.stages.insert(stages[j].begin(), stages[j].end());
                        }
            members[later.first].push_back(j);
        }
    }
    return out;
}

Status check_merged_order(const ScheduleState& state, const Layout& layout,
                          const MergedOrder& order) {
    for (const auto& own : order.trips)
        if (auto trips = check_trips(state, layout, own); !trips)
            return trips;
    LoopPaths paths(state);
    for (const auto& [earlier, later] : order.pairs)
        if (auto legal = Pair(state, layout, paths, earlier, later).check(); !legal)
            return legal;
    return success();
}

Status check_merged_order(const ScheduleState& state, const Layout& layout) {
    return check_merged_order(state, layout,
                              merged_order(state, [](const std::string&) { return true; }));
}

} // namespace loopscope
