#include "compiler/codegen/host/emitter.h"

#include <algorithm>

namespace loopscope::codegen {

using llvm::Value;
using lower::StatementKind;

namespace {
constexpr std::int64_t kStackBytes = 16 << 10;    // larger allocations come from the heap
constexpr std::int64_t kRegisterBytes = 64 << 10; // of scope "register": hoped to become registers
constexpr std::int64_t kFunctionStackBytes = 256
                                             << 10; // all of a function's; threads have a few MB
} // namespace

void Emitter::statement(const Statement& s) {
    auto enclosing = b_.getCurrentDebugLocation();
    if (!(s.origin == NodeId{}))
        set_origin(s.origin);
    memo_.emplace_back();
    switch (s.kind) {
    case StatementKind::Block: children(s); break;
    case StatementKind::For:
        if (s.for_kind == lower::ForKind::Parallel)
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
    case StatementKind::Acquire:
    case StatementKind::Commit:
    case StatementKind::Wait:
    case StatementKind::Release:
    case StatementKind::Intrinsic: break; // of devices; a launch on the host has none
    }
    memo_.pop_back();
    b_.SetCurrentDebugLocation(enclosing);
}

void Emitter::children(const Statement& s) {
    for (std::size_t i = 0, planned = 0; i < s.children.size();) {
        if (i >= planned)
            planned = find_tiles(s, i);
        auto written = interleaved_stores(s, i);
        if (written == 0 && s.children[i])
            statement(*s.children[i]);
        i += std::max<std::size_t>(written, 1);
    }
    tiled_.clear();
}

void Emitter::serial_loop(const Statement& s) {
    std::int64_t constant = 0;
    bool known = constant_value(s.extent, constant);
    if (known && constant <= 0)
        return;
    Value* begin = index(s.begin);
    Value* end = b_.CreateNSWAdd(begin, index(s.extent), s.name + ".end");
    auto extent = range(s.extent);
    loop(s, begin, end, known || (extent && extent->least > 0), counter_range(s));
}

// A loop over [begin, end) with its test at the bottom, the form that loop-invariant code motion promotes best.
// `runs`: at least one iteration is known.
void Emitter::loop(const Statement& s, Value* begin, Value* end, bool runs,
                   std::optional<Interval> counted) {
    auto& context = module_.getContext();
    auto* body = llvm::BasicBlock::Create(context, s.name, function_.function);
    auto* after = llvm::BasicBlock::Create(context, s.name + ".after", function_.function);
    auto* before = b_.GetInsertBlock();
    if (runs)
        b_.CreateBr(body);
    else
        b_.CreateCondBr(b_.CreateICmpSLT(begin, end), body, after);
    b_.SetInsertPoint(body);
    auto* counter = b_.CreatePHI(b_.getInt64Ty(), 2, s.name);
    counter->addIncoming(begin, before);
    variables_[s.name] = loop_variable(s, counter, counted);
    in_scope(counter, [&] { children(s); });
    variables_.erase(s.name);
    auto* next = b_.CreateNSWAdd(counter, b_.getInt64(1), s.name + ".next");
    counter->addIncoming(next, b_.GetInsertBlock());
    auto* branch = b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, after);
    branch->setMetadata(llvm::LLVMContext::MD_loop, loop_metadata());
    b_.SetInsertPoint(after);
}

std::optional<Interval> Emitter::counter_range(const Statement& s) {
    auto begin = range(s.begin), extent = range(s.extent);
    if (!begin || !extent || extent->greatest < 1)
        return std::nullopt;
    return Interval{begin->least, begin->greatest + extent->greatest - 1};
}

// The counter is exact whatever is known of its range: loops do not wrap.
Emitter::Variable Emitter::loop_variable(const Statement& s, Value* counter,
                                         std::optional<Interval> counted) {
    auto type = s.begin->type;
    auto form =
        Linear::of(counter, static_cast<int>(scopes_.size())); // of the scope that opens next
    return {type, convert(b_, ScalarType::I64, type, counter), form, std::nullopt, counted};
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
    bind_variable(s.name, s.value);
    // What is not linear in outer counters is known from here on.
    auto& variable = variables_.at(s.name);
    for (auto* form : {variable.index ? &*variable.index : nullptr,
                       variable.strided ? &variable.strided->base : nullptr})
        if (form)
            for (auto& term : form->terms)
                term.scope = std::min(term.scope, static_cast<int>(scopes_.size()));
    in_scope(nullptr, [&] { children(s); });
    variables_.erase(s.name);
}

void Emitter::allocate(const Statement& s) {
    std::int64_t size = bytes(s.type);
    bool known = true;
    for (const auto& extent : s.extents) {
        known = known && extent.is_constant();
        if (known &&
            __builtin_mul_overflow(size, std::max<std::int64_t>(extent.constant(), 1), &size))
            known = false;
    }
    std::int64_t limit = s.scope == "register" ? kRegisterBytes : kStackBytes;
    if (known && size <= limit && function_.stack_bytes + size <= kFunctionStackBytes)
        allocate_on_stack(s, size);
    else
        allocate_on_heap(s);
}

// In the entry block, where SROA finds it; the lifetime says that nothing survives from one iteration to the next.
void Emitter::allocate_on_stack(const Statement& s, std::int64_t size) {
    function_.stack_bytes += size;
    auto* type = llvm::ArrayType::get(memory_type(b_, s.type),
                                      static_cast<std::uint64_t>(size / bytes(s.type)));
    llvm::AllocaInst* slot = nullptr;
    {
        llvm::IRBuilderBase::InsertPointGuard guard(b_);
        b_.SetInsertPoint(function_.function->getEntryBlock().getTerminator());
        slot = b_.CreateAlloca(type, nullptr, s.buffer);
        slot->setAlignment(llvm::Align(static_cast<std::uint64_t>(std::max(s.alignment, 64))));
    }
    b_.CreateLifetimeStart(slot, b_.getInt64(static_cast<std::uint64_t>(size)));
    buffers_[s.buffer] = bind_buffer(s.buffer, s.type, slot);
    value_scopes_[slot] = 0;
    children(s);
    buffers_.erase(s.buffer);
    b_.CreateLifetimeEnd(slot, b_.getInt64(static_cast<std::uint64_t>(size)));
}

void Emitter::allocate_on_heap(const Statement& s) {
    Value* size = b_.getInt64(static_cast<std::uint64_t>(bytes(s.type)));
    for (const auto& extent : s.extents) {
        Value* elements = extent_value(extent);
        if (!extent.is_constant())
            elements = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, elements, b_.getInt64(1));
        size = b_.CreateMul(size, elements, s.buffer + ".bytes");
    }
    auto allocator =
        module_.getOrInsertFunction("ls_allocate", b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty());
    auto* alignment = b_.getInt64(static_cast<std::uint64_t>(std::max(s.alignment, 64)));
    auto* memory = b_.CreateCall(allocator, {size, alignment}, s.buffer);
    memory->addRetAttr(llvm::Attribute::NoAlias);
    memory->addRetAttr(llvm::Attribute::NonNull);
    memory->addRetAttr(llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(64)));
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(size))
        memory->addRetAttr(llvm::Attribute::getWithDereferenceableBytes(module_.getContext(),
                                                                        constant->getZExtValue()));
    buffers_[s.buffer] = bind_buffer(s.buffer, s.type, memory);
    in_scope(memory, [&] { children(s); });
    buffers_.erase(s.buffer);
    auto release = module_.getOrInsertFunction("ls_release", b_.getVoidTy(), b_.getPtrTy(),
                                               b_.getInt64Ty(), b_.getInt64Ty());
    function_.others_see.push_back(b_.CreateCall(release, {memory, size, alignment}));
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
