#include "core/schedule/shared_expressions.h"

#include <cstdlib>
#include <limits>
#include <unordered_set>
#include <utility>

namespace loopscope {

namespace {

// e = rest + constant, or constant - rest.
struct Sum {
    ExprPtr rest; // null: there is only the constant
    std::int64_t constant = 0;
    bool negative = false; // the rest is subtracted
};

Sum sum_of(const ExprPtr& e) {
    std::int64_t value = 0;
    if (constant_value(e, value))
        return {nullptr, value};
    if (e->kind == ExprKind::Unary && e->op == Op::Negate)
        return {e->args[0], 0, true};
    if (e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract)) {
        if (constant_value(e->args[1], value))
            return {e->args[0], e->op == Op::Add ? value : -value};
        if (constant_value(e->args[0], value))
            return {e->args[1], value, e->op == Op::Subtract};
    }
    return {e};
}

ExprPtr written(const Sum& sum, const SourceRange& where) {
    auto number = [&](std::int64_t value) { return constant_int(ScalarType::I32, value, where); };
    if (!sum.rest)
        return number(sum.constant);
    if (sum.negative)
        return sum.constant == 0 ? unary(Op::Negate, sum.rest, where)
                                 : binary(Op::Subtract, number(sum.constant), sum.rest, where);
    if (sum.constant == 0)
        return sum.rest;
    return sum.constant > 0 ? binary(Op::Add, sum.rest, number(sum.constant), where)
                            : binary(Op::Subtract, sum.rest, number(-sum.constant), where);
}

// A sum of a sum and a constant as one sum. Whatever is computed on the way to it was computed
// before or is the sum itself: an index that is known not to wrap stays one. That holds neither of
// products nor of two sums (x - 2000000000 + y is small where x + y wraps).
ExprPtr folded_sum(const ExprPtr& e) {
    if (e->type != ScalarType::I32)
        return e;
    const auto outer = sum_of(e);
    if (!outer.rest || outer.rest == e)
        return e;
    const auto inner = sum_of(outer.rest);
    const Sum sum{inner.rest, outer.constant + (outer.negative ? -inner.constant : inner.constant),
                  outer.negative != inner.negative};
    return std::abs(sum.constant) <= std::numeric_limits<std::int32_t>::max()
               ? written(sum, e->where)
               : e;
}

// Is min(e, bound), or max, known to be e by the bounds that e is clamped to?
bool keeps(Op op, const ExprPtr& e, std::int64_t bound) {
    std::int64_t own = 0;
    if (e->kind != ExprKind::Binary || (e->op != Op::Min && e->op != Op::Max) ||
        !constant_value(e->args[1], own))
        return false;
    const bool within = op == Op::Min ? own <= bound : own >= bound;
    return e->op == op ? within || keeps(op, e->args[0], bound)
                       : within && keeps(op, e->args[0], bound);
}

// A clamp of what is clamped so already is no other value.
ExprPtr folded_clamp(const ExprPtr& e) {
    std::int64_t bound = 0;
    return e->kind == ExprKind::Binary && (e->op == Op::Min || e->op == Op::Max) &&
                   is_integer(e->type) && constant_value(e->args[1], bound) &&
                   keeps(e->op, e->args[0], bound)
               ? e->args[0]
               : e;
}

// Gives names to what stands in several places.
class PartNamer {
public:
    PartNamer(std::string prefix, int& number) : prefix_(std::move(prefix)), number_(number) {}

    ExprPtr run(const ExprPtr& graph) {
        count(graph, false);
        auto body = written(graph, false);
        for (auto let = lets_.rbegin(); let != lets_.rend(); ++let)
            body = loopscope::let(let->first, let->second, body);
        return body;
    }

private:
    // In how many places a node stands: in an index that counts only if it reads something.
    bool count(const ExprPtr& e, bool in_index) {
        const auto known = reads_.find(e.get());
        bool reads = known != reads_.end() ? known->second : e->kind == ExprKind::Load;
        if (known == reads_.end() || (!in_index && values_.insert(e.get()).second))
            for (const auto& argument : e->args)
                reads = count(argument, in_index || e->kind == ExprKind::Load) || reads;
        if (!in_index)
            values_.insert(e.get());
        reads_[e.get()] = reads;
        if (!in_index || reads)
            ++places_[e.get()];
        return reads;
    }

    ExprPtr written(const ExprPtr& e, bool in_index) {
        auto& known = (in_index ? in_indices_ : in_values_)[e.get()];
        if (known)
            return known;
        std::vector<ExprPtr> args;
        for (const auto& argument : e->args)
            args.push_back(written(argument, in_index || e->kind == ExprKind::Load));
        auto made = with_args(e, std::move(args));
        const bool leaf = e->args.empty();
        if (!leaf && places_[e.get()] > 1 && (!in_index || reads_[e.get()]))
            made = named(e, made);
        (in_index ? in_indices_ : in_values_)[e.get()] = made;
        return made;
    }

    ExprPtr named(const ExprPtr& e, const ExprPtr& value) {
        auto& name = names_[e.get()];
        if (!name) {
            name = variable(prefix_ + std::to_string(++number_), e->type);
            lets_.emplace_back(name->name, value);
        }
        return name;
    }

    std::string prefix_;
    int& number_;
    std::unordered_map<const Expr*, bool> reads_;
    std::unordered_set<const Expr*> values_;
    std::unordered_map<const Expr*, int> places_;
    std::unordered_map<const Expr*, ExprPtr> in_values_, in_indices_, names_;
    std::vector<std::pair<std::string, ExprPtr>> lets_;
};

} // namespace

ExprPtr SharedExpressions::shared(const ExprPtr& e) {
    if (const auto known = known_.find(e); known != known_.end())
        return known->second;
    auto made = make(e);
    known_.emplace(made, made);
    known_.emplace(e, made);
    return made;
}

ExprPtr SharedExpressions::make(const ExprPtr& e) {
    if (e->kind == ExprKind::Let)
        return in_let(*e);
    if (e->kind == ExprKind::Variable)
        if (const auto let = lets_.find(e->name); let != lets_.end())
            return let->second;
    std::vector<ExprPtr> args;
    args.reserve(e->args.size());
    for (const auto& argument : e->args)
        args.push_back(shared(argument));
    const auto made = folded_clamp(folded_sum(with_args(e, std::move(args))));
    // A sum's constant is new.
    args.clear();
    for (const auto& argument : made->args)
        args.push_back(the_one(argument));
    return the_one(with_args(made, std::move(args)));
}

// Names are unique in a pipeline, also those of what is inlined: what is known of a body holds
// wherever it stands.
ExprPtr SharedExpressions::in_let(const Expr& let) {
    const auto value = shared(let.args[0]);
    const auto bound = lets_.try_emplace(let.name, value);
    if (!bound.second && bound.first->second != value) {
        bound.first->second = value;
        known_.clear();
    }
    return shared(let.args[1]);
}

ExprPtr SharedExpressions::the_one(ExprPtr e) {
    auto& ones = ones_[e->hash];
    for (const auto& one : ones)
        if (equal(one, e))
            return one;
    ones.push_back(e);
    ++nodes_;
    return e;
}

ExprPtr with_lets(const ExprPtr& graph, const std::string& prefix, int& number) {
    return PartNamer(prefix, number).run(graph);
}

} // namespace loopscope
