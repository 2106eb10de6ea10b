// Allocations: small ones on the stack, others from the heap.

#include "compiler/codegen/host/host_emitter.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {
constexpr std::int64_t kStackBytes = 16 << 10;    // larger allocations come from the heap
constexpr std::int64_t kRegisterBytes = 64 << 10; // of scope "register": hoped to become registers
// all of a function's; threads have a few MB
constexpr std::int64_t kFunctionStackBytes = 256 << 10;

llvm::Align alignment_of(const lower::Statement& s) {
    return llvm::Align(static_cast<std::uint64_t>(std::max(s.storage->alignment, 64)));
}
} // namespace

void HostEmitter::allocate(const Statement& s) {
    std::int64_t size = bytes(s.storage->type);
    bool known = true;
    for (const auto& extent : s.storage->extents) {
        known = known && extent.is_constant();
        if (known &&
            __builtin_mul_overflow(size, std::max<std::int64_t>(extent.constant(), 1), &size))
            known = false;
    }
    std::int64_t limit = s.storage->scope == device::registers() ? kRegisterBytes : kStackBytes;
    if (known && size <= limit && function_.stack_bytes + size <= kFunctionStackBytes)
        allocate_on_stack(s, size, alignment_of(s));
    else
        allocate_on_heap(s);
}

void HostEmitter::allocate_on_heap(const Statement& s) {
    Value* size = b_.getInt64(static_cast<std::uint64_t>(bytes(s.storage->type)));
    for (const auto& extent : s.storage->extents) {
        Value* elements = extent_value(extent);
        if (!extent.is_constant())
            elements = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, elements, b_.getInt64(1));
        size = b_.CreateMul(size, elements, s.storage->buffer + ".bytes");
    }
    auto allocator =
        module_.getOrInsertFunction("ls_allocate", b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty());
    auto* alignment = b_.getInt64(static_cast<std::uint64_t>(std::max(s.storage->alignment, 64)));
    auto* memory = b_.CreateCall(allocator, {size, alignment}, s.storage->buffer);
    memory->addRetAttr(llvm::Attribute::NoAlias);
    memory->addRetAttr(llvm::Attribute::NonNull);
    memory->addRetAttr(llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(64)));
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(size))
        memory->addRetAttr(llvm::Attribute::getWithDereferenceableBytes(module_.getContext(),
                                                                        constant->getZExtValue()));
    buffers_[s.storage->buffer] = bind_buffer(s.storage->buffer, s.storage->type, memory);
    in_scope(memory, [&] { children(s); });
    buffers_.erase(s.storage->buffer);
    auto release = module_.getOrInsertFunction("ls_release", b_.getVoidTy(), b_.getPtrTy(),
                                               b_.getInt64Ty(), b_.getInt64Ty());
    function_.others_see.push_back(b_.CreateCall(release, {memory, size, alignment}));
}

} // namespace loopscope::codegen
