// Statements that launches on a device alone have: barriers, asynchronous copies and their groups,
// instructions.

#include "compiler/codegen/nvptx/device_emitter.h"
#include "compiler/codegen/nvptx/intrinsics.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/multicast.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

namespace loopscope::codegen {

using llvm::Value;
using lower::StatementKind;
namespace Intrinsic = llvm::Intrinsic;

namespace {
constexpr int kMinCopy = 4, kMaxCopy = 16; // bytes
} // namespace

void DeviceEmitter::device_step(const Statement& s) {
    switch (s.kind) {
    case StatementKind::Barrier:
        if (s.level == "warp")
            b_.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {}, {warp_members()});
        else if (s.level == lower::kClusterLevel)
            cluster_barrier();
        else
            block_barrier();
        break;
    case StatementKind::Copy: copy(s); break;
    case StatementKind::BulkCopy: bulk_copy(s); break;
    case StatementKind::Commit:
        if (!s.operands.empty())
            return commit_bulk(s);
        if (!architecture_.has_asynchronous_copies())
            break;
        b_.CreateIntrinsic(Intrinsic::nvvm_cp_async_commit_group, {}, {});
        break;
    case StatementKind::Wait:
        if (!s.operands.empty())
            return handed_over_.count(s.step->token) ? take_group(s) : wait_for_bulk(s);
        if (!architecture_.has_asynchronous_copies())
            break;
        b_.CreateIntrinsic(Intrinsic::nvvm_cp_async_wait_group, {},
                           {b_.getInt32(static_cast<std::uint32_t>(waits_.at(&s)))});
        break;
    case StatementKind::Intrinsic: instruction(s); break;
    case StatementKind::Threads: of_threads(s); break;
    case StatementKind::Acquire:
        if (!s.operands.empty())
            acquire_slot(s);
        break; // else barriers say it
    case StatementKind::Release:
        if (!s.operands.empty())
            release_slot(s);
        break;
    default: break;
    }
}

// PTX ISA, "Async Proxy": behind such a fence tensor cores find what threads have written, and the
// TMA writes after them.
void DeviceEmitter::block_barrier() {
    if (fences_ || fills_matrices_)
        assembly("fence.proxy.async.shared::cta;", "", {});
    barrier_of_threads();
}

// The memory that it touches is not told: it stays where it stands among other accesses.
llvm::CallInst* DeviceEmitter::assembly(const std::string& text, const std::string& constraints,
                                        const std::vector<Value*>& operands) {
    std::vector<llvm::Type*> types;
    for (auto* operand : operands)
        types.push_back(operand->getType());
    auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(b_.getVoidTy(), types, false), text,
                                      constraints + ",~{memory}", /*hasSideEffects=*/true);
    auto* call = b_.CreateCall(code, operands);
    call->setDoesNotThrow();
    return call;
}

// ---- Asynchronous copies ------------------------------------------------------------------------

// Elements that the hardware cannot copy by itself, being too small or not aligned, arrive at once;
// before sm_80 all do, and nothing is waited for. The barriers around stand as they do.
void DeviceEmitter::copy(const Statement& s) {
    if (!architecture_.has_asynchronous_copies() || !copy_asynchronously(s))
        store(s);
}

bool DeviceEmitter::copy_asynchronously(const Statement& s) {
    const Buffer to = buffers_.at(s.access->buffer), from = buffers_.at(s.value->name);
    if (!is_shared(to) || !is_global(from))
        return false;
    const int count = std::max<int>(s.value->lanes, s.access->indices[0]->lanes);
    const bool masked = s.value->kind == ExprKind::MaskedLoad;
    Value* stored = s.access->mask ? lanes(s.access->mask, count) : nullptr; // elsewhere: nothing
    Value* loaded = masked ? lanes(s.value->args[1], count) : nullptr;       // elsewhere: zeros
    auto one_for_all = [&](Value* mask) {
        return !mask || count == 1 || llvm::getSplatValue(mask);
    };
    const bool whole = one_for_all(stored) && one_for_all(loaded);

    const auto target = places(s.access->indices[0], count),
               source = places(s.value->args[0], count);
    auto targets = pieces(to, target, count, whole, kMaxCopy);
    auto sources = pieces(from, source, count, whole, kMaxCopy);
    if (targets.size() != sources.size()) { // the lesser alignment of both
        const int most = std::min(targets[0].count, sources[0].count) * bytes(to.type);
        targets = pieces(to, target, count, whole, most);
        sources = pieces(from, source, count, whole, most);
    }
    if (targets[0].count * bytes(to.type) < kMinCopy)
        return false;

    auto of_lane = [&](Value* mask, int lane) {
        return count == 1 ? mask : b_.CreateExtractElement(mask, static_cast<std::uint64_t>(lane));
    };
    for (std::size_t i = 0; i < targets.size(); ++i) {
        Value* on = loaded ? of_lane(loaded, targets[i].first) : nullptr;
        auto begin = [&]() -> Value* {
            copy_piece(to, targets[i], sources[i].place, on);
            return nullptr;
        };
        if (stored)
            guarded(of_lane(stored, targets[i].first), begin);
        else
            begin();
    }
    return true;
}

// `on`: where it does not hold, the source is not read and zeros are written; null: it holds. Of 16
// bytes past L1, which has no use for what goes to shared memory.
void DeviceEmitter::copy_piece(const Buffer& to, const Piece& target, Value* source, Value* on) {
    const int size = target.count * bytes(to.type);
    const std::string text = std::string("cp.async.") + (size == kMaxCopy ? "cg" : "ca") +
                             ".shared.global [$0], [$1], " + std::to_string(size);
    if (!on) {
        assembly(text + ";", "r,l", {target.place, source});
        return;
    }
    auto* read = b_.CreateSelect(on, b_.getInt32(static_cast<std::uint32_t>(size)), b_.getInt32(0));
    assembly(text + ", $2;", "r,l,r", {target.place, source, read});
}

// ---- Instructions of the table ------------------------------------------------------------------

// The number of the thread in its block.
Value* DeviceEmitter::thread_index() {
    Value* index = nullptr;
    for (std::size_t axis = 3; axis-- > 0;) {
        const auto& dimension = shape_.block[axis];
        if (dimension.extent == 1)
            continue;
        Value* own =
            convert(b_, dimension.type, ScalarType::I32, variables_.at(dimension.variable).value);
        auto* extent = b_.getInt32(static_cast<std::uint32_t>(dimension.extent));
        index = index ? b_.CreateAdd(b_.CreateMul(index, extent), own) : own;
    }
    return index ? index : b_.getInt32(0);
}

// The lanes of the thread's warp that there are: the last warp of a block may be a part of one.
Value* DeviceEmitter::warp_members() {
    const auto threads = shape_.threads();
    const auto last = threads % lower::kWarp;
    auto* all = b_.getInt32(~std::uint32_t{0});
    if (last == 0)
        return all;
    auto* some = b_.getInt32((std::uint32_t{1} << last) - 1);
    if (threads < lower::kWarp)
        return some;
    auto* first = b_.getInt32(static_cast<std::uint32_t>(threads - last));
    return b_.CreateSelect(b_.CreateICmpULT(thread_index(), first), all, some);
}

class StatementOperands final : public IntrinsicBuilder {
public:
    StatementOperands(DeviceEmitter& emitter, const lower::Statement& s)
        : IntrinsicBuilder(emitter.b_), emitter_(emitter), s_(s) {}

    std::size_t operands() const override { return s_.operands.size(); }

    const SharedMatrix* matrix(std::size_t operand) const override {
        const auto& of = s_.operands[operand].matrix;
        return of ? &*of : nullptr;
    }

    Value* address(std::size_t operand) override {
        return emitter_.address(buffer(operand), at(operand));
    }

    Value* distance(std::size_t from, std::size_t to) override {
        return b.CreateTrunc(emitter_.sum_of(at(to).plus(at(from), -1)), b.getInt32Ty());
    }

    Value* read(std::size_t operand) override {
        return emitter_.load_element(buffer(operand), address(operand));
    }

    void write(std::size_t operand, Value* element) override {
        const auto& to = buffer(operand);
        emitter_.marked(
            to, b.CreateAlignedStore(element, address(operand), emitter_.element_alignment(to)));
    }

    std::vector<Value*> read_words(std::size_t operand, int count, llvm::Type* word) override {
        std::vector<Value*> words;
        auto* stored = word->isFloatTy() ? word : b.getInt32Ty();
        for (int i = 0; i < count; ++i) {
            const auto& from = buffer(operand);
            auto* load = b.CreateAlignedLoad(stored, emitter_.address(from, word_at(operand, i)),
                                             alignment(operand, i));
            words.push_back(b.CreateBitCast(emitter_.marked(from, load), word));
        }
        return words;
    }

    void write_words(std::size_t operand, const std::vector<Value*>& words) override {
        for (int i = 0; i < static_cast<int>(words.size()); ++i) {
            const auto& to = buffer(operand);
            auto* word = words[static_cast<std::size_t>(i)];
            emitter_.marked(to,
                            b.CreateAlignedStore(word, emitter_.address(to, word_at(operand, i)),
                                                 alignment(operand, i)));
        }
    }

    const std::vector<Value*>* held(std::size_t operand) const override {
        const auto* found = find_held(operand);
        return found ? &found->values : nullptr;
    }

    void hold(std::size_t operand, std::vector<Value*> sums) override {
        if (auto* found = find_held(operand))
            found->values = std::move(sums);
        else
            emitter_.held_.push_back({s_.operands[operand], std::move(sums)});
    }

    void let_go() override { emitter_.held_.clear(); }

    Value* warp_members() override { return emitter_.warp_members(); }

private:
    DeviceEmitter::HeldSums* find_held(std::size_t operand) const {
        const auto& wanted = s_.operands[operand];
        for (auto& held : emitter_.held_)
            if (lower::same_place(held.operand, wanted))
                return &held;
        return nullptr;
    }

    static constexpr int kWord = 4; // bytes

    const DeviceEmitter::Buffer& buffer(std::size_t operand) const {
        return emitter_.buffers_.at(s_.operands[operand].buffer);
    }
    Linear at(std::size_t operand) const {
        return emitter_.linear(s_.operands[operand].indices[0]);
    }
    Linear word_at(std::size_t operand, int word) const {
        return at(operand).plus(Linear::of(word * kWord / bytes(buffer(operand).type)));
    }
    llvm::Align alignment(std::size_t operand, int word) const {
        return std::min(llvm::Align(kWord),
                        emitter_.known_alignment(buffer(operand), word_at(operand, word)));
    }

    DeviceEmitter& emitter_;
    const lower::Statement& s_;
};

void DeviceEmitter::instruction(const Statement& s) {
    const auto* intrinsic = find_intrinsic(s.instruction);
    StatementOperands operands(*this, s);
    intrinsic->emit(operands, *intrinsic);
}

} // namespace loopscope::codegen
