// Atomic stores: element = element op value, in one step that no other thread sees half done.
// Integers, bits and logic have instructions; the rest (products, and floats by the language's
// rules) tries again until nobody came between. The order of steps is nobody's, so no ordering of
// other memory is asked for: parallel loops end with a barrier.

#include "compiler/codegen/emit/emitter.h"
#include "core/ir/half.h"

namespace loopscope::codegen {

using llvm::Value;

namespace {

constexpr int kCopiedLanes = 16; // more lanes run as a loop

std::optional<llvm::AtomicRMWInst::BinOp> instruction(Op op, ScalarType type) {
    using I = llvm::AtomicRMWInst;
    if (op == Op::LogicalAnd)
        return I::And;
    if (op == Op::LogicalOr)
        return I::Or;
    if (!is_integer(type))
        return std::nullopt;
    switch (op) {
    case Op::Add: return I::Add;
    case Op::BitAnd: return I::And;
    case Op::BitOr: return I::Or;
    case Op::BitXor: return I::Xor;
    case Op::Min: return is_signed(type) ? I::Min : I::UMin;
    case Op::Max: return is_signed(type) ? I::Max : I::UMax;
    default: return std::nullopt;
    }
}

} // namespace

// The value after the step, from and to what memory holds.
Value* Emitter::combined(Op op, ScalarType type, Value* element, Value* operand) {
    bool half = is_half(type);
    auto in = half ? ScalarType::F32 : type; // rounding to f32 between changes no result of + and *
    Value* left = convert(b_, type, in, from_memory(type, element), hardware_);
    Value* right = convert(b_, type, in, from_memory(type, operand), hardware_);
    return to_memory(type,
                     convert(b_, in, type, binary_operation(b_, op, in, left, right), hardware_));
}

void Emitter::atomic_element(const Buffer& buffer, Op op, Value* place, Value* operand) {
    if (auto direct = instruction(op, buffer.type))
        marked(buffer, b_.CreateAtomicRMW(*direct, place, operand, element_alignment(buffer),
                                          llvm::AtomicOrdering::Monotonic));
    else
        retry_atomic(buffer, op, place, operand);
}

void Emitter::retry_atomic(const Buffer& buffer, Op op, Value* place, Value* operand) {
    auto alignment = element_alignment(buffer);
    constexpr auto kOrder = llvm::AtomicOrdering::Monotonic;
    auto& context = module_.getContext();
    auto* whole = b_.getIntNTy(static_cast<unsigned>(bits(buffer.type)));
    auto* element = operand->getType();
    auto* retry = llvm::BasicBlock::Create(context, "atomic", function_.function);
    auto* done = llvm::BasicBlock::Create(context, "atomic.done", function_.function);
    auto* first = marked(buffer, b_.CreateAlignedLoad(whole, place, alignment));
    first->setAtomic(kOrder);
    auto* before = b_.GetInsertBlock();
    b_.CreateBr(retry);
    b_.SetInsertPoint(retry);
    auto* seen = b_.CreatePHI(whole, 2);
    seen->addIncoming(first, before);
    Value* next = combined(op, buffer.type, b_.CreateBitCast(seen, element), operand);
    auto* exchange =
        marked(buffer, b_.CreateAtomicCmpXchg(place, seen, b_.CreateBitCast(next, whole), alignment,
                                              kOrder, kOrder));
    seen->addIncoming(b_.CreateExtractValue(exchange, 0), b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateExtractValue(exchange, 1), done, retry);
    b_.SetInsertPoint(done);
}

void Emitter::atomic(const Statement& s) {
    const Buffer buffer = buffers_.at(s.access->buffer);
    const auto& at = s.access->indices[0];
    const int count = lanes_written(s);
    Value* mask = s.access->mask ? lanes(s.access->mask, count) : nullptr;
    Value* operand = to_memory(buffer.type, lanes(s.value, count));
    if (count == 1) {
        Value* place = address(buffer, linear(at));
        auto step = [&]() -> Value* {
            atomic_element(buffer, s.access->op, place, operand);
            return nullptr;
        };
        mask ? guarded(mask, step) : step();
        return;
    }
    Value* offsets = convert(b_, at->type, ScalarType::I64, lanes(at, count));
    auto lane_step = [&](Value* lane) {
        auto step = [&]() -> Value* {
            Value* place = b_.CreateGEP(memory_type(b_, buffer.type), buffer.data,
                                        b_.CreateExtractElement(offsets, lane));
            atomic_element(buffer, s.access->op, place, b_.CreateExtractElement(operand, lane));
            return nullptr;
        };
        mask ? guarded(b_.CreateExtractElement(mask, lane), step) : step();
    };
    if (count <= kCopiedLanes)
        for (int lane = 0; lane < count; ++lane)
            lane_step(b_.getInt64(static_cast<std::uint64_t>(lane)));
    else
        counted_loop(count, lane_step);
}

// A loop of constant extent that no statement of the program stands for.
void Emitter::counted_loop(int count, const std::function<void(Value*)>& body) {
    auto& context = module_.getContext();
    auto* block = llvm::BasicBlock::Create(context, "lanes", function_.function);
    auto* after = llvm::BasicBlock::Create(context, "lanes.after", function_.function);
    auto* before = b_.GetInsertBlock();
    b_.CreateBr(block);
    b_.SetInsertPoint(block);
    auto* lane = b_.CreatePHI(b_.getInt64Ty(), 2, "lane");
    lane->addIncoming(b_.getInt64(0), before);
    body(lane);
    Value* next = b_.CreateNSWAdd(lane, b_.getInt64(1));
    lane->addIncoming(next, b_.GetInsertBlock());
    auto* branch = b_.CreateCondBr(
        b_.CreateICmpSLT(next, b_.getInt64(static_cast<std::uint64_t>(count))), block, after);
    branch->setMetadata(llvm::LLVMContext::MD_loop, loop_metadata());
    b_.SetInsertPoint(after);
}

} // namespace loopscope::codegen
