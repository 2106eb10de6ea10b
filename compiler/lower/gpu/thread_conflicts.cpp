#include "compiler/lower/gpu/thread_conflicts.h"

#include "compiler/lower/statements.h"
#include "core/ir/range.h"
#include "core/polyhedral/point_search.h"
#include "core/polyhedral/point_set.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace loopscope::lower {

namespace {

using polyhedral::Affine;
using polyhedral::Emptiness;
using polyhedral::PointSet;

constexpr unsigned long kQuota = 100'000;
constexpr std::size_t kQuickSteps = 20'000;

// Integer points (thread, iteration) of both executions; what differs between them has a variable
// for each.
class Question {
public:
    Question(const LaunchShape& shape) : shape_(shape) {
        for (const auto* dimensions : {&shape.grid, &shape.cluster, &shape.block})
            for (const auto& dimension : *dimensions)
                if (!dimension.variable.empty())
                    ranges_[dimension.variable] = {0, dimension.extent - 1};
        for (const auto* dimensions : {&shape.grid, &shape.cluster})
            for (const auto& dimension : *dimensions)
                if (!dimension.variable.empty())
                    bounded(common(dimension.variable), dimension.extent);
        for (const auto& dimension : shape.block)
            if (!dimension.variable.empty())
                for (int side = 0; side < 2; ++side)
                    bounded(own(dimension.variable, side), dimension.extent);
    }

    void loops(const ThreadAccess& a, const ThreadAccess& b, const Meeting& meeting) {
        for (std::size_t l = 0; l < std::min(meeting.same, a.loops.size()); ++l)
            shared_.insert(a.loops[l].name);
        range(a, 0);
        range(b, 1);
        if (meeting.later && meeting.same < a.loops.size()) {
            const auto& name = a.loops[meeting.same].name;
            const auto ahead = points_.plus(difference(own(name, 1), own(name, 0)), -1);
            points_.require(meeting.next ? PointSet::zero(ahead) : PointSet::at_least_zero(ahead));
        }
    }

    void conditions(const ThreadAccess& access, int side) {
        for (const auto& c : access.conditions)
            if (auto condition = this->condition(c, side, true))
                points_.require(std::move(*condition));
    }

    void same_element(const ThreadAccess& a, const ThreadAccess& b) {
        for (std::size_t d = 0; d < a.indices.size(); ++d) {
            const auto x = affine(a.indices[d], 0), y = affine(b.indices[d], 1);
            if (!x || !y)
                continue;
            equalities_.push_back({points_.conditions().size(), d});
            points_.require(PointSet::zero(difference(*x, *y)));
        }
    }

    // The last condition. False: there is but one thread.
    bool different_threads() {
        std::vector<PointSet::Condition> different;
        for (const auto& dimension : shape_.block)
            if (!dimension.variable.empty() && dimension.extent > 1)
                different.push_back(PointSet::not_zero(
                    difference(own(dimension.variable, 0), own(dimension.variable, 1))));
        if (different.empty())
            return false;
        points_.require(PointSet::any(std::move(different)));
        return true;
    }

    std::string key() const { return points_.key(); }

    // Are there such points, where the first access lies so far from the second one, or is that not
    // known?
    bool possible(const std::vector<std::int64_t>& distance) const {
        auto points = points_;
        for (const auto& equality : equalities_)
            points.move(equality.condition, distance[equality.dimension]);
        if (points.overflows())
            return true;
        // Along one dimension alone, of which fewer variables know, it may be easy where the whole
        // is not.
        for (const auto effort : {Effort::Quick, Effort::Search, Effort::Proof}) {
            const auto found = asked(points, effort);
            if (found != Emptiness::Unknown)
                return found == Emptiness::NotEmpty;
            for (const auto& equality : equalities_)
                if (equalities_.size() > 1 && effort != Effort::Search &&
                    asked(points.connected(equality.condition, others(equality.condition)),
                          effort) == Emptiness::Empty)
                    return false;
        }
        return true;
    }

private:
    enum class Effort : std::uint8_t { Quick, Search, Proof };

    static Emptiness asked(const PointSet& points, Effort effort) {
        switch (effort) {
        case Effort::Quick: return polyhedral::search(points, kQuickSteps);
        case Effort::Search: return polyhedral::search(points);
        case Effort::Proof: break;
        }
        return polyhedral::is_empty(points.text(), kQuota);
    }

    // What says along other dimensions that the elements are the same, and that threads differ.
    std::vector<std::size_t> others(std::size_t condition) const {
        std::vector<std::size_t> out{points_.conditions().size() - 1};
        for (const auto& equality : equalities_)
            if (equality.condition != condition)
                out.push_back(equality.condition);
        return out;
    }

    Affine name(const std::string& key) {
        const auto [known, first] = names_.try_emplace(key, 0);
        if (first)
            known->second = points_.variable();
        return PointSet::of(known->second);
    }
    Affine common(const std::string& variable) {
        shared_.insert(variable);
        return name(variable);
    }
    Affine own(const std::string& variable, int side) {
        return shared_.count(variable) ? name(variable)
                                       : name(variable + (side == 0 ? "@0" : "@1"));
    }

    Affine difference(const Affine& a, const Affine& b) { return points_.plus(a, b, -1); }

    void bounded(const Affine& v, const Affine& begin, const Affine& extent) {
        const auto from = difference(v, begin);
        points_.require(PointSet::at_least_zero(from));
        points_.require(PointSet::at_least_zero(points_.plus(difference(extent, from), -1)));
    }
    void bounded(const Affine& v, std::int64_t extent) {
        bounded(v, Affine(), PointSet::constant(extent));
    }

    void range(const ThreadAccess& access, int side) {
        for (const auto& loop : access.loops) {
            const auto first = range_of(loop.begin, known()),
                       count = range_of(loop.extent, known());
            if (first && count)
                ranges_[loop.name] = {first->least, first->greatest + count->greatest - 1};
            const auto v = own(loop.name, side);
            const auto begin = affine(loop.begin, side), extent = affine(loop.extent, side);
            if (begin && extent)
                bounded(v, *begin, *extent);
        }
    }

    RangeOf known() const {
        return [this](const std::string& name) -> std::optional<Interval> {
            auto found = ranges_.find(name);
            return found == ranges_.end() ? std::nullopt : std::optional(found->second);
        };
    }

    // Is it what arithmetic without a width gives? What lowering makes of indices is, in i32 and
    // i64; a program's own index may wrap.
    bool is_exact(const ExprPtr& e) const {
        const bool of_lowering = e->type == ScalarType::I32 || e->type == ScalarType::I64;
        if (e->lanes > 1)
            return of_lowering;
        bool all_known = true;
        const auto own = known();
        const auto range = range_of(without_width(e), [&](const std::string& name) {
            auto found = own(name);
            all_known = all_known && found;
            return found;
        });
        return range ? least(e->type) <= range->least && range->greatest <= greatest(e->type)
                     : of_lowering && !all_known;
    }

    // What `e` is before it has to fit into its type: of one of up to 16 bits the range of the
    // value says nothing, for what wrapped lies in it, too.
    static ExprPtr without_width(const ExprPtr& e) {
        auto wide = [](const ExprPtr& x) { return cast(ScalarType::I64, x); };
        if (bits(e->type) > 16)
            return e;
        switch (e->kind) {
        case ExprKind::Cast: return e->args[0];
        case ExprKind::Unary: return unary(e->op, wide(e->args[0]));
        case ExprKind::Binary: return binary(e->op, wide(e->args[0]), wide(e->args[1]));
        default: return e;
        }
    }

    // Nothing: no such form; the caller then knows less.
    std::optional<Affine> affine(const ExprPtr& e, int side) {
        auto& known = forms_[side];
        if (auto found = known.find(e.get()); found != known.end())
            return found->second;
        auto form = found_affine(e, side);
        known.emplace(e.get(), form);
        return form;
    }

    std::optional<Affine> found_affine(const ExprPtr& whole, int side) {
        const auto& e = *whole;
        std::int64_t value = 0;
        switch (e.kind) {
        case ExprKind::Constant:
            if (!is_integer(e.type))
                return std::nullopt;
            return PointSet::constant(static_cast<std::int64_t>(e.bits));
        case ExprKind::Variable: return own(e.name, side);
        case ExprKind::Cast:
            return is_integer(e.type) && is_integer(e.args[0]->type) && is_exact(whole)
                       ? affine(e.args[0], side)
                       : std::nullopt;
        case ExprKind::Unary: {
            const auto a =
                e.op == Op::Negate && is_exact(whole) ? affine(e.args[0], side) : std::nullopt;
            return a ? std::optional(points_.times(*a, -1)) : std::nullopt;
        }
        case ExprKind::Binary: return combined(whole, side);
        case ExprKind::Broadcast: return affine(e.args[0], side);
        case ExprKind::Ramp: {
            const auto base = affine(e.args[0], side);
            if (!base || !constant_value(e.args[1], value))
                return std::nullopt;
            return points_.plus(*base, lane(e.lanes, side), value);
        }
        default: return std::nullopt;
        }
    }

    // The lane of a vector: all indices of one access are of one lane at a time.
    Affine lane(int lanes, int side) {
        const auto v = own("$lane", side);
        bounded(v, lanes);
        return v;
    }

    std::optional<Affine> combined(const ExprPtr& whole, int side) {
        const auto& e = *whole;
        const auto a = affine(e.args[0], side), b = affine(e.args[1], side);
        if (!a || !b || !is_exact(whole))
            return std::nullopt;
        const auto n = b->constant;
        const bool by_constant = b->terms.empty();
        switch (e.op) {
        case Op::Add: return points_.plus(*a, *b);
        case Op::Subtract: return difference(*a, *b);
        case Op::Multiply:
            if (by_constant)
                return points_.times(*a, n);
            return a->terms.empty() ? std::optional(points_.times(*b, a->constant)) : std::nullopt;
        case Op::Divide:
            return by_constant && n > 0 ? std::optional(points_.quotient(*a, n)) : std::nullopt;
        case Op::Modulo:
            return by_constant && n > 0 ? std::optional(points_.remainder(*a, n)) : std::nullopt;
        case Op::Min: return points_.minimum(*a, *b);
        case Op::Max: return points_.maximum(*a, *b);
        default: return std::nullopt;
        }
    }

    // That e holds, or that it does not. Nothing: no such condition. What is not of this kind in a
    // part of it is taken for anything: the condition then holds of more points than e does.
    std::optional<PointSet::Condition> condition(const ExprPtr& e, int side, bool holds) {
        if (e->kind == ExprKind::Unary && e->op == Op::LogicalNot)
            return condition(e->args[0], side, !holds);
        if (e->kind != ExprKind::Binary)
            return std::nullopt;
        if (e->op == Op::LogicalAnd || e->op == Op::LogicalOr) {
            auto a = condition(e->args[0], side, holds), b = condition(e->args[1], side, holds);
            const bool both = (e->op == Op::LogicalAnd) == holds;
            if (!a || !b)
                return both ? (a ? a : b) : std::nullopt;
            return both ? PointSet::all({std::move(*a), std::move(*b)})
                        : PointSet::any({std::move(*a), std::move(*b)});
        }
        if (e->op < Op::Less || e->op > Op::NotEqual || !is_integer(e->args[0]->type))
            return std::nullopt;
        const auto a = affine(e->args[0], side), b = affine(e->args[1], side);
        if (!a || !b)
            return std::nullopt;
        const auto compared = comparison(e->op, *a, *b);
        return holds ? compared : PointSet::negated(compared);
    }

    PointSet::Condition comparison(Op op, const Affine& a, const Affine& b) {
        switch (op) {
        case Op::Less: return PointSet::at_least_zero(points_.plus(difference(b, a), -1));
        case Op::LessEqual: return PointSet::at_least_zero(difference(b, a));
        case Op::Greater: return PointSet::at_least_zero(points_.plus(difference(a, b), -1));
        case Op::GreaterEqual: return PointSet::at_least_zero(difference(a, b));
        case Op::Equal: return PointSet::zero(difference(a, b));
        default: return PointSet::not_zero(difference(a, b));
        }
    }

    const LaunchShape& shape_;
    std::map<std::string, int> names_;
    std::set<std::string> shared_; // the same in both executions
    std::map<std::string, Interval> ranges_;
    PointSet points_;
    struct Equality {
        std::size_t condition; // its number
        std::size_t dimension; // of the indices
    };
    std::vector<Equality> equalities_;
    std::unordered_map<const Expr*, std::optional<Affine>> forms_[2]; // by side
};

// Questions about two forms: one for each distance.
class Pair {
public:
    Pair(const ThreadAccess& first, const ThreadAccess& second, const Meeting& meeting,
         const LaunchShape& shape, ConflictAnswers& answers)
        : question_(shape) {
        question_.loops(first, second, meeting);
        question_.conditions(first, 0);
        question_.conditions(second, 1);
        if (first.indices.size() == second.indices.size()) // else one of them is anywhere
            question_.same_element(first, second);
        threads_ = question_.different_threads();
        if (threads_)
            answers_ = &answers.asked[question_.key()];
    }

    bool meet(const std::vector<std::int64_t>& distance) {
        if (!threads_)
            return false;
        auto [known, first] = answers_->try_emplace(distance, false);
        if (first)
            known->second = question_.possible(distance);
        return known->second;
    }

private:
    Question question_;
    bool threads_ = false;
    std::map<std::vector<std::int64_t>, bool>* answers_ = nullptr;
};

bool may_conflict(const AccessGroup& first, const AccessGroup& second, const Meeting& meeting,
                  const LaunchShape& shape, ConflictAnswers& answers) {
    const auto &a = first.form, &b = second.form;
    if (!a.writes && !b.writes)
        return false;
    if (a.buffer != b.buffer) // one memory all the same, where they lie at one place
        return a.room >= 0 && b.room >= 0 && a.room < b.room_end && b.room < a.room_end;
    if (a.atomic != Op::None && a.atomic == b.atomic)
        return false;
    const std::vector<std::int64_t> none(a.indices.size(), 0);
    const bool several = first.constants.size() > 1 || second.constants.size() > 1;
    if (several && !Pair(first.whole(), second.whole(), meeting, shape, answers).meet(none))
        return false;
    if (a.indices.size() != b.indices.size())
        return Pair(a, b, meeting, shape, answers).meet(none);
    std::set<std::vector<std::int64_t>> distances;
    for (const auto& x : first.constants)
        for (const auto& y : second.constants) {
            auto distance = x;
            for (std::size_t d = 0; d < distance.size(); ++d)
                distance[d] -= y[d];
            distances.insert(std::move(distance));
        }
    Pair pair(a, b, meeting, shape, answers);
    return std::any_of(distances.begin(), distances.end(),
                       [&](const auto& distance) { return pair.meet(distance); });
}

} // namespace

bool may_conflict(const AccessGroups& first, const AccessGroups& second, const Meeting& meeting,
                  const LaunchShape& shape, ConflictAnswers& answers) {
    return std::any_of(first.groups().begin(), first.groups().end(), [&](const auto& a) {
        return std::any_of(second.groups().begin(), second.groups().end(), [&](const auto& b) {
            return may_conflict(a, b, meeting, shape, answers);
        });
    });
}

} // namespace loopscope::lower
