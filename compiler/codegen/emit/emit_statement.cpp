#include "compiler/codegen/emit/emitter.h"

#include <algorithm>

namespace loopscope::codegen {

using llvm::Value;
using lower::StatementKind;

void Emitter::statement(const Statement& s) {
    auto enclosing = b_.getCurrentDebugLocation();
    if (!(s.origin == NodeId{}))
        set_origin(s.origin);
    memo_.emplace_back();
    switch (s.kind) {
    case StatementKind::Block: children(s); break;
    case StatementKind::For:
        if (s.loop->kind == lower::ForKind::Parallel)
            parallel_loop(s);
        else
            serial_loop(s);
        break;
    case StatementKind::If: conditional(s); break;
    case StatementKind::Let: let_statement(s); break;
    case StatementKind::Store: store(s); break;
    case StatementKind::Atomic: atomic(s); break;
    case StatementKind::Prefetch: prefetch(s); break;
    case StatementKind::Allocate: allocate(s); break;
    case StatementKind::Evaluate: break;
    case StatementKind::Barrier:
    case StatementKind::Copy:
    case StatementKind::BulkCopy:
    case StatementKind::Acquire:
    case StatementKind::Commit:
    case StatementKind::Wait:
    case StatementKind::Release:
    case StatementKind::Intrinsic:
    case StatementKind::Threads: device_step(s); break;
    }
    memo_.pop_back();
    b_.SetCurrentDebugLocation(enclosing);
}

void Emitter::children(const Statement& s) {
    for (const auto& child : s.children)
        if (child)
            statement(*child);
}

// A target that has no threads of its own runs such a loop's iterations in order.
void Emitter::parallel_loop(const Statement& s) { serial_loop(s); }

void Emitter::device_step(const Statement&) {} // a launch on the host has none

// The type of a loop's counter, which holds the loop's end too.
ScalarType Emitter::counter_type(const Statement& s) {
    auto begin = range(s.loop->begin), extent = range(s.loop->extent);
    const bool narrow =
        index_form_ == IndexForm::Own && s.loop->begin->type == ScalarType::I32 && begin &&
        extent &&
        begin->greatest + std::max<std::int64_t>(extent->greatest, 0) <= greatest(ScalarType::I32);
    return narrow ? ScalarType::I32 : ScalarType::I64;
}

void Emitter::serial_loop(const Statement& s) {
    std::int64_t constant = 0;
    bool known = constant_value(s.loop->extent, constant);
    if (known && constant <= 0)
        return;
    const bool narrow = counter_type(s) == ScalarType::I32;
    Value* begin = narrow ? value(s.loop->begin) : index(s.loop->begin);
    Value* count = narrow ? value(s.loop->extent) : index(s.loop->extent);
    Value* end = b_.CreateNSWAdd(begin, count, s.variable + ".end");
    auto extent = range(s.loop->extent);
    loop(s, begin, end, known || (extent && extent->least > 0), counter_range(s));
}

// A loop over [begin, end) with its test at the bottom, the form that loop-invariant code motion
// promotes best. `runs`: at least one iteration is known. The counter has the type of its bounds.
void Emitter::loop(const Statement& s, Value* begin, Value* end, bool runs,
                   std::optional<Interval> counted) {
    auto& context = module_.getContext();
    auto* body = llvm::BasicBlock::Create(context, s.variable, function_.function);
    auto* after = llvm::BasicBlock::Create(context, s.variable + ".after", function_.function);
    auto* before = b_.GetInsertBlock();
    if (runs)
        b_.CreateBr(body);
    else
        b_.CreateCondBr(b_.CreateICmpSLT(begin, end), body, after);
    b_.SetInsertPoint(body);
    auto* counter = b_.CreatePHI(begin->getType(), 2, s.variable);
    counter->addIncoming(begin, before);
    variables_[s.variable] = loop_variable(s, counter, counted);
    in_scope(counter, [&] { children(s); });
    variables_.erase(s.variable);
    auto* one = llvm::ConstantInt::get(begin->getType(), 1);
    auto* next = b_.CreateNSWAdd(counter, one, s.variable + ".next");
    counter->addIncoming(next, b_.GetInsertBlock());
    auto* branch = b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, after);
    branch->setMetadata(llvm::LLVMContext::MD_loop, loop_metadata());
    b_.SetInsertPoint(after);
}

std::optional<Interval> Emitter::counter_range(const Statement& s) {
    auto begin = range(s.loop->begin), extent = range(s.loop->extent);
    if (!begin || !extent || extent->greatest < 1)
        return std::nullopt;
    return Interval{begin->least, begin->greatest + extent->greatest - 1};
}

// The counter is exact whatever is known of its range: loops do not wrap.
Emitter::Variable Emitter::loop_variable(const Statement& s, Value* counter,
                                         std::optional<Interval> counted) {
    auto type = s.loop->begin->type;
    const bool narrow = counter->getType()->isIntegerTy(32);
    Value* wide = narrow ? b_.CreateSExt(counter, b_.getInt64Ty()) : counter;
    Value* own = narrow ? counter : convert(b_, ScalarType::I64, type, counter);
    auto form = Linear::of(wide, static_cast<int>(scopes_.size())); // of the scope that opens next
    return {type, own, form, std::nullopt, counted};
}

llvm::MDNode* Emitter::loop_metadata() {
    auto& context = module_.getContext();
    auto* no_unroll =
        llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
    auto* loop = llvm::MDNode::getDistinct(context, {nullptr, no_unroll});
    loop->replaceOperandWith(0, loop);
    return loop;
}

void Emitter::conditional(const Statement& s) {
    auto& context = module_.getContext();
    Value* condition = value(s.condition);
    bool has_else = s.children.size() > 1 && s.children[1];
    auto* then = llvm::BasicBlock::Create(context, "then", function_.function);
    auto* otherwise =
        has_else ? llvm::BasicBlock::Create(context, "else", function_.function) : nullptr;
    auto* after = llvm::BasicBlock::Create(context, "endif", function_.function);
    b_.CreateCondBr(condition, then, has_else ? otherwise : after);
    b_.SetInsertPoint(then);
    statement(*s.children[0]);
    b_.CreateBr(after);
    if (has_else) {
        b_.SetInsertPoint(otherwise);
        statement(*s.children[1]);
        b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
}

void Emitter::let_statement(const Statement& s) {
    bind_variable(s.variable, s.value);
    // What is not linear in outer counters is known from here on.
    auto& variable = variables_.at(s.variable);
    for (auto* form : {variable.index ? &*variable.index : nullptr,
                       variable.strided ? &variable.strided->base : nullptr})
        if (form)
            for (auto& term : form->terms)
                term.scope = std::min(term.scope, static_cast<int>(scopes_.size()));
    in_scope(nullptr, [&] { children(s); });
    variables_.erase(s.variable);
}

// In the entry block, where SROA finds it; the lifetime says that nothing survives from one
// iteration to the next.
void Emitter::allocate_on_stack(const Statement& s, std::int64_t size, llvm::Align alignment) {
    function_.stack_bytes += size;
    auto* type = llvm::ArrayType::get(memory_type(b_, s.storage->type),
                                      static_cast<std::uint64_t>(size / bytes(s.storage->type)));
    llvm::AllocaInst* slot = nullptr;
    {
        llvm::IRBuilderBase::InsertPointGuard guard(b_);
        b_.SetInsertPoint(function_.function->getEntryBlock().getTerminator());
        slot = b_.CreateAlloca(type, nullptr, s.storage->buffer);
        slot->setAlignment(alignment);
    }
    b_.CreateLifetimeStart(slot, b_.getInt64(static_cast<std::uint64_t>(size)));
    auto& buffer = buffers_[s.storage->buffer] =
        bind_buffer(s.storage->buffer, s.storage->type, slot);
    buffer.alignment = static_cast<std::int64_t>(alignment.value());
    value_scopes_[slot] = 0;
    children(s);
    buffers_.erase(s.storage->buffer);
    b_.CreateLifetimeEnd(slot, b_.getInt64(static_cast<std::uint64_t>(size)));
}

Value* Emitter::extent_value(const Extent& extent) {
    Value* sum = b_.getInt64(static_cast<std::uint64_t>(extent.constant()));
    for (const auto& [symbol, coefficient] : extent.terms()) {
        auto* term = b_.CreateMul(variables_.at(symbol).value,
                                  b_.getInt64(static_cast<std::uint64_t>(coefficient)));
        sum = b_.CreateAdd(sum, term);
    }
    return sum;
}

} // namespace loopscope::codegen
