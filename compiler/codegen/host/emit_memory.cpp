// Loads and stores. Vector accesses take, in this order: a column of a tile that several read, one
// scalar for all lanes, a dense vector (stride 1 or -1), a few dense vectors shuffled together
// (small strides and windows), gather or scatter.

#include "compiler/codegen/host/host_emitter.h"

#include <algorithm>
#include <numeric>

namespace loopscope::codegen {

using llvm::Value;

Value* HostEmitter::reversed(Value* vector) {
    auto count = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
    llvm::SmallVector<int, 32> order(count);
    for (unsigned lane = 0; lane < count; ++lane)
        order[lane] = static_cast<int>(count - 1 - lane);
    return b_.CreateShuffleVector(vector, order);
}

Value* HostEmitter::load(const Expr& e) {
    const Buffer buffer = buffers_.at(e.name);
    const auto& at = e.args[0];
    Value* mask = access_mask(e.kind == ExprKind::MaskedLoad ? e.args[1] : nullptr, e.lanes);
    if (Value* column = load_from_tile(buffer, e, mask))
        return from_memory(e.type, column);
    return from_memory(e.type, e.lanes == 1 ? load_scalar(buffer, at, mask)
                                            : load_vector(buffer, at, mask, e.lanes));
}

Value* HostEmitter::load_vector(const Buffer& buffer, const ExprPtr& at, Value* mask, int count) {
    if (auto form = strided(at)) {
        if (form->stride == 0)
            return load_uniform(buffer, form->base, mask, count);
        if (form->stride == 1)
            return load_dense(buffer, form->base, mask, count);
        if (form->stride == -1)
            return reversed(load_dense(buffer, form->base.plus(Linear::of(1 - count)),
                                       mask ? reversed(mask) : nullptr, count));
    }
    if (auto form = window(at, count))
        if (Value* permuted = load_window(buffer, *form, mask))
            return permuted;
    if (Window nothing{{}, std::vector<std::int64_t>(static_cast<std::size_t>(count), 0)};
        is_clamped(buffer, at, nothing))
        return load_clamped(buffer, at, nothing, mask);
    return gather(buffer, at, mask, count);
}

Value* HostEmitter::load_uniform(const Buffer& buffer, const Linear& at, Value* mask, int count) {
    auto* place = address(buffer, at);
    auto lanes = static_cast<unsigned>(count);
    if (!mask)
        return b_.CreateVectorSplat(lanes, load_element(buffer, place));
    Value* any = guarded(b_.CreateOrReduce(mask), [&] { return load_element(buffer, place); });
    Value* splat = b_.CreateVectorSplat(lanes, any);
    return b_.CreateSelect(mask, splat, llvm::Constant::getNullValue(splat->getType()));
}

Value* HostEmitter::load_dense(const Buffer& buffer, const Linear& at, Value* mask, int count) {
    auto* type = memory_type(b_, buffer.type, count);
    auto* place = address(buffer, at);
    if (!mask)
        return marked(buffer, b_.CreateAlignedLoad(type, place, element_alignment(buffer),
                                                   buffer.data->getName()));
    return marked(buffer, b_.CreateMaskedLoad(type, place, element_alignment(buffer), mask,
                                              llvm::Constant::getNullValue(type)));
}

// A vector of addresses.
Value* HostEmitter::places(const Buffer& buffer, const ExprPtr& at, int count) {
    Value* offsets = lanes(at, count);
    if (!is_signed(at->type)) // a vector of addresses extends its offsets by sign
        offsets = convert(b_, at->type, ScalarType::I64, offsets);
    return b_.CreateGEP(memory_type(b_, buffer.type), buffer.data, offsets);
}

namespace {
int padded_lanes(int count) {
    return static_cast<int>(llvm::PowerOf2Ceil(static_cast<std::uint64_t>(count)));
}
} // namespace

// The vector with lanes of zero (false, null) behind it, up to a power of two.
Value* HostEmitter::padded(Value* vector, int count) {
    if (padded_lanes(count) == count)
        return vector;
    llvm::SmallVector<int, 32> order(static_cast<std::size_t>(padded_lanes(count)), count);
    std::iota(order.begin(), order.begin() + count, 0);
    return b_.CreateShuffleVector(vector, llvm::Constant::getNullValue(vector->getType()), order);
}

Value* HostEmitter::gather(const Buffer& buffer, const ExprPtr& at, Value* mask, int count) {
    auto* type = memory_type(b_, buffer.type, count);
    if (!mask)
        mask = llvm::ConstantInt::getTrue(
            llvm::FixedVectorType::get(b_.getInt1Ty(), static_cast<unsigned>(count)));
    // Padded lanes are off, as in store_vector.
    auto* wide = memory_type(b_, buffer.type, padded_lanes(count));
    Value* read =
        marked(buffer, b_.CreateMaskedGather(wide, padded(places(buffer, at, count), count),
                                             element_alignment(buffer), padded(mask, count),
                                             llvm::Constant::getNullValue(wide)));
    if (wide == type)
        return read;
    llvm::SmallVector<int, 32> kept(static_cast<std::size_t>(count));
    std::iota(kept.begin(), kept.end(), 0);
    return b_.CreateShuffleVector(read, kept);
}

void HostEmitter::store(const Statement& s) {
    const Buffer buffer = buffers_.at(s.access->buffer);
    const auto& at = s.access->indices[0];
    const int count = lanes_written(s);
    Value* mask = access_mask(s.access->mask, count);
    Value* stored = to_memory(buffer.type, lanes(s.value, count));
    if (count == 1)
        store_scalar(buffer, at, stored, mask, s.access->streaming);
    else
        store_vector(buffer, at, stored, mask, count, s.access->streaming);
}

void HostEmitter::store_scalar(const Buffer& buffer, const ExprPtr& at, Value* stored, Value* mask,
                               bool streaming) {
    Value* place = address(buffer, linear(at));
    if (streaming && !mask && stream(buffer, linear(at), place, stored, 1))
        return;
    auto write = [&]() -> Value* {
        marked(buffer, b_.CreateAlignedStore(stored, place, element_alignment(buffer)));
        return nullptr;
    };
    if (mask)
        guarded(mask, write);
    else
        write();
}

void HostEmitter::store_vector(const Buffer& buffer, const ExprPtr& at, Value* stored, Value* mask,
                               int count, bool streaming) {
    auto form = strided(at);
    if (form && (form->stride == 1 || form->stride == -1)) {
        auto least = form->base;
        if (form->stride == -1) {
            least = least.plus(Linear::of(1 - count));
            stored = reversed(stored);
            mask = mask ? reversed(mask) : nullptr;
        }
        store_dense(buffer, least, stored, mask, count, streaming);
        return;
    }
    // Lanes that share a place are written in their order, as the serial loop would.
    if (!mask)
        mask = llvm::ConstantInt::getTrue(
            llvm::FixedVectorType::get(b_.getInt1Ty(), static_cast<unsigned>(count)));
    // LLVM 19 widens a scatter of 23 lanes to 32 and leaves the mask of the new ones undefined:
    // they would write anywhere. Lanes are padded here instead, and are off.
    marked(buffer,
           b_.CreateMaskedScatter(padded(stored, count), padded(places(buffer, at, count), count),
                                  element_alignment(buffer), padded(mask, count)));
}

void HostEmitter::store_dense(const Buffer& buffer, const Linear& at, Value* stored, Value* mask,
                              int count, bool streaming) {
    auto* place = address(buffer, at);
    if (streaming && !mask && stream(buffer, at, place, stored, count))
        return;
    if (mask)
        marked(buffer, b_.CreateMaskedStore(stored, place, element_alignment(buffer), mask));
    else
        marked(buffer, b_.CreateAlignedStore(stored, place, element_alignment(buffer)));
}

// Buffers begin where cache lines do.
llvm::Align HostEmitter::known_alignment(const Buffer& buffer, const Linear& at) const {
    constexpr std::int64_t kLine = 64;
    return llvm::Align(
        static_cast<std::uint64_t>(std::min(kLine, bytes(buffer.type) * at.divisor())));
}

// A streaming store, if the processor has one for this: whole vectors where their alignment is
// known, which LLVM else makes of pieces of 4 or 8 bytes; scalars of these sizes, as integers (x86
// has none of floats). False: it has not.
bool HostEmitter::stream(const Buffer& buffer, const Linear& at, Value* place, Value* stored,
                         int count) {
    constexpr int kMinVector = 16;
    const int size = bytes(buffer.type);
    auto alignment = known_alignment(buffer, at);
    const bool whole = count * size % kMinVector == 0 && alignment >= llvm::Align(kMinVector);
    if (size < 4 && !whole)
        return false;
    if (count == 1)
        stored = b_.CreateBitCast(stored, b_.getIntNTy(static_cast<unsigned>(8 * size)));
    auto* store = marked(buffer, b_.CreateAlignedStore(stored, place, alignment));
    auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
    store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                       llvm::MDNode::get(module_.getContext(), one));
    function_.streams = true;
    return true;
}

void HostEmitter::prefetch(const Statement& s) {
    const Buffer buffer = buffers_.at(s.access->buffer);
    constexpr std::uint32_t kRead = 0, kAllLevels = 3, kData = 1;
    auto* place = address(buffer, linear(s.access->indices[0]));
    marked(buffer, b_.CreateIntrinsic(
                       llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {place, b_.getInt32(kRead), b_.getInt32(kAllLevels), b_.getInt32(kData)}));
}

} // namespace loopscope::codegen
