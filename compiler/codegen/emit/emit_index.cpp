// Integer expressions as exact i64 values ("index form"), and addresses. An address is a chain of
// pointers, one link per loop, outermost first, each computed where its loop begins, and the
// constant last. So the elements of an unrolled tile are one pointer plus constants: LLVM sees that
// they do not overlap, keeps the tile in registers, and has its induction variables for nothing.

#include "compiler/codegen/emit/emitter.h"
#include "compiler/codegen/emit/wide_index.h"

#include <llvm/IR/Intrinsics.h>

#include <limits>

namespace loopscope::codegen {

using llvm::Value;

namespace {
constexpr int kHere = std::numeric_limits<int>::max(); // known only where it is used
} // namespace

// ---- Scopes -------------------------------------------------------------------------------------

void Emitter::open_scope() {
    auto* block = b_.GetInsertBlock();
    scopes_.push_back({block, block->empty() ? nullptr : &block->back(), {}});
}

int Emitter::scope_of(Value* value) const {
    auto known = value_scopes_.find(value);
    return known == value_scopes_.end() ? kHere : known->second;
}

// Runs `emit` at the place where the scope begins, unless it has made the same (by `key`) there
// before.
template <typename Emit>
Value* Emitter::at_scope(int scope, const ScopeKey& key, Emit emit) {
    if (scope == kHere)
        return emit();
    auto& place = scopes_.at(static_cast<std::size_t>(scope));
    if (auto made = place.made.find(key); made != place.made.end())
        return made->second;
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    auto location = b_.getCurrentDebugLocation();
    auto next = place.last ? std::next(place.last->getIterator()) : place.block->begin();
    b_.SetInsertPoint(place.block, next);
    b_.SetCurrentDebugLocation(location);
    Value* result = emit();
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(result);
        instruction && instruction->getParent() == place.block)
        place.last = instruction;
    return place.made[key] = result;
}

Value* Emitter::scaled(const LinearTerm& term, int scope) {
    if (term.factor == 1)
        return term.value;
    return at_scope(scope, {nullptr, term.value, term.factor}, [&] {
        return b_.CreateMul(term.value, b_.getInt64(static_cast<std::uint64_t>(term.factor)));
    });
}

Value* Emitter::sum_of(const Linear& linear) {
    Value* sum = nullptr;
    for (const auto& term : linear.terms) {
        Value* part = scaled(term, term.scope);
        sum = sum ? at_scope(term.scope, {sum, part, 0}, [&] { return b_.CreateAdd(sum, part); })
                  : part;
    }
    if (!sum)
        return b_.getInt64(static_cast<std::uint64_t>(linear.constant));
    return linear.constant == 0
               ? sum
               : b_.CreateAdd(sum, b_.getInt64(static_cast<std::uint64_t>(linear.constant)));
}

// The address of an element. No link claims to stay inside the buffer: lanes that are off may not.
Value* Emitter::address(const Buffer& buffer, const Linear& at) {
    auto* type = memory_type(b_, buffer.type);
    Value* pointer = buffer.data;
    int scope = scope_of(pointer);
    for (const auto& term : at.terms) {
        scope = std::max(scope, term.scope);
        Value* offset = scaled(term, scope);
        pointer = at_scope(scope, {pointer, offset, bits(buffer.type)},
                           [&] { return b_.CreateGEP(type, pointer, offset); });
    }
    return at.constant == 0
               ? pointer
               : b_.CreateConstGEP1_64(type, pointer, static_cast<std::uint64_t>(at.constant));
}

// ---- Ranges -------------------------------------------------------------------------------------

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

// Types up to 16 bits have a range even where they wrap; wider ones have one only where arithmetic
// is exact.
bool Emitter::is_exact(const ExprPtr& e) {
    return is_integer(e->type) && bits(e->type) >= 32 && range(e).has_value();
}

DivisionFacts Emitter::division_facts(const Expr& e) {
    auto dividend = range(e.args[0]), divisor = range(e.args[1]);
    return {dividend && dividend->least >= 0, divisor && divisor->least > 0};
}

// ---- Index form ---------------------------------------------------------------------------------

Value* Emitter::index(const ExprPtr& e) { return sum_of(linear(e)); }

Linear Emitter::linear(const ExprPtr& e) {
    auto& known = memo_.back().indices;
    if (auto found = known.find(e.get()); found != known.end())
        return found->second;
    auto result = is_exact(e) ? linear_of_exact(e) : std::nullopt;
    if (!result)
        result = single_of(e);
    memo_.back().indices[e.get()] = *result;
    return *result;
}

Linear Emitter::single(Value* value, std::int64_t divisor) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
        return Linear::of(constant->getSExtValue());
    return Linear::of(value, scope_of(value), divisor);
}

Linear Emitter::single_of(const ExprPtr& e) {
    auto* wide = convert(b_, e->type, ScalarType::I64, value(e));
    return single(wide, index_form_ == IndexForm::Own ? divisor_of(e) : 1);
}

// A power of two, at most kMaxDivisor, of which the value of an integer expression is a
// multiple, whether its arithmetic wraps or not.
std::int64_t Emitter::divisor_of(const ExprPtr& e) {
    std::int64_t constant = 0;
    if (constant_value(e, constant))
        return Linear::of(constant).divisor();
    if (!is_integer(e->type))
        return 1;
    switch (e->kind) {
    case ExprKind::Variable: {
        const auto& variable = variables_.at(e->name);
        return variable.index ? variable.index->divisor() : 1;
    }
    case ExprKind::Unary: return e->op == Op::Negate ? divisor_of(e->args[0]) : 1;
    case ExprKind::Cast: return divisor_of(e->args[0]);
    case ExprKind::Select: return std::min(divisor_of(e->args[1]), divisor_of(e->args[2]));
    case ExprKind::Binary: return divisor_of_binary(*e);
    default: return 1;
    }
}

std::int64_t Emitter::divisor_of_binary(const Expr& e) {
    std::int64_t shift = 0;
    switch (e.op) {
    case Op::Add:
    case Op::Subtract:
    case Op::Modulo: // what is taken off is a multiple of the divisor
    case Op::Min:
    case Op::Max:
    case Op::BitOr:
    case Op::BitXor: return std::min(divisor_of(e.args[0]), divisor_of(e.args[1]));
    case Op::BitAnd: return std::max(divisor_of(e.args[0]), divisor_of(e.args[1]));
    case Op::Multiply: return std::min(kMaxDivisor, divisor_of(e.args[0]) * divisor_of(e.args[1]));
    case Op::ShiftLeft:
        if (!constant_value(e.args[1], shift) || shift < 0)
            return 1;
        return std::min(kMaxDivisor, divisor_of(e.args[0]) << std::min<std::int64_t>(shift, 12));
    default: return 1;
    }
}

// A known range of a sum, difference or product means known ranges of its operands, hence no wrap
// below it. The least or greatest of two may be known though one of them is not: a u64 that is not
// compares otherwise as i64.
std::optional<Linear> Emitter::linear_of_exact(const ExprPtr& e) {
    switch (e->kind) {
    case ExprKind::Constant: return Linear::of(static_cast<std::int64_t>(e->bits));
    case ExprKind::Variable: return variables_.at(e->name).index;
    case ExprKind::Let: return with_let(*e, [&] { return linear(e->args[1]); });
    case ExprKind::Cast: {
        auto from = is_integer(e->args[0]->type) ? range(e->args[0]) : std::nullopt;
        bool same = from && from->least >= least(e->type) && from->greatest <= greatest(e->type);
        return same ? std::optional(linear(e->args[0])) : std::nullopt;
    }
    case ExprKind::Unary:
        return e->op == Op::Negate ? std::optional(linear(e->args[0]).times(-1)) : std::nullopt;
    case ExprKind::Select:
        if (index_form_ == IndexForm::Own)
            return single_of(e);
        return single(b_.CreateSelect(value(e->args[0]), index(e->args[1]), index(e->args[2])),
                      std::min(linear(e->args[1]).divisor(), linear(e->args[2]).divisor()));
    case ExprKind::Binary: return linear_binary(e);
    default: return std::nullopt;
    }
}

std::optional<Linear> Emitter::linear_binary(const ExprPtr& e) {
    const auto &left = e->args[0], &right = e->args[1];
    if (e->op == Op::Add)
        return linear(left).plus(linear(right));
    if (e->op == Op::Subtract)
        return linear(left).plus(linear(right), -1);
    std::int64_t factor = 0;
    if (index_form_ == IndexForm::Own) {
        if (e->op == Op::Multiply && constant_value(right, factor))
            return linear(left).times(factor);
        if (e->op == Op::Multiply && constant_value(left, factor))
            return linear(right).times(factor);
        return single_of(e);
    }
    bool ordered_as_i64 = e->type != ScalarType::U64 || (range(left) && range(right));
    if ((e->op == Op::Min || e->op == Op::Max) && !ordered_as_i64)
        return std::nullopt;
    auto of_both = [&] { return std::min(linear(left).divisor(), linear(right).divisor()); };
    switch (e->op) {
    case Op::Multiply: return product(linear(left), linear(right));
    case Op::Min:
        return single(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index(left), index(right)),
                      of_both());
    case Op::Max:
        return single(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index(left), index(right)),
                      of_both());
    case Op::Divide:
    case Op::Modulo: return linear_division(*e);
    default: return std::nullopt;
    }
}

Linear Emitter::product(const Linear& left, const Linear& right) {
    if (left.is_constant())
        return right.times(left.constant);
    if (right.is_constant())
        return left.times(right.constant);
    return single(b_.CreateNSWMul(sum_of(left), sum_of(right)),
                  std::min(kMaxDivisor, left.divisor() * right.divisor()));
}

// By a constant only: a division of i64 by a variable is slower than one of i32.
std::optional<Linear> Emitter::linear_division(const Expr& e) {
    std::int64_t divisor = 0;
    if (!constant_value(e.args[1], divisor) || divisor <= 0 || !range(e.args[0]))
        return std::nullopt;
    auto facts = division_facts(e);
    Value *dividend = index(e.args[0]), *by = b_.getInt64(static_cast<std::uint64_t>(divisor));
    if (e.op == Op::Divide)
        return single(floor_divide(b_, ScalarType::I64, dividend, by, facts));
    return single(floor_modulo(b_, ScalarType::I64, dividend, by, facts),
                  std::min(linear(e.args[0]).divisor(), Linear::of(divisor).divisor()));
}

// ---- Vectors of indices -------------------------------------------------------------------------

// The strided form, or none. Index arithmetic does not wrap on lanes that touch memory: the front
// end refuses an index whose range may leave its type, and the buffer's bounds hold for each such
// lane.
std::optional<Emitter::Strided> Emitter::strided(const ExprPtr& e) {
    if (e->lanes == 1)
        return Strided{linear(e), 0};
    switch (e->kind) {
    case ExprKind::Broadcast: return Strided{linear(e->args[0]), 0};
    case ExprKind::Ramp: {
        std::int64_t stride = 0;
        return constant_value(e->args[1], stride)
                   ? std::optional(Strided{linear(e->args[0]), stride})
                   : std::nullopt;
    }
    case ExprKind::Constant: {
        std::int64_t all = 0;
        return constant_value(e, all) ? std::optional(Strided{Linear::of(all), 0}) : std::nullopt;
    }
    case ExprKind::Variable: return variables_.at(e->name).strided;
    case ExprKind::Cast:
        if (!is_integer(e->args[0]->type) || bits(e->args[0]->type) < 32 || bits(e->type) < 32)
            return std::nullopt;
        return strided(e->args[0]);
    case ExprKind::Binary: return bits(e->type) >= 32 ? strided_binary(*e) : std::nullopt;
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
        return Strided{left->base.plus(right->base), wrapping_add(left->stride, right->stride)};
    if (e.op == Op::Subtract)
        return Strided{left->base.plus(right->base, -1),
                       wrapping_subtract(left->stride, right->stride)};
    // A product is strided when both sides are uniform, or one is the same constant in all lanes.
    if (left->stride == 0 && right->stride == 0)
        return Strided{product(left->base, right->base), 0};
    if (left->stride != 0)
        std::swap(left, right);
    if (left->stride != 0 || !left->base.is_constant())
        return std::nullopt;
    return Strided{right->base.times(left->base.constant),
                   wrapping_multiply(right->stride, left->base.constant)};
}

} // namespace loopscope::codegen
