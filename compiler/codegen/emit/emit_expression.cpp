#include "compiler/codegen/emit/emitter.h"

#include <llvm/IR/Intrinsics.h>

#include <stdexcept>

namespace loopscope::codegen {

using llvm::Value;

Value* Emitter::value(const ExprPtr& e) {
    if (e->args.empty())
        return compute(*e);
    if (auto found = memo_.back().values.find(e.get()); found != memo_.back().values.end())
        return found->second;
    Value* result = compute(*e);
    memo_.back().values[e.get()] = result;
    return result;
}

Value* Emitter::lanes(const ExprPtr& e, int count) {
    Value* result = value(e);
    if (count == 1 || e->lanes == count)
        return result;
    return b_.CreateVectorSplat(static_cast<unsigned>(count), result);
}

Value* Emitter::compute(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Constant: return constant(e);
    case ExprKind::Variable: {
        const auto& variable = variables_.at(e.name);
        return variable.type == e.type
                   ? variable.value
                   : convert(b_, variable.type, e.type, variable.value, hardware_);
    }
    case ExprKind::Unary:
        return unary_operation(b_, e.op, e.args[0]->type, lanes(e.args[0], e.lanes));
    case ExprKind::Binary: return binary(e);
    case ExprKind::Select: {
        auto* condition = value(e.args[0]); // one condition may choose between vectors
        return b_.CreateSelect(condition, lanes(e.args[1], e.lanes), lanes(e.args[2], e.lanes));
    }
    case ExprKind::Cast:
        return convert(b_, e.args[0]->type, e.type, lanes(e.args[0], e.lanes), hardware_);
    case ExprKind::Let: return with_let(e, [&] { return value(e.args[1]); });
    case ExprKind::Load:
    case ExprKind::MaskedLoad: return load(e);
    case ExprKind::Fma: {
        auto* type = register_type(b_, e.type, e.lanes);
        return b_.CreateIntrinsic(
            llvm::Intrinsic::fma, {type},
            {lanes(e.args[0], e.lanes), lanes(e.args[1], e.lanes), lanes(e.args[2], e.lanes)});
    }
    case ExprKind::Call: return call(e);
    case ExprKind::Reinterpret:
        return reinterpret_bits(b_, e.args[0]->type, e.type, lanes(e.args[0], e.lanes));
    case ExprKind::Ramp: return ramp(e);
    case ExprKind::Broadcast: return b_.CreateVectorSplat(e.lanes, value(e.args[0]));
    }
    throw std::logic_error("unknown kind of expression");
}

Value* Emitter::constant(const Expr& e) {
    auto* scalar = register_type(b_, e.type);
    llvm::Constant* result = nullptr;
    if (e.type == ScalarType::F32)
        result =
            llvm::ConstantFP::get(scalar, llvm::APFloat(llvm::APFloat::IEEEsingle(),
                                                        llvm::APInt(32, e.bits & 0xffffffffu)));
    else if (e.type == ScalarType::F64)
        result = llvm::ConstantFP::get(
            scalar, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, e.bits)));
    else if (is_bool(e.type))
        result = b_.getInt1(e.bits != 0);
    else
        result = llvm::ConstantInt::get(
            scalar, llvm::APInt(64, e.bits).trunc(static_cast<unsigned>(bits(e.type))));
    return e.lanes == 1 ? result
                        : static_cast<Value*>(llvm::ConstantVector::getSplat(
                              llvm::ElementCount::getFixed(e.lanes), result));
}

Value* Emitter::ramp(const Expr& e) {
    auto* type = register_type(b_, e.type, e.lanes);
    std::vector<llvm::Constant*> steps;
    for (unsigned lane = 0; lane < e.lanes; ++lane)
        steps.push_back(llvm::ConstantInt::get(type->getScalarType(), lane));
    Value* offsets = llvm::ConstantVector::get(steps);
    std::int64_t stride = 0;
    if (!constant_value(e.args[1], stride) || stride != 1)
        offsets = b_.CreateMul(offsets, b_.CreateVectorSplat(e.lanes, value(e.args[1])));
    return b_.CreateAdd(b_.CreateVectorSplat(e.lanes, value(e.args[0])), offsets);
}

Value* Emitter::binary(const Expr& e) {
    auto type = e.args[0]->type;
    if (is_float(type) && e.op == Op::Modulo)
        throw std::logic_error("modulo of floats");
    bool division = !is_float(type) && (e.op == Op::Divide || e.op == Op::Modulo);
    if (index_form_ == IndexForm::Wide && e.lanes == 1 && is_bool(e.type) && is_integer(type))
        if (Value* result = compare_in_index_form(e))
            return result;
    Value *left = lanes(e.args[0], e.lanes), *right = lanes(e.args[1], e.lanes);
    if (!division)
        return binary_operation(b_, e.op, type, left, right, hardware_);
    auto facts = division_facts(e);
    return e.op == Op::Divide ? floor_divide(b_, type, left, right, facts)
                              : floor_modulo(b_, type, left, right, facts);
}

// Conditions on loop counters: in index form they share the induction variables of the addresses.
Value* Emitter::compare_in_index_form(const Expr& e) {
    if (!is_exact(e.args[0]) || !is_exact(e.args[1]))
        return nullptr;
    return binary_operation(b_, e.op, ScalarType::I64, index(e.args[0]), index(e.args[1]));
}

void Emitter::bind_variable(const std::string& name, const ExprPtr& e) {
    Variable variable;
    variable.type = e->type;
    variable.value = value(e);
    if (is_integer(e->type)) {
        variable.range = range(e);
        if (e->lanes > 1)
            variable.strided = strided(e);
        else if (is_exact(e))
            variable.index = linear(e);
    }
    if (!llvm::isa<llvm::Constant>(variable.value) && !variable.value->hasName())
        variable.value->setName(name);
    variables_[name] = variable;
}

} // namespace loopscope::codegen
