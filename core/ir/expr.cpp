#include "core/ir/expr.h"

#include "core/ir/half.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace loopscope {

namespace {

Hash structural_hash(const Expr& e) {
    Hash h = combine(kHashSeed, static_cast<std::uint64_t>(e.kind));
    h = combine(h, static_cast<std::uint64_t>(e.type));
    h = combine(h, static_cast<std::uint64_t>(e.op));
    h = combine(h, e.lanes);
    h = combine(h, e.bits);
    h = combine(h, static_cast<std::uint64_t>(e.component));
    if (!e.name.empty())
        h = hash_of(e.name, h);
    h = combine(h, e.args.size());
    for (const auto& a : e.args)
        h = combine(h, a->hash);
    return h;
}

ExprPtr finish(Expr e) {
    e.hash = structural_hash(e);
    return std::make_shared<const Expr>(std::move(e));
}

std::uint16_t widest(const std::vector<ExprPtr>& args) {
    std::uint16_t lanes = 1;
    for (const auto& a : args)
        lanes = std::max(lanes, a->lanes);
    return lanes;
}

// Wraps to the type and extends back to 64 bits as Expr::bits wants it.
std::uint64_t wrapped(ScalarType type, std::uint64_t value) {
    switch (type) {
    case ScalarType::Bool: return value != 0;
    case ScalarType::I8: return static_cast<std::uint64_t>(static_cast<std::int8_t>(value));
    case ScalarType::I16: return static_cast<std::uint64_t>(static_cast<std::int16_t>(value));
    case ScalarType::I32: return static_cast<std::uint64_t>(static_cast<std::int32_t>(value));
    case ScalarType::U8: return value & 0xff;
    case ScalarType::U16: return value & 0xffff;
    case ScalarType::U32: return value & 0xffffffff;
    default: return value;
    }
}

struct PairHash {
    std::size_t operator()(const std::pair<const Expr*, const Expr*>& p) const {
        return combine(reinterpret_cast<std::uintptr_t>(p.first),
                       reinterpret_cast<std::uintptr_t>(p.second));
    }
};
using ComparedPairs = std::unordered_set<std::pair<const Expr*, const Expr*>, PairHash>;

bool same_node(const Expr& a, const Expr& b) {
    return a.kind == b.kind && a.type == b.type && a.op == b.op && a.lanes == b.lanes &&
           a.bits == b.bits && a.component == b.component && a.name == b.name &&
           a.args.size() == b.args.size();
}

// `compared` holds pairs found equal or under comparison: without it two copies of a shared graph
// take exponential time.
bool equal(const Expr* a, const Expr* b, ComparedPairs& compared) {
    if (a == b)
        return true;
    if (a->hash != b->hash || !same_node(*a, *b))
        return false;
    if (a->args.empty() || !compared.insert({a, b}).second)
        return true;
    for (std::size_t i = 0; i < a->args.size(); ++i)
        if (!equal(a->args[i].get(), b->args[i].get(), compared))
            return false;
    return true;
}

void visit_once(const Expr* e, const std::function<bool(const Expr&)>& f,
                std::unordered_set<const Expr*>& seen) {
    if (!e->args.empty() && !seen.insert(e).second)
        return;
    if (!f(*e))
        return;
    for (const auto& a : e->args)
        visit_once(a.get(), f, seen);
}

using Memo = std::unordered_map<const Expr*, ExprPtr>;

ExprPtr rewrite_memo(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& f,
                     Memo& memo) {
    if (auto found = memo.find(e.get()); found != memo.end())
        return found->second;
    std::vector<ExprPtr> args;
    args.reserve(e->args.size());
    for (const auto& a : e->args)
        args.push_back(rewrite_memo(a, f, memo));
    auto result = f(with_args(e, std::move(args)));
    memo.emplace(e.get(), result);
    return result;
}

class Substitution {
public:
    explicit Substitution(const std::function<ExprPtr(const std::string&)>& value_of)
        : value_of_(value_of) {}

    ExprPtr apply(const ExprPtr& e, Memo& memo) {
        if (e->kind == ExprKind::Constant)
            return e;
        if (auto found = memo.find(e.get()); found != memo.end())
            return found->second;
        ExprPtr result = e->kind == ExprKind::Variable ? of_variable(e)
                         : e->kind == ExprKind::Let    ? of_let(e, memo)
                                                       : of_args(e, memo);
        memo.emplace(e.get(), result);
        return result;
    }

private:
    ExprPtr of_variable(const ExprPtr& e) {
        if (hidden_.count(e->name))
            return e;
        auto value = value_of_(e->name);
        return value ? value : e;
    }

    ExprPtr of_args(const ExprPtr& e, Memo& memo) {
        std::vector<ExprPtr> args;
        args.reserve(e->args.size());
        for (const auto& a : e->args)
            args.push_back(apply(a, memo));
        return with_args(e, std::move(args));
    }

    ExprPtr of_let(const ExprPtr& e, Memo& memo) {
        auto value = apply(e->args[0], memo);
        // Only a let that hides a replaced name changes what its body means; its body then has a
        // memo of its own.
        if (hidden_.count(e->name) || !value_of_(e->name))
            return with_args(e, {value, apply(e->args[1], memo)});
        hidden_.insert(e->name);
        Memo inner;
        auto body = apply(e->args[1], inner);
        hidden_.erase(e->name);
        return with_args(e, {value, body});
    }

    const std::function<ExprPtr(const std::string&)>& value_of_;
    std::unordered_set<std::string> hidden_;
};

// Of the type of its first argument, and with as many lanes as its widest one has.
Expr made(ExprKind kind, std::vector<ExprPtr> args, SourceRange where = {}) {
    Expr e;
    e.kind = kind;
    if (!args.empty())
        e.type = args[0]->type;
    e.lanes = widest(args);
    e.args = std::move(args);
    e.where = std::move(where);
    return e;
}

} // namespace

ExprPtr constant_bits(ScalarType type, std::uint64_t bits, SourceRange where) {
    Expr e;
    e.kind = ExprKind::Constant;
    e.type = type;
    e.bits = bits;
    e.where = std::move(where);
    return finish(std::move(e));
}

ExprPtr constant_int(ScalarType type, std::int64_t value, SourceRange where) {
    if (is_float(type))
        return constant_float(type, static_cast<double>(value), std::move(where));
    return constant_bits(type, wrapped(type, static_cast<std::uint64_t>(value)), std::move(where));
}

ExprPtr constant_index(std::int64_t value) { return constant_int(ScalarType::I32, value); }

ExprPtr constant_float(ScalarType type, double value, SourceRange where) {
    if (type == ScalarType::F64)
        return constant_bits(type, std::bit_cast<std::uint64_t>(value), std::move(where));
    if (type == ScalarType::F32)
        return constant_bits(type, std::bit_cast<std::uint32_t>(static_cast<float>(value)),
                             std::move(where));
    if (is_half(type))
        return constant_bits(type, type == ScalarType::F16 ? f16_bits(value) : bf16_bits(value),
                             std::move(where));
    throw std::logic_error(std::string("constant_float: type ") + name(type));
}

ExprPtr constant_bool(bool value, SourceRange where) {
    return constant_bits(ScalarType::Bool, value, std::move(where));
}

ExprPtr variable(const std::string& name, ScalarType type, SourceRange where) {
    auto e = made(ExprKind::Variable, {}, std::move(where));
    e.type = type;
    e.name = name;
    return finish(std::move(e));
}

ExprPtr vector_variable(const std::string& name, ScalarType type, int lanes) {
    auto e = made(ExprKind::Variable, {});
    e.type = type;
    e.lanes = static_cast<std::uint16_t>(lanes);
    e.name = name;
    return finish(std::move(e));
}

ExprPtr unary(Op op, ExprPtr a, SourceRange where) {
    assert(op >= Op::Negate && op <= Op::Round);
    assert((op == Op::LogicalNot) == is_bool(a->type));
    auto e = made(ExprKind::Unary, {std::move(a)}, std::move(where));
    e.op = op;
    return finish(std::move(e));
}

ExprPtr binary(Op op, ExprPtr a, ExprPtr b, SourceRange where) {
    assert(op >= Op::Add);
    assert(a->type == b->type);
    auto e = made(ExprKind::Binary, {std::move(a), std::move(b)}, std::move(where));
    e.op = op;
    if (is_comparison(op))
        e.type = ScalarType::Bool;
    return finish(std::move(e));
}

ExprPtr select(ExprPtr condition, ExprPtr a, ExprPtr b, SourceRange where) {
    assert(is_bool(condition->type) && a->type == b->type);
    auto e = made(ExprKind::Select, {std::move(condition), std::move(a), std::move(b)},
                  std::move(where));
    e.type = e.args[1]->type;
    return finish(std::move(e));
}

ExprPtr cast(ScalarType type, ExprPtr a, SourceRange where) {
    auto e = made(ExprKind::Cast, {std::move(a)}, std::move(where));
    e.type = type;
    return finish(std::move(e));
}

ExprPtr let(const std::string& name, ExprPtr value, ExprPtr body, SourceRange where) {
    auto e = made(ExprKind::Let, {std::move(value), std::move(body)}, std::move(where));
    e.name = name;
    e.type = e.args[1]->type;
    e.lanes = e.args[1]->lanes;
    return finish(std::move(e));
}

ExprPtr load(const std::string& target, ScalarType type, std::vector<ExprPtr> indices,
             int component, SourceRange where) {
    auto e = made(ExprKind::Load, std::move(indices), std::move(where));
    e.name = target;
    e.type = type;
    e.component = component;
    return finish(std::move(e));
}

ExprPtr masked_load(const std::string& target, ScalarType type, std::vector<ExprPtr> indices,
                    ExprPtr mask) {
    assert(is_bool(mask->type));
    indices.push_back(std::move(mask));
    auto e = made(ExprKind::MaskedLoad, std::move(indices));
    e.name = target;
    e.type = type;
    return finish(std::move(e));
}

ExprPtr fma(ExprPtr a, ExprPtr b, ExprPtr c, SourceRange where) {
    assert(a->type == b->type && b->type == c->type && is_float(a->type));
    return finish(
        made(ExprKind::Fma, {std::move(a), std::move(b), std::move(c)}, std::move(where)));
}

ExprPtr call(const std::string& function, std::vector<ExprPtr> args, SourceRange where) {
    assert(!args.empty() && is_float(args[0]->type));
    auto e = made(ExprKind::Call, std::move(args), std::move(where));
    e.name = function;
    return finish(std::move(e));
}

ExprPtr reinterpret(ScalarType type, ExprPtr a, SourceRange where) {
    assert(loopscope::bits(type) == loopscope::bits(a->type));
    assert(is_float(a->type) ? is_unsigned(type) : is_float(type) && is_unsigned(a->type));
    auto e = made(ExprKind::Reinterpret, {std::move(a)}, std::move(where));
    e.type = type;
    return finish(std::move(e));
}

ExprPtr ramp(ExprPtr base, ExprPtr stride, int lanes) {
    assert(base->type == stride->type && base->lanes == 1 && stride->lanes == 1);
    auto e = made(ExprKind::Ramp, {std::move(base), std::move(stride)});
    e.lanes = static_cast<std::uint16_t>(lanes);
    e.where = e.args[0]->where;
    return finish(std::move(e));
}

ExprPtr broadcast(ExprPtr scalar, int lanes) {
    assert(scalar->lanes == 1);
    auto e = made(ExprKind::Broadcast, {std::move(scalar)});
    e.lanes = static_cast<std::uint16_t>(lanes);
    e.where = e.args[0]->where;
    return finish(std::move(e));
}

ExprPtr with_args(const ExprPtr& e, std::vector<ExprPtr> args) {
    if (args == e->args)
        return e;
    Expr copy = *e;
    copy.args = std::move(args);
    return finish(std::move(copy));
}

bool equal(const ExprPtr& a, const ExprPtr& b) {
    if (a == b)
        return true;
    if (!a || !b)
        return false;
    ComparedPairs compared;
    return equal(a.get(), b.get(), compared);
}

bool is_constant(const ExprPtr& e) { return e->kind == ExprKind::Constant; }

bool constant_value(const ExprPtr& e, std::int64_t& out) {
    if (!is_constant(e) || is_float(e->type))
        return false;
    auto value = static_cast<std::int64_t>(e->bits);
    // no int64 holds it
    if (e->type == ScalarType::U64 && value < 0)
        return false;
    out = value;
    return true;
}

double constant_float_value(const ExprPtr& e) {
    assert(is_constant(e));
    switch (e->type) {
    case ScalarType::F64: return std::bit_cast<double>(e->bits);
    case ScalarType::F32: return std::bit_cast<float>(static_cast<std::uint32_t>(e->bits));
    case ScalarType::F16: return f16_value(static_cast<std::uint16_t>(e->bits));
    case ScalarType::BF16: return bf16_value(static_cast<std::uint16_t>(e->bits));
    default: throw std::logic_error(std::string("constant_float_value: type ") + name(e->type));
    }
}

void visit(const ExprPtr& e, const std::function<bool(const Expr&)>& visit) {
    std::unordered_set<const Expr*> seen;
    visit_once(e.get(), visit, seen);
}

bool any_node(const ExprPtr& e, const std::function<bool(const Expr&)>& holds) {
    bool found = false;
    if (e)
        visit(e, [&](const Expr& node) { return !(found = found || holds(node)); });
    return found;
}

bool contains_load(const ExprPtr& e) { return any_node(e, is_load); }

bool uses_variable(const ExprPtr& e, const std::string& name) {
    return any_node(e,
                    [&](const Expr& x) { return x.kind == ExprKind::Variable && x.name == name; });
}

std::int64_t count_distinct(const std::vector<ExprPtr>& expressions) {
    std::unordered_set<const Expr*> seen;
    for (const auto& e : expressions)
        if (e)
            visit(e, [&](const Expr& node) { return seen.insert(&node).second; });
    return static_cast<std::int64_t>(seen.size());
}

ExprPtr rewrite(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& rewrite) {
    Memo memo;
    return rewrite_memo(e, rewrite, memo);
}

ExprPtr substitute(const ExprPtr& e, const std::function<ExprPtr(const std::string&)>& value_of) {
    Memo memo;
    return Substitution(value_of).apply(e, memo);
}

} // namespace loopscope
