// Loads, stores, prefetches, atomic steps, allocations. A vector access is as few accesses as its
// alignment allows, each of up to 16 bytes; where lanes are not neighbours, or each has a condition
// of its own, it is one for each lane.

#include "compiler/codegen/nvptx/device_emitter.h"
#include "compiler/lower/statements.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>
#include <numeric>

namespace loopscope::codegen {

using llvm::Value;

namespace {

constexpr int kWidest = 16; // bytes of one access

unsigned space_of(Value* pointer) { return pointer->getType()->getPointerAddressSpace(); }

} // namespace

bool DeviceEmitter::is_global(const Buffer& buffer) {
    return space_of(buffer.data) == kGlobalSpace;
}
bool DeviceEmitter::is_shared(const Buffer& buffer) {
    return space_of(buffer.data) == kSharedSpace;
}

void DeviceEmitter::mark_load(const Buffer& buffer, llvm::LoadInst* load) {
    marked(buffer, load);
    if (buffer.constant && is_global(buffer))
        load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(module_.getContext(), {}));
}

llvm::Align DeviceEmitter::known_alignment(const Buffer& buffer, const Linear& at) const {
    return llvm::Align(
        static_cast<std::uint64_t>(std::min(buffer.alignment, bytes(buffer.type) * at.divisor())));
}

// ---- Places of lanes ----------------------------------------------------------------------------

DeviceEmitter::Places DeviceEmitter::places(const ExprPtr& at, int count) {
    if (auto form = strided(at))
        return {form, nullptr};
    return {std::nullopt, convert(b_, at->type, ScalarType::I64, lanes(at, count))};
}

Value* DeviceEmitter::place_of(const Buffer& buffer, const Places& places, int lane) {
    if (places.form)
        return address(buffer, places.form->base.plus(Linear::of(places.form->stride * lane)));
    return b_.CreateGEP(memory_type(b_, buffer.type), buffer.data,
                        b_.CreateExtractElement(places.offsets, static_cast<std::uint64_t>(lane)));
}

// `whole`: lanes may be accessed together.
std::vector<DeviceEmitter::Piece> DeviceEmitter::pieces(const Buffer& buffer, const Places& places,
                                                        int count, bool whole, int most_bytes) {
    int together = 1;
    if (whole && places.form && places.form->stride == 1) {
        const auto aligned = static_cast<int>(known_alignment(buffer, places.form->base).value());
        const int most = std::min(most_bytes, aligned) / bytes(buffer.type);
        while (2 * together <= most && count % (2 * together) == 0)
            together *= 2;
    }
    std::vector<Piece> pieces;
    for (int lane = 0; lane < count; lane += together)
        pieces.push_back({place_of(buffer, places, lane), lane, together});
    return pieces;
}

// ---- Loads --------------------------------------------------------------------------------------

Value* DeviceEmitter::load(const Expr& e) {
    const Buffer buffer = buffers_.at(e.name);
    const auto& at = e.args[0];
    Value* mask = access_mask(e.kind == ExprKind::MaskedLoad ? e.args[1] : nullptr, e.lanes);
    return from_memory(e.type, e.lanes == 1 ? load_scalar(buffer, at, mask)
                                            : load_vector(buffer, at, mask, e.lanes));
}

Value* DeviceEmitter::load_vector(const Buffer& buffer, const ExprPtr& at, Value* mask, int count) {
    const auto where = places(at, count);
    Value* all = mask ? llvm::getSplatValue(mask) : nullptr; // one condition for all lanes
    if (mask && !all)
        return load_each(buffer, where, mask, count);
    if (where.form && where.form->stride == 0) {
        auto* place = place_of(buffer, where, 0);
        auto read = [&] { return load_element(buffer, place); };
        return b_.CreateVectorSplat(static_cast<unsigned>(count),
                                    all ? guarded(all, read) : read());
    }
    const auto parts = pieces(buffer, where, count, true, kWidest);
    auto read = [&] { return load_pieces(buffer, parts, count); };
    return all ? guarded(all, read) : read();
}

Value* DeviceEmitter::load_piece(const Buffer& buffer, const Piece& piece) {
    if (piece.count == 1)
        return load_element(buffer, piece.place);
    const llvm::Align aligned(static_cast<std::uint64_t>(piece.count * bytes(buffer.type)));
    auto* load = b_.CreateAlignedLoad(memory_type(b_, buffer.type, piece.count), piece.place,
                                      aligned, buffer.data->getName());
    mark_load(buffer, load);
    return load;
}

Value* DeviceEmitter::load_pieces(const Buffer& buffer, const std::vector<Piece>& pieces,
                                  int count) {
    if (pieces.size() == 1)
        return load_piece(buffer, pieces[0]);
    Value* joined = llvm::PoisonValue::get(memory_type(b_, buffer.type, count));
    for (const auto& piece : pieces) {
        auto* part = load_piece(buffer, piece);
        for (int i = 0; i < piece.count; ++i) {
            auto* element = piece.count == 1
                                ? part
                                : b_.CreateExtractElement(part, static_cast<std::uint64_t>(i));
            joined = b_.CreateInsertElement(joined, element,
                                            static_cast<std::uint64_t>(piece.first + i));
        }
    }
    return joined;
}

Value* DeviceEmitter::load_each(const Buffer& buffer, const Places& where, Value* mask, int count) {
    Value* joined = llvm::PoisonValue::get(memory_type(b_, buffer.type, count));
    for (const auto& piece : pieces(buffer, where, count, false, kWidest)) {
        const auto lane = static_cast<std::uint64_t>(piece.first);
        auto* element = guarded(b_.CreateExtractElement(mask, lane),
                                [&] { return load_element(buffer, piece.place); });
        joined = b_.CreateInsertElement(joined, element, lane);
    }
    return joined;
}

// ---- Stores -------------------------------------------------------------------------------------

void DeviceEmitter::store(const Statement& s) {
    const Buffer buffer = buffers_.at(s.access->buffer);
    const auto& at = s.access->indices[0];
    const int count = lanes_written(s);
    Value* mask = access_mask(s.access->mask, count);
    Value* all = !mask || count == 1 ? mask : llvm::getSplatValue(mask);
    Value* stored = to_memory(buffer.type, lanes(s.value, count));
    const bool each = mask && !all;
    // Lanes that share a place are written in their order, as the serial loop would.
    const auto parts = pieces(buffer, places(at, count), count, !each, kWidest);
    auto write = [&](const Piece& piece) -> Value* {
        Value* part = stored;
        if (count > 1 && piece.count == 1) {
            part = b_.CreateExtractElement(stored, static_cast<std::uint64_t>(piece.first));
        } else if (piece.count < count) {
            llvm::SmallVector<int, 8> lanes(static_cast<std::size_t>(piece.count));
            std::iota(lanes.begin(), lanes.end(), piece.first);
            part = b_.CreateShuffleVector(stored, lanes);
        }
        store_piece(buffer, piece, part, s.access->streaming);
        return nullptr;
    };
    auto write_all = [&]() -> Value* {
        for (const auto& piece : parts)
            write(piece);
        return nullptr;
    };
    if (each)
        for (const auto& piece : parts)
            guarded(b_.CreateExtractElement(mask, static_cast<std::uint64_t>(piece.first)),
                    [&] { return write(piece); });
    else if (all)
        guarded(all, write_all);
    else
        write_all();
}

void DeviceEmitter::store_piece(const Buffer& buffer, const Piece& piece, Value* stored,
                                bool streaming) {
    if (streaming && is_global(buffer))
        return stream(piece, stored, bytes(buffer.type));
    const llvm::Align aligned(static_cast<std::uint64_t>(piece.count * bytes(buffer.type)));
    marked(buffer, b_.CreateAlignedStore(stored, piece.place, aligned));
}

// LLVM 19 has no form for st.global.cs, which says that the line will not be used again.
void DeviceEmitter::stream(const Piece& piece, Value* stored, int size) {
    const int word = std::max(size, std::min(4, size * piece.count));
    const int words = piece.count * size / word;
    auto* integer = b_.getIntNTy(static_cast<unsigned>(8 * word));
    auto* whole = words == 1 ? static_cast<llvm::Type*>(integer)
                             : llvm::FixedVectorType::get(integer, static_cast<unsigned>(words));
    Value* bits = b_.CreateBitCast(stored, whole);
    std::vector<Value*> operands{piece.place};
    std::string list, constraints = "l";
    const char* constraint = word == 8 ? ",l" : word == 4 ? ",r" : ",h";
    for (int i = 0; i < words; ++i) {
        Value* part =
            words == 1 ? bits : b_.CreateExtractElement(bits, static_cast<std::uint64_t>(i));
        operands.push_back(word == 1 ? b_.CreateZExt(part, b_.getInt16Ty()) : part);
        list += (i > 0 ? ", $" : "$") + std::to_string(i + 1);
        constraints += constraint;
    }
    const auto vector = words == 1 ? std::string() : ".v" + std::to_string(words);
    assembly("st.global.cs" + vector + ".b" + std::to_string(8 * word) + " [$0], " +
                 (words == 1 ? list : "{" + list + "}") + ";",
             constraints, operands);
}

// Prefetches global memory alone: other memories are on the chip. The last iterations may ask for
// addresses behind the buffer, where there may be no memory.
void DeviceEmitter::prefetch(const Statement& s) {
    const Buffer buffer = buffers_.at(s.access->buffer);
    if (!is_global(buffer))
        return;
    const auto& at = s.access->indices[0];
    auto* place = address(buffer, linear(at));
    auto* elements = elements_.at(s.access->buffer);
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(elements);
    const bool narrow = bits(at->type) == 32 && known && known->getValue().isIntN(31);
    auto* inside =
        narrow ? b_.CreateICmpULT(value(at),
                                  b_.getInt32(static_cast<std::uint32_t>(known->getZExtValue())))
               : b_.CreateICmpULT(index(at), elements);
    guarded(inside, [&]() -> Value* {
        assembly("prefetch.global.L2 [$0];", "l", {place});
        return nullptr;
    });
}

// ---- Allocations and atomic steps ---------------------------------------------------------------

void DeviceEmitter::allocate(const Statement& s) {
    if (lower::allocates_own(s)) {
        allocate_on_stack(s, lower::bytes_of(s), llvm::Align(kWidest));
        return;
    }
    const auto offset = layout_->offset(s.storage->buffer);
    auto* data = llvm::ConstantExpr::getGetElementPtr(
        b_.getInt8Ty(), shared_, b_.getInt32(static_cast<std::uint32_t>(offset)));
    auto& buffer = buffers_[s.storage->buffer] =
        bind_buffer(s.storage->buffer, s.storage->type, data);
    const auto asked = lower::shared_alignment(s);
    buffer.alignment = offset == 0 ? asked : std::min(asked, offset & -offset);
    value_scopes_[data] = 0;
    make_arrivals(s);
    children(s);
    buffers_.erase(s.storage->buffer);
}

// Sums of floats have instructions, that of f32 in global memory one that takes denormals for 0:
// the order of the terms is nobody's, and what is lost is less than what their order decides.
void DeviceEmitter::atomic_element(const Buffer& buffer, Op op, Value* place, Value* operand) {
    if (!is_global(buffer) && !is_shared(buffer)) { // the thread's own
        Value* element = load_element(buffer, place);
        marked(buffer, b_.CreateAlignedStore(combined(op, buffer.type, element, operand), place,
                                             element_alignment(buffer)));
        return;
    }
    const bool has_sum = buffer.type == ScalarType::F32 || buffer.type == ScalarType::F64 ||
                         buffer.type == ScalarType::F16 ||
                         (buffer.type == ScalarType::BF16 && architecture_.has_bf16_atomics());
    if (op != Op::Add || !has_sum)
        return Emitter::atomic_element(buffer, op, place, operand);
    auto* type = buffer.type == ScalarType::F16    ? b_.getHalfTy()
                 : buffer.type == ScalarType::BF16 ? b_.getBFloatTy()
                                                   : operand->getType();
    marked(buffer,
           b_.CreateAtomicRMW(llvm::AtomicRMWInst::FAdd, place, b_.CreateBitCast(operand, type),
                              element_alignment(buffer), llvm::AtomicOrdering::Monotonic));
}

} // namespace loopscope::codegen
