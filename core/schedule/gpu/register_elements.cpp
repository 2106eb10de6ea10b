// Which elements of an operand each lane's registers hold, by the instruction's declaration.
#include "core/schedule/gpu/fragments.h"

#include "core/base/integer_division.h"
#include "core/ir/range.h"

#include <functional>
#include <numeric>

namespace loopscope {

namespace {

// What declarations are made of: sums, products and digits of the lane and the register. Nothing:
// something else.
std::optional<std::int64_t> simple_value(const Expr& e, std::int64_t lane, std::int64_t r) {
    if (e.kind == ExprKind::Constant)
        return static_cast<std::int64_t>(e.bits);
    if (e.kind == ExprKind::Variable)
        return e.name == "lane" ? lane : r;
    if (e.kind != ExprKind::Binary)
        return std::nullopt;
    const auto a = simple_value(*e.args[0], lane, r), b = simple_value(*e.args[1], lane, r);
    if (!a || !b)
        return std::nullopt;
    switch (e.op) {
    case Op::Add: return *a + *b;
    case Op::Subtract: return *a - *b;
    case Op::Multiply: return *a * *b;
    case Op::Divide: return *b > 0 ? std::optional(floor_div(*a, *b)) : std::nullopt;
    case Op::Modulo: return *b > 0 ? std::optional(*a - *b * floor_div(*a, *b)) : std::nullopt;
    default: return std::nullopt;
    }
}

std::int64_t value_at(const ExprPtr& e, std::int64_t lane, std::int64_t r) {
    if (const auto value = simple_value(*e, lane, r))
        return *value;
    auto range = range_of(e, [&](const std::string& name) -> std::optional<Interval> {
        const auto v = name == "lane" ? lane : r;
        return Interval{v, v};
    });
    return range ? range->least : 0;
}

} // namespace

// Each lane a run of them; where lanes hold more than there are, neighbours the same.
static RegisterElements some_elements(const Intrinsic& intrinsic, const IntrinsicOperand& operand) {
    const auto elements = std::accumulate(operand.extents.begin(), operand.extents.end(),
                                          std::int64_t{1}, std::multiplies<>());
    const auto copies = intrinsic.lanes * operand.registers / elements;
    RegisterElements out(static_cast<std::size_t>(intrinsic.lanes));
    for (std::size_t lane = 0; lane < out.size(); ++lane)
        for (std::int64_t r = 0; r < operand.registers; ++r) {
            auto number = static_cast<std::int64_t>(lane) / copies * operand.registers + r;
            std::vector<std::int64_t> element(operand.extents.size());
            for (auto d = element.size(); d-- > 0; number /= operand.extents[d])
                element[d] = number % operand.extents[d];
            out[lane].push_back(std::move(element));
        }
    return out;
}

RegisterElements register_elements(const Intrinsic& intrinsic, const IntrinsicOperand& operand) {
    if (operand.opaque())
        return some_elements(intrinsic, operand);
    RegisterElements out(static_cast<std::size_t>(intrinsic.lanes));
    for (std::size_t lane = 0; lane < out.size(); ++lane)
        for (std::int64_t r = 0; r < operand.registers; ++r) {
            auto& element = out[lane].emplace_back();
            for (const auto& index : operand.layout)
                element.push_back(value_at(index, static_cast<std::int64_t>(lane), r));
        }
    return out;
}

} // namespace loopscope
