#include "core/schedule/legality.h"

#include "core/polyhedral/dependences.h"
#include "core/schedule/combining.h"
#include "core/schedule/identity.h"
#include "core/schedule/inferred.h"
#include "core/schedule/loop_kinds.h"

#include <algorithm>
#include <map>
#include <memory>

namespace loopscope {

namespace {

using polyhedral::Answer;
using polyhedral::Dependence;
using polyhedral::DependenceQuery;

std::string list(const std::vector<std::string>& names, const std::string& none) {
    std::string text;
    for (const auto& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? none : text;
}

bool commutes(UpdateOp op) { return op != UpdateOp::Assign; }

// The reduction loops in the order of the definition itself: axes in order, parts of a split in the
// split's place. Empty if a fusion took loops that are not neighbours in that order.
std::vector<int> own_order(const DefinitionState& nest) {
    std::vector<int> order;
    for (const auto& root : nest.roots)
        if (root.reduction)
            order.push_back(root.id);
    for (const auto& r : nest.relations) {
        bool split = r.kind == Relation::Kind::Split;
        auto at = std::find(order.begin(), order.end(), split ? r.parent : r.outer);
        if (at == order.end())
            continue;
        if (split) {
            *at = r.inner;
            order.insert(at, r.outer);
        } else {
            auto next = at + 1;
            if (next == order.end() || *next != r.inner)
                return {};
            *at = r.parent;
            order.erase(next);
        }
    }
    return order;
}

std::vector<int> reduction_nest(const DefinitionState& nest) {
    std::vector<int> ids;
    for (const auto& loop : nest.loops)
        if (loop.reduction)
            ids.push_back(loop.id);
    return ids;
}

bool keeps_own_order(const DefinitionState& nest) {
    return own_order(nest) == reduction_nest(nest);
}

// The loops of a nest, also those that were split or fused, by id: roots are numbered first, in the
// order of the axes.
std::map<int, int> numbered_loops(const DefinitionState& nest) {
    std::map<int, int> numbers;
    auto number = [&](int id) { numbers.emplace(id, static_cast<int>(numbers.size())); };
    for (const auto& root : nest.roots)
        number(root.id);
    for (const auto& r : nest.relations)
        for (int id : {r.parent, r.outer, r.inner})
            number(id);
    return numbers;
}

// Over what the free variables of a stage run. Boxes are looked for only where a proof asks.
RangeOf ranges_of_variables(const ScheduleState& state, const Stage& stage) {
    return [&state, &stage, boxes = std::shared_ptr<const InferredBoxes>()](
               const std::string& name) mutable -> std::optional<Interval> {
        if (!boxes) {
            auto now = state;
            boxes = inferred_boxes(now);
        }
        const auto box = boxes->boxes.find(stage.name);
        if (!boxes->errors.empty() || box == boxes->boxes.end())
            return std::nullopt;
        const auto& range = box->second.at(stage.dimension_of(name));
        return range.empty() ? std::nullopt : std::optional(range);
    };
}

// An update's nest as a question to polyhedral/.
DependenceQuery query_of(const ScheduleState& state, const Stage& stage, const Definition& update,
                         const DefinitionState& nest) {
    DependenceQuery query;
    query.accesses = polyhedral::own_accesses(stage, update, ranges_of_variables(state, stage));
    auto numbers = numbered_loops(nest);
    query.loop_count = static_cast<int>(numbers.size());
    for (const auto& r : nest.relations)
        query.relations.push_back({r.kind == Relation::Kind::Fuse, numbers.at(r.parent),
                                   numbers.at(r.outer), numbers.at(r.inner), r.factor});
    for (int id : reduction_nest(nest))
        query.nest.push_back(numbers.at(id));
    return query;
}

std::string point(const DependenceQuery& query, const Dependence& d, bool second) {
    std::string text;
    for (std::size_t i = 0; i < d.axes.size() && i < d.from.size(); ++i)
        text += (text.empty() ? "" : ", ") +
                query.accesses.axes[static_cast<std::size_t>(d.axes[i])].name + " = " +
                std::to_string(d.from[i] + (second ? d.distance[i] : 0));
    return text;
}

std::string distance(const Dependence& d) {
    std::string text;
    for (auto step : d.distance)
        text += (text.empty() ? "(" : ", ") + std::to_string(step);
    return text + ")";
}

// "B[y, x], written at x = 1, is read as B[y, x - 1] at x = 2, at a distance of (1)"
std::string describe(const DependenceQuery& query, const Dependence& d) {
    const auto& first = query.accesses.list[static_cast<std::size_t>(d.first)];
    const auto& second = query.accesses.list[static_cast<std::size_t>(d.second)];
    auto verb = [](const polyhedral::Access& access) { return access.write ? "written" : "read"; };
    if (!d.certain)
        return first.text + ", " + verb(first) + " in one iteration, and " + second.text + ", " +
               verb(second) +
               " in another, may be the same element: an index depends on data, is not affine or "
               "may wrap";
    if (d.distance.empty())
        return first.text + ", " + verb(first) + " in one iteration, is " + verb(second) + " as " +
               second.text + " in another";
    auto again = second.text == first.text && first.write == second.write ? std::string("again")
                                                                          : "as " + second.text;
    return first.text + ", " + verb(first) + " at " + point(query, d, false) + ", is " +
           verb(second) + " " + again + " at " + point(query, d, true) + ", at a distance of " +
           distance(d);
}

std::string explain(const DependenceQuery& query, const Answer& answer) {
    if (answer.verdict == Answer::Verdict::Yes && answer.example)
        return describe(query, *answer.example);
    return "that its iterations are independent could not be proven within the limit on work";
}

// One definition's nest under examination.
class NestCheck {
public:
    NestCheck(const ScheduleState& state, const std::string& stage, int definition)
        : state_(state),
          key_(stage, definition),
          name_(definition_name(stage, definition)),
          nest_(state.find(stage)->definitions[static_cast<std::size_t>(definition)]),
          definition_(state.definition(stage, definition)),
          stage_(state.declared(stage)),
          factor_(combines_factor(state, stage, definition)) {
        if (definition_ && definition_->kind == DefinitionKind::Update)
            query_ = query_of(state, stage_, *definition_, nest_);
    }

    // `before`: as for check_nest().
    Status run(const std::vector<LoopState>& before = {}) {
        if (auto status = shape(before); !status)
            return status;
        if (auto status = order(); !status)
            return status;
        for (const auto& loop : nest_.loops)
            if (auto status = independent(loop); !status)
                return status;
        return success();
    }

    // What the last run() found.
    const std::optional<Violation>& violation() const { return violation_; }

    bool reassociates() {
        if (nest_.fast_math)
            return true;
        if (!definition_ || !rounds(*definition_))
            return false;
        if (factor_ || nest_.tensorized || collides())
            return true;
        if (definition_->kind == DefinitionKind::Reduction)
            return !keeps_own_order(nest_) ||
                   std::any_of(nest_.loops.begin(), nest_.loops.end(), [](const auto& loop) {
                       return loop.reduction &&
                              (loop.kind == LoopKind::Vectorized || !loop.binding.empty());
                   });
        return !keeps_own_order(nest_) && exchanges(*query_, true).verdict != Answer::Verdict::No;
    }

    bool collides() const {
        return nest_.atomic && definition_ &&
               std::any_of(nest_.loops.begin(), nest_.loops.end(),
                           [this](const LoopState& loop) { return collides_in(loop); });
    }

private:
    // Rules on which kinds of loops may stand in which.
    Status shape(const std::vector<LoopState>& before) const {
        const LoopState* vector = nullptr;
        for (const auto& loop : nest_.loops) {
            if (vector && loop.kind == LoopKind::Vectorized)
                return error(name_ + " cannot have two vectorised loops, " + vector->name +
                                 " and " + loop.name,
                             "make one of them serial or unrolled, or fuse them and vectorise the "
                             "fused loop");
            if (vector && runs_on_threads(loop))
                return error(
                    name_ + "." + loop.name + " cannot be " + kind_text(loop) + " inside " +
                        vector->name + ", which is vectorised: its lanes run at once",
                    "put " + name_before(loop, before) + " outside: " + name_ + ".reorder(" +
                        name_before(loop, before) + ", " + name_before(*vector, before) + ")");
            if (loop.kind == LoopKind::Vectorized)
                vector = &loop;
        }
        return success();
    }

    // What can be named before the line: the loop, or that which the line split to make it.
    std::string name_before(const LoopState& loop, const std::vector<LoopState>& before) const {
        int id = loop.id;
        auto known = [&] {
            return std::find_if(before.begin(), before.end(),
                                [&](const LoopState& earlier) { return earlier.id == id; });
        };
        for (auto r = nest_.relations.rbegin(); r != nest_.relations.rend(); ++r)
            if (known() == before.end() && r->kind == Relation::Kind::Split &&
                (r->outer == id || r->inner == id))
                id = r->parent;
        return known() == before.end() ? loop.name : known()->name;
    }

    // The order of iterations that touch one element, where it matters.
    Status order() const {
        if (!query_ || keeps_own_order(nest_))
            return success();
        bool reads_itself = query_->accesses.list.size() > 1;
        bool writes = !commutes(definition_->update) || reads_itself;
        auto answer = exchanges(*query_, writes);
        if (answer.verdict == Answer::Verdict::No)
            return success();
        record(answer, own_order_names());
        return coded_error(
            "dependence",
            "this order of the loops of " + name_ +
                " would exchange iterations that depend on each other: " + explain(*query_, answer),
            "keep " + list(own_order_names(), "the axes") + " in this order");
    }

    Status independent(const LoopState& loop) const {
        bool parallel = runs_on_threads(loop);
        if ((!parallel && loop.kind != LoopKind::Vectorized) || !loop.reduction || !definition_ ||
            nest_.atomic || reduces_together(loop))
            return success();
        auto what = name_ + "." + loop.name + " cannot be " + kind_text(loop);
        if (definition_->kind == DefinitionKind::Reduction && parallel)
            record_reduction(loop);
        if (definition_->kind == DefinitionKind::Reduction)
            return parallel ? coded_error("dependence",
                                          what + ": it runs over a reduction axis, and all its "
                                                 "iterations combine into the "
                                                 "same element",
                                          remedy(loop.name, parallel))
                            : success();
        auto answer = carried_by(loop.id);
        if (answer.verdict == Answer::Verdict::No)
            return success();
        record(answer, {loop.name});
        auto refused = coded_error("dependence", what + ": " + explain(*query_, answer),
                                   remedy(loop.name, parallel));
        if (!parallel)
            refused.code = kCodeVectorDependence;
        return refused;
    }

    // Threads of one block combine their terms of a reduction as lanes do: each has an accumulator
    // of its own.
    bool reduces_together(const LoopState& loop) const {
        return definition_->kind == DefinitionKind::Reduction &&
               loop.numbers.unit == device::Unit::Block &&
               loop.numbers.members != device::Unit::WarpGroup;
    }

    Answer carried_by(int id) const {
        auto loops = reduction_nest(nest_);
        auto at = std::find(loops.begin(), loops.end(), id);
        return carries(*query_, static_cast<std::size_t>(at - loops.begin()));
    }

    // Lanes of a reduction are a vector reduction, in which each has an accumulator of its own.
    bool collides_in(const LoopState& loop) const {
        if (!loop.reduction || !runs_at_once(loop))
            return false;
        if (definition_->kind == DefinitionKind::Reduction)
            return runs_on_threads(loop) && !reduces_together(loop);
        return carried_by(loop.id).verdict != Answer::Verdict::No;
    }

    std::string remedy(const std::string& refused, bool parallel) const {
        std::vector<std::string> legal;
        for (const auto& loop : nest_.loops) {
            bool reduction = definition_->kind == DefinitionKind::Reduction;
            if (!loop.reduction ||
                (reduction ? !parallel : carried_by(loop.id).verdict == Answer::Verdict::No))
                legal.push_back(loop.name);
        }
        return carried_remedy(state_, key_, refused, parallel, legal);
    }

    std::vector<std::string> own_order_names() const {
        std::vector<std::string> names;
        for (int id : own_order(nest_))
            if (int at = nest_.position_of(id); at >= 0)
                names.push_back(nest_.loops[static_cast<std::size_t>(at)].name);
        return names;
    }

    void record(const Answer& answer, std::vector<std::string> loops) const {
        if (answer.verdict != Answer::Verdict::Yes || !answer.example)
            return;
        const Dependence& d = *answer.example;
        const auto& first = query_->accesses.list[static_cast<std::size_t>(d.first)];
        const auto& second = query_->accesses.list[static_cast<std::size_t>(d.second)];
        Violation v;
        v.loops = std::move(loops);
        v.first = first.text;
        v.second = second.text;
        v.first_writes = first.write;
        v.second_writes = second.write;
        for (int axis : d.axes)
            v.axes.push_back(query_->accesses.axes[static_cast<std::size_t>(axis)].name);
        v.from = d.from;
        v.distance = d.distance;
        violation_ = std::move(v);
    }

    // Every term of a reduction changes the accumulator that the one before left: neighbours are
    // one iteration apart.
    void record_reduction(const LoopState& loop) const {
        Violation v;
        v.loops = {loop.name};
        v.first = v.second = stage_.name + "[" + list(stage_.variables, "") + "]";
        v.second_writes = true;
        v.axes = {loop.name};
        v.from = {0};
        v.distance = {1};
        violation_ = std::move(v);
    }

    const ScheduleState& state_;
    DefinitionKey key_;
    std::string name_;
    const DefinitionState& nest_;
    mutable std::optional<Violation> violation_;
    const Definition* definition_; // null for a copy, which is pure
    const Stage& stage_;
    bool factor_;                          // it combines what rfactor took out of it
    std::optional<DependenceQuery> query_; // updates only
};

} // namespace

Status check_nest(const ScheduleState& state, const std::string& stage, int definition,
                  const std::vector<LoopState>& before) {
    return NestCheck(state, stage, definition).run(before);
}

std::optional<Violation> find_violation(const ScheduleState& state, const std::string& stage,
                                        int definition) {
    const StageState* known = state.find(stage);
    if (!known || definition < 0 || definition >= static_cast<int>(known->definitions.size()))
        return std::nullopt;
    NestCheck check(state, stage, definition);
    if (check.run())
        return std::nullopt;
    auto violation = check.violation();
    if (violation) {
        violation->stage = stage;
        violation->definition = definition;
    }
    return violation;
}

std::string carried_remedy(const ScheduleState& state, const DefinitionKey& definition,
                           const std::string& loop, bool parallel,
                           const std::vector<std::string>& legal) {
    const auto& [stage, d] = definition;
    auto name = definition_name(stage, d);
    auto text = std::string(parallel ? "legal to run in parallel: " : "legal to vectorise: ") +
                list(legal, "no loop of " + name);
    if (not_atomic(state, stage, d).empty())
        text += "; after " + name + ".atomic() iterations may collide";
    if (not_combining(state, stage, d).empty())
        text += "; R = " + name + ".rfactor(" + loop + ") makes them independent in R";
    return text;
}

bool collides(const ScheduleState& state, const std::string& stage, int definition) {
    return NestCheck(state, stage, definition).collides();
}

bool reassociates(const ScheduleState& state, const std::string& stage, int definition) {
    return NestCheck(state, stage, definition).reassociates();
}

} // namespace loopscope
