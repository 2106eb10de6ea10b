#include "compiler/codegen/host/emitter.h"

#include <llvm/IR/Intrinsics.h>

namespace loopscope::codegen {

using llvm::Value;

// An empty range belongs to code that never runs: nothing is concluded from it.
std::optional<Interval> Emitter::range(const ExprPtr& e) {
    if (!is_integer(e->type))
        return std::nullopt;
    auto& known = memo_.back().ranges;
    if (auto found = known.find(e.get()); found != known.end())
        return found->second;
    auto of_variable = [&](const std::string& name) -> std::optional<Interval> {
        auto variable = variables_.find(name);
        return variable == variables_.end() ? std::nullopt : variable->second.range;
    };
    auto result = range_of(e, of_variable);
    if (result && result->empty())
        result.reset();
    return known[e.get()] = result;
}

DivisionFacts Emitter::division_facts(const Expr& e) {
    auto dividend = range(e.args[0]), divisor = range(e.args[1]);
    return {dividend && dividend->least >= 0, divisor && divisor->least > 0};
}

Value* Emitter::widened(const ExprPtr& e) { return convert(b_, e->type, ScalarType::I64, value(e)); }

Value* Emitter::index(const ExprPtr& e) {
    auto& known = memo_.back().indices;
    if (auto found = known.find(e.get()); found != known.end())
        return found->second;
    // Types up to 16 bits have a range even where they wrap; wider ones have one only where arithmetic is exact.
    bool exact = is_integer(e->type) && bits(e->type) >= 32 && range(e).has_value();
    Value* result = exact ? index_of_proven(*e) : nullptr;
    if (!result)
        result = widened(e);
    memo_.back().indices[e.get()] = result;
    return result;
}

// A known range of a sum, difference or product means known ranges of its operands, hence no wrap below it.
Value* Emitter::index_of_proven(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Constant: return b_.getInt64(e.bits);
    case ExprKind::Variable: return variables_.at(e.name).index;
    case ExprKind::Let: return with_let(e, [&] { return index(e.args[1]); });
    case ExprKind::Select: return b_.CreateSelect(value(e.args[0]), index(e.args[1]), index(e.args[2]));
    case ExprKind::Cast: {
        bool integer = is_integer(e.args[0]->type);
        auto from = integer ? range(e.args[0]) : std::nullopt;
        bool same = from && from->least >= least(e.type) && from->greatest <= greatest(e.type);
        return same ? index(e.args[0]) : nullptr;
    }
    case ExprKind::Unary: return e.op == Op::Negate ? b_.CreateNSWSub(b_.getInt64(0), index(e.args[0])) : nullptr;
    case ExprKind::Binary: break;
    default: return nullptr;
    }
    switch (e.op) {
    case Op::Add: return b_.CreateNSWAdd(index(e.args[0]), index(e.args[1]));
    case Op::Subtract: return b_.CreateNSWSub(index(e.args[0]), index(e.args[1]));
    case Op::Multiply: return b_.CreateNSWMul(index(e.args[0]), index(e.args[1]));
    case Op::Min: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index(e.args[0]), index(e.args[1]));
    case Op::Max: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index(e.args[0]), index(e.args[1]));
    case Op::Divide: case Op::Modulo: return index_division(e);
    default: return nullptr;
    }
}

// By a constant only: a division of i64 by a variable is slower than one of i32.
Value* Emitter::index_division(const Expr& e) {
    std::int64_t divisor = 0;
    if (!constant_value(e.args[1], divisor) || divisor <= 0 || !range(e.args[0]))
        return nullptr;
    auto facts = division_facts(e);
    Value *dividend = index(e.args[0]), *by = b_.getInt64(static_cast<std::uint64_t>(divisor));
    return e.op == Op::Divide ? floor_divide(b_, ScalarType::I64, dividend, by, facts)
                              : floor_modulo(b_, ScalarType::I64, dividend, by, facts);
}

// The strided form of an index vector, or none. Index arithmetic does not wrap on lanes that touch memory: the front
// end refuses an index whose range may leave its type, and the buffer's bounds hold for each such lane.
std::optional<Emitter::Strided> Emitter::strided(const ExprPtr& e) {
    if (e->lanes == 1)
        return Strided{index(e), 0};
    switch (e->kind) {
    case ExprKind::Broadcast: return Strided{index(e->args[0]), 0};
    case ExprKind::Ramp: {
        std::int64_t stride = 0;
        if (!constant_value(e->args[1], stride))
            return std::nullopt;
        return Strided{index(e->args[0]), stride};
    }
    case ExprKind::Constant: {
        std::int64_t all = 0;
        return constant_value(e, all) ? std::optional(Strided{b_.getInt64(static_cast<std::uint64_t>(all)), 0}) : std::nullopt;
    }
    case ExprKind::Variable: return variables_.at(e->name).strided;
    case ExprKind::Cast:
        if (!is_integer(e->args[0]->type) || bits(e->args[0]->type) < 32 || bits(e->type) < 32)
            return std::nullopt;
        return strided(e->args[0]);
    case ExprKind::Binary:
        return bits(e->type) >= 32 ? strided_binary(*e) : std::nullopt;
    default: return std::nullopt;
    }
}

std::optional<Emitter::Strided> Emitter::strided_binary(const Expr& e) {
    if (e.op != Op::Add && e.op != Op::Subtract && e.op != Op::Multiply)
        return std::nullopt;
    auto left = strided(e.args[0]), right = strided(e.args[1]);
    if (!left || !right)
        return std::nullopt;
    if (e.op == Op::Add)
        return Strided{b_.CreateNSWAdd(left->base, right->base), left->stride + right->stride};
    if (e.op == Op::Subtract)
        return Strided{b_.CreateNSWSub(left->base, right->base), left->stride - right->stride};
    // A product is strided when one side is the same constant in all lanes, or both sides are uniform.
    if (left->stride == 0 && right->stride == 0)
        return Strided{b_.CreateNSWMul(left->base, right->base), 0};
    const auto& uniform = left->stride == 0 ? *left : *right;
    const auto& varying = left->stride == 0 ? *right : *left;
    auto* factor = llvm::dyn_cast<llvm::ConstantInt>(uniform.base);
    if (uniform.stride != 0 || !factor)
        return std::nullopt;
    return Strided{b_.CreateNSWMul(varying.base, factor), varying.stride * factor->getSExtValue()};
}

} // namespace loopscope::codegen
