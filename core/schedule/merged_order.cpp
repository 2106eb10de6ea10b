// Do merged loops keep the order that matters (merging.h)? A later definition may read, in an iteration of the shared
// loops, what the earlier one has computed in that iteration or in one before it.
//
// An element of the earlier stage E is written where the loops over its free variables say, so that each shared loop moves
// one dimension. Where, along each dimension, what the iterations write goes on without gaps and never back, all elements
// up to the end of the present part have been written in iterations that are not later in any of the loops of that
// dimension, hence lexicographically not later; so an iteration may read whatever does not lie beyond that end.

#include "core/schedule/identity.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"
#include "core/schedule/region_needs.h"

#include <algorithm>

namespace loopscope {

namespace {

std::string text(const DefinitionKey& key) { return definition_name(key.first, key.second); }

const NestLayout& layout_of(const Layout& layout, const DefinitionKey& key) {
    return layout.stages.at(key.first).nests[static_cast<std::size_t>(key.second)];
}

Status refuse(std::string message, std::string remedy) {
    auto diagnostic = error(std::move(message), std::move(remedy));
    diagnostic.code = "merge";
    return diagnostic;
}

struct SharedLoop {
    std::string variable;
    std::int64_t extent = 0;
    bool at_once = false;
};

bool depends_on(const LinearForm& form, const std::string& variable) {
    return std::any_of(form.terms().begin(), form.terms().end(), [&](const auto& term) {
        return term.first->kind == Atom::Kind::Variable ? term.first->name == variable
                                                        : depends_on(term.first->inner, variable);
    });
}

class Pair {
public:
    Pair(const ScheduleState& state, const Layout& layout, DefinitionKey earlier,
         DefinitionKey later)
        : state_(state),
          layout_(layout),
          earlier_(std::move(earlier)),
          later_(std::move(later)),
          stage_(*layout.derived->find(earlier_.first)),
          same_stage_(earlier_.first == later_.first) {
        const auto first = loops_around_point(state, earlier_);
        const auto second = loops_around_point(state, later_);
        const auto outside = loops_around(state, earlier_.first).size();
        for (std::size_t l = 0; l < first.size() && l < second.size() && first[l] == second[l];
             ++l) {
            const auto& ref = first[l];
            const DefinitionKey owner{ref.stage, ref.definition};
            const auto& nest = nest_of(state, owner);
            const auto p = static_cast<std::size_t>(nest.position_of(ref.loop));
            visible_.insert(layout_of(layout, owner).variables[p]);
            if (l < outside)
                continue;
            shared_.push_back(
                {layout_of(layout, owner).variables[p], layout_of(layout, owner).extents[p],
                 nest.loops[p].kind == LoopKind::Parallel || !nest.loops[p].binding.empty()});
        }
    }

    Status check() {
        auto touched_later = touched(layout_, *layout_.derived->find(later_.first), later_.second,
                                     visible_, same_stage_);
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
        const auto axes = axis_intervals(layout_, stage_, earlier_.second, visible_);
        if (definition.kind == DefinitionKind::Update)
            return access_intervals(definition.left, axes, layout_);
        std::vector<FormInterval> out;
        for (const auto& v : stage_.variables)
            out.push_back(axes.at(v));
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
        for (const auto& tails : layout_of(layout_, earlier_).tails)
            for (const auto& tail : tails)
                if (tail.used == Tail::Shift)
                    return refuse(text(earlier_) + " computes some points twice, the second time " +
                                      "after " + text(later_) + " has changed them",
                                  "give its tails no shift");
        auto own = touched(layout_, stage_, earlier_.second, visible_, true);
        if (!contained(own.at(earlier_.first), written))
            return not_proven(text(earlier_) + " reads what other iterations of the merged loops " +
                              "write");
        return success();
    }

    Status check_behind(const std::vector<FormInterval>& reads,
                        const std::vector<FormInterval>& written) const {
        std::vector<std::vector<std::size_t>> movers(written.size());
        for (std::size_t l = 0; l < shared_.size(); ++l) {
            int moved = 0;
            for (std::size_t d = 0; d < written.size(); ++d)
                if (depends_on(written[d].least, shared_[l].variable) ||
                    depends_on(written[d].greatest, shared_[l].variable)) {
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

    LinearForm at(const LinearForm& form, std::size_t loop, const LinearForm& value) const {
        return at_value(form, shared_[loop].variable, value);
    }

    // From each iteration of the loops to the next, the inner ones starting anew: without a gap, and not back.
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

    Status not_proven(const std::string& reason) const {
        return refuse(text(later_) + " reads " + earlier_.first + ", and it is not proven that " +
                          "this is computed before: " + reason,
                      "share fewer loops, or compute " + earlier_.first + " at a loop of " +
                          later_.first);
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

// A window that is kept outside of merged loops, which are themselves inside another nest, would warm up in iterations in which
// the stages around it do not all run. Conservative.
Status check_windows(const ScheduleState& state, const std::vector<DefinitionKey>& group) {
    if (state.find(group.front().first)->compute.kind != Placement::Kind::At)
        return success();
    auto shares = [&](const LoopRef& loop) {
        return std::find(group.begin(), group.end(), DefinitionKey{loop.stage, loop.definition}) !=
               group.end();
    };
    for (const auto& stage : state.stages) {
        if (stage->compute.kind != Placement::Kind::At || stage->store == stage->compute ||
            (stage->store.kind == Placement::Kind::At && shares(stage->store.at)))
            continue;
        const auto path = loops_around(state, stage->name);
        if (std::any_of(path.begin(), path.end(), shares))
            return refuse(stage->name + " is computed inside loops that " + text(group.front()) +
                              " and " + text(group.back()) +
                              " share, and stored outside of them, inside of which these are " +
                              "computed themselves",
                          "store " + stage->name + " at one of the shared loops");
    }
    return success();
}

} // namespace

Status check_merged_order(const ScheduleState& state, const Layout& layout) {
    std::set<DefinitionKey> heads;
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            const DefinitionKey own{stage->name, static_cast<int>(d)};
            if (!stage->definitions[d].with)
                continue;
            if (auto trips = check_trips(state, layout, own); !trips)
                return trips;
            if (!heads.insert(merge_head(state, own)).second)
                continue;
            const auto group = merge_group(state, own);
            if (auto windows = check_windows(state, group); !windows)
                return windows;
            for (std::size_t i = 0; i < group.size(); ++i)
                for (std::size_t j = i + 1; j < group.size(); ++j)
                    if (auto order = Pair(state, layout, group[i], group[j]).check(); !order)
                        return order;
        }
    return success();
}

} // namespace loopscope
