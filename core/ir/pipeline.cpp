#include "core/ir/pipeline.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace loopscope {

std::size_t Stage::dimension_of(const std::string& variable) const {
    return static_cast<std::size_t>(std::find(variables.begin(), variables.end(), variable) -
                                    variables.begin());
}

const Stage* Pipeline::find(const std::string& stage) const {
    int index = index_of(stage);
    return index < 0 ? nullptr : &stages[static_cast<std::size_t>(index)];
}

int Pipeline::index_of(const std::string& stage) const {
    auto found = index_.find(stage);
    return found == index_.end() ? -1 : found->second;
}

const Output* Pipeline::find_output(const std::string& stage) const {
    for (const auto& output : outputs)
        if (output.stage == stage)
            return &output;
    return nullptr;
}

void Pipeline::seal() {
    index_.clear();
    for (std::size_t i = 0; i < stages.size(); ++i)
        index_.emplace(stages[i].name, static_cast<int>(i));
}

const char* name(ReductionOp op) {
    switch (op) {
    case ReductionOp::Sum: return "sum";
    case ReductionOp::Product: return "prod";
    case ReductionOp::Min: return "min";
    case ReductionOp::Max: return "max";
    case ReductionOp::Any: return "any";
    case ReductionOp::All: return "all";
    case ReductionOp::ArgMin: return "argmin";
    case ReductionOp::ArgMax: return "argmax";
    }
    return "";
}

const char* name(UpdateOp op) {
    switch (op) {
    case UpdateOp::Assign: return "=";
    case UpdateOp::Add: return "+=";
    case UpdateOp::Multiply: return "*=";
    case UpdateOp::Max: return "max=";
    case UpdateOp::Min: return "min=";
    }
    return "";
}

const char* name(BoundaryKind kind) {
    switch (kind) {
    case BoundaryKind::None: return "none";
    case BoundaryKind::Edge: return "edge";
    case BoundaryKind::Zero: return "zero";
    case BoundaryKind::Constant: return "constant";
    case BoundaryKind::Mirror: return "mirror";
    case BoundaryKind::Reflect: return "reflect";
    case BoundaryKind::Wrap: return "wrap";
    }
    return "";
}

const char* name(DefinitionKind kind) {
    switch (kind) {
    case DefinitionKind::Pure: return "pure";
    case DefinitionKind::Reduction: return "reduction";
    case DefinitionKind::Update: return "update";
    }
    return "";
}

namespace {

ExprPtr extreme(ScalarType type, bool greatest_value) {
    if (is_float(type))
        return constant_float(type, greatest_value ? std::numeric_limits<double>::infinity()
                                                   : -std::numeric_limits<double>::infinity());
    if (is_bool(type))
        return constant_bool(greatest_value);
    if (type == ScalarType::U64) // greatest() saturates, which an identity must not
        return constant_bits(type, greatest_value ? std::numeric_limits<std::uint64_t>::max() : 0);
    return constant_int(type, greatest_value ? greatest(type) : least(type));
}

ExprPtr zero(ScalarType type) {
    return is_float(type) ? constant_float(type, 0) : constant_int(type, 0);
}

ExprPtr one(ScalarType type) {
    return is_float(type) ? constant_float(type, 1) : constant_int(type, 1);
}

} // namespace

std::vector<ExprPtr> reduction_identity(ReductionOp op, const std::vector<ScalarType>& types) {
    auto type = types.at(0);
    switch (op) {
    case ReductionOp::Sum: return {zero(type)};
    case ReductionOp::Product: return {one(type)};
    case ReductionOp::Min: return {extreme(type, true)};
    case ReductionOp::Max: return {extreme(type, false)};
    case ReductionOp::All: return {constant_bool(true)};
    case ReductionOp::Any: return {constant_bool(false)};
    case ReductionOp::ArgMin:
    case ReductionOp::ArgMax:
        return {extreme(type, op == ReductionOp::ArgMin), constant_int(ScalarType::I32, kNoRank)};
    }
    throw std::logic_error("reduction_identity");
}

namespace {

// Does the term replace what was found so far?
ExprPtr wins(ReductionOp op, const std::vector<ExprPtr>& acc, const std::vector<ExprPtr>& term) {
    auto none = [](const ExprPtr& rank) {
        return binary(Op::Equal, rank, constant_int(ScalarType::I32, kNoRank));
    };
    auto either = [](ExprPtr a, ExprPtr b) { return binary(Op::LogicalOr, a, b); };
    auto both = [](ExprPtr a, ExprPtr b) { return binary(Op::LogicalAnd, a, b); };
    auto better = binary(op == ReductionOp::ArgMin ? Op::Less : Op::Greater, term[0], acc[0]);
    auto same = binary(Op::Equal, term[0], acc[0]);
    if (is_float(term[0]->type)) {
        auto is_nan = [](const ExprPtr& e) { return binary(Op::NotEqual, e, e); };
        better = either(better, both(is_nan(term[0]), unary(Op::LogicalNot, is_nan(acc[0]))));
        same = either(same, both(is_nan(term[0]), is_nan(acc[0])));
    }
    auto earlier = both(same, binary(Op::Less, term[1], acc[1]));
    return both(unary(Op::LogicalNot, none(term[1])),
                either(none(acc[1]), either(better, earlier)));
}

} // namespace

std::vector<ExprPtr> reduction_step(ReductionOp op, const std::vector<ExprPtr>& accumulator,
                                    const std::vector<ExprPtr>& term) {
    if (is_arg(op)) {
        auto take = wins(op, accumulator, term);
        return {select(take, term[0], accumulator[0]), select(take, term[1], accumulator[1])};
    }
    Op step = op == ReductionOp::Sum       ? Op::Add
              : op == ReductionOp::Product ? Op::Multiply
              : op == ReductionOp::Min     ? Op::Min
              : op == ReductionOp::Max     ? Op::Max
              : op == ReductionOp::Any     ? Op::LogicalOr
                                           : Op::LogicalAnd;
    return {binary(step, accumulator.at(0), term.at(0))};
}

ExprPtr update_step(UpdateOp op, ExprPtr old_value, ExprPtr value) {
    switch (op) {
    case UpdateOp::Assign: break;
    case UpdateOp::Add: return binary(Op::Add, std::move(old_value), std::move(value));
    case UpdateOp::Multiply: return binary(Op::Multiply, std::move(old_value), std::move(value));
    case UpdateOp::Max: return binary(Op::Max, std::move(old_value), std::move(value));
    case UpdateOp::Min: return binary(Op::Min, std::move(old_value), std::move(value));
    }
    return value;
}

ExprPtr neutral_element(Op op, ScalarType type) {
    switch (op) {
    case Op::Add: return is_float(type) ? constant_float(type, -0.0) : constant_int(type, 0);
    case Op::Subtract: return zero(type); // -0 - 0 is -0
    case Op::BitOr:
    case Op::BitXor: return constant_int(type, 0);
    case Op::BitAnd: return constant_int(type, -1);
    case Op::Multiply: return one(type);
    case Op::LogicalOr: return constant_bool(false);
    case Op::LogicalAnd: return constant_bool(true);
    case Op::Min: return extreme(type, true);
    case Op::Max: return extreme(type, false);
    default: return nullptr;
    }
}

ExprPtr neutral_element(UpdateOp op, ScalarType type) {
    switch (op) {
    case UpdateOp::Add: return neutral_element(Op::Add, type);
    case UpdateOp::Multiply: return neutral_element(Op::Multiply, type);
    case UpdateOp::Max: return neutral_element(Op::Max, type);
    case UpdateOp::Min: return neutral_element(Op::Min, type);
    case UpdateOp::Assign: break;
    }
    throw std::logic_error("an assignment has no neutral element");
}

} // namespace loopscope
