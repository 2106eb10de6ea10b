#include "core/schedule/shared_expressions.h"

#include <unordered_set>
#include <utility>

namespace loopscope {

namespace {

bool is_arithmetic(const Expr& e) {
    return e.type == ScalarType::I32 &&
           ((e.kind == ExprKind::Unary && e.op == Op::Negate) ||
            (e.kind == ExprKind::Binary &&
             (e.op == Op::Add || e.op == Op::Subtract || e.op == Op::Multiply)));
}

// e = rest + constant, modulo 2^32; `rest` may be null. Of sums as with_constant() makes them.
struct ConstantSum {
    ExprPtr rest;
    std::int64_t constant = 0;
};

ConstantSum split_constant(const ExprPtr& e) {
    std::int64_t value = 0;
    if (constant_value(e, value))
        return {nullptr, value};
    if (e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract) &&
        constant_value(e->args[1], value))
        return {e->args[0], e->op == Op::Add ? value : -value};
    return {e, 0};
}

ExprPtr with_constant(ExprPtr rest, std::int64_t constant, const SourceRange& where) {
    const auto wrapped = static_cast<std::int32_t>(static_cast<std::uint32_t>(constant));
    if (!rest || wrapped == 0)
        return rest ? rest : constant_int(ScalarType::I32, wrapped, where);
    const bool less = wrapped < 0 && wrapped != least(ScalarType::I32);
    return binary(less ? Op::Subtract : Op::Add, std::move(rest),
                  constant_int(ScalarType::I32, less ? -wrapped : wrapped), where);
}

// i32 arithmetic of such sums as one.
ExprPtr folded_sum(const ExprPtr& e) {
    const auto a = split_constant(e->args[0]);
    const auto b = e->args.size() > 1 ? split_constant(e->args[1]) : ConstantSum{};
    auto negated = [](const ExprPtr& x) { return x ? unary(Op::Negate, x) : nullptr; };
    switch (e->op) {
    case Op::Negate: return with_constant(negated(a.rest), -a.constant, e->where);
    case Op::Multiply: {
        const auto& factor = a.rest ? b : a;
        const auto& other = a.rest ? a : b;
        if (factor.rest)
            return e;
        return with_constant(other.rest ? binary(Op::Multiply, other.rest,
                                                 constant_int(ScalarType::I32, factor.constant))
                                        : nullptr,
                             other.constant * factor.constant, e->where);
    }
    default: {
        const bool add = e->op == Op::Add;
        const auto rest = !b.rest   ? a.rest
                          : !a.rest ? (add ? b.rest : negated(b.rest))
                                    : binary(e->op, a.rest, b.rest, e->where);
        return with_constant(rest, add ? a.constant + b.constant : a.constant - b.constant,
                             e->where);
    }
    }
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
    auto made = with_args(e, std::move(args));
    if (!is_arithmetic(*made))
        return the_one(folded_clamp(made));
    // What the sum has inside is new.
    const auto sum = folded_sum(made);
    if (sum == made || sum->args.empty())
        return the_one(sum);
    args.clear();
    for (const auto& argument : sum->args)
        args.push_back(the_one(argument));
    return the_one(with_args(sum, std::move(args)));
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
    return e;
}

ExprPtr with_lets(const ExprPtr& graph, const std::string& prefix, int& number) {
    return PartNamer(prefix, number).run(graph);
}

} // namespace loopscope
