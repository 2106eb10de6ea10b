#include "core/ir/cost.h"

#include "core/ir/functions.h"

#include <limits>
#include <unordered_map>

namespace loopscope {

namespace {

constexpr std::uint64_t kMaxCost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a > kMaxCost - b ? kMaxCost : a + b; }
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > kMaxCost / b ? kMaxCost : a * b;
}

// Operations per lane of a unary or binary node.
std::uint64_t operations(const Expr& e) {
    bool comparison = e.op >= Op::Less && e.op <= Op::NotEqual;
    bool logical = e.op == Op::LogicalNot || e.op == Op::LogicalAnd || e.op == Op::LogicalOr;
    return comparison || logical ? 0 : 1;
}

using Known = std::unordered_map<const Expr*, Cost>;

Cost total(const ExprPtr& e, Known& known) {
    if (auto found = known.find(e.get()); found != known.end())
        return found->second;
    Cost sum = cost_of_node(*e);
    for (const auto& a : e->args)
        sum = sum + total(a, known);
    known.emplace(e.get(), sum);
    return sum;
}

} // namespace

Cost Cost::operator+(const Cost& other) const {
    return {add(flops, other.flops), add(integer_operations, other.integer_operations)};
}

Cost Cost::operator*(std::uint64_t factor) const {
    return {saturating_product(flops, factor), saturating_product(integer_operations, factor)};
}

Cost cost_of_node(const Expr& e) {
    if (e.kind == ExprKind::Call)
        return prelude_cost(e.name, e.type) * e.lanes;
    std::uint64_t count = 0;
    if (e.kind == ExprKind::Fma)
        count = 2;
    else if (e.kind == ExprKind::Unary || e.kind == ExprKind::Binary)
        count = operations(e);
    Cost cost;
    (is_float(e.type) ? cost.flops : cost.integer_operations) = count * e.lanes;
    return cost;
}

Cost cost_of(const ExprPtr& e) {
    Known known;
    return e ? total(e, known) : Cost{};
}

} // namespace loopscope
