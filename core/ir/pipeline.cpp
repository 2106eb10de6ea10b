#include "core/ir/pipeline.h"

#include <limits>

namespace loopscope {

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

} // namespace

ExprPtr reduction_identity(ReductionOp op, ScalarType type) {
    switch (op) {
    case ReductionOp::Product: return constant_int(type, 1);
    case ReductionOp::Min: return extreme(type, true);
    case ReductionOp::Max: return extreme(type, false);
    case ReductionOp::All: return constant_bool(true);
    case ReductionOp::Any: return constant_bool(false);
    case ReductionOp::Sum: break;
    }
    return constant_int(type, 0);
}

ExprPtr reduction_step(ReductionOp op, ExprPtr accumulator, ExprPtr term) {
    Op step = op == ReductionOp::Sum       ? Op::Add
              : op == ReductionOp::Product ? Op::Multiply
              : op == ReductionOp::Min     ? Op::Min
              : op == ReductionOp::Max     ? Op::Max
              : op == ReductionOp::Any     ? Op::LogicalOr
                                           : Op::LogicalAnd;
    return binary(step, std::move(accumulator), std::move(term));
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

} // namespace loopscope
