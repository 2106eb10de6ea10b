// Work of some threads of a block, and the arrays that they hand over to the others: the TMA fills
// them for a token of lower::handed_over.
//
// Each slot has two mbarriers, which both sides come to in turn. One counts what has arrived
// (device_bulk.cpp). The other is complete when each warp of the readers has arrived at it, and so
// is done with the slot. The thread that asks for group g waits for the phase before g's own turn
// at that mbarrier; where nothing has arrived yet, that phase counts as complete.

#include "compiler/codegen/nvptx/device_emitter.h"
#include "compiler/lower/gpu/multicast.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cstdint>
#include <string>

namespace loopscope::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

void DeviceEmitter::of_threads(const Statement& s) {
    auto& context = b_.getContext();
    const auto outer = of_;
    of_ = *s.threads;
    auto* first = b_.getInt32(static_cast<std::uint32_t>(of_.begin));
    auto* count = b_.getInt32(static_cast<std::uint32_t>(of_.count));
    auto* function = b_.GetInsertBlock()->getParent();
    auto* mine = llvm::BasicBlock::Create(context, "threads", function);
    auto* after = llvm::BasicBlock::Create(context, "others", function);
    b_.CreateCondBr(b_.CreateICmpULT(b_.CreateSub(thread_index(), first), count), mine, after);
    b_.SetInsertPoint(mine);
    children(s);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    of_ = outer;
}

// Barrier 0 is that of all.
void DeviceEmitter::barrier_of_threads() {
    if (of_.count == shape_.threads()) {
        b_.CreateIntrinsic(Intrinsic::nvvm_barrier0, {}, {});
        return;
    }
    // By numbers in the text: of one in a register the assembler would take all barriers there are.
    const auto* number = of_.begin == 0 ? "1" : "2";
    assembly(std::string("bar.sync ") + number + ", " + std::to_string(of_.count) + ";", "", {})
        ->setConvergent();
}

// In the name of all that ask: the first of them, who alone makes the requests behind it.
void DeviceEmitter::acquire_slot(const Statement& s) {
    const auto& releases = arrivals_.at(s.operands[0].buffer);
    auto* group = next_of(releases.acquired);
    guarded(is_first_thread(), [&]() -> Value* {
        await_phase(releases, group, b_.CreateXor(phase_of(releases, group), 1),
                    shares_copies_ ? "acquire.cluster." : "");
        return nullptr;
    });
}

void DeviceEmitter::take_group(const Statement& s) {
    const auto& arrivals = arrivals_.at(s.operands[0].buffer);
    auto* group = next_of(arrivals.taken);
    await_phase(arrivals, group, phase_of(arrivals, group));
}

// Releases a slot: a warp's first thread does, when all of the warp are here. For a slot that other
// blocks fill, a thread for each block arrives at that block's mbarrier (PTX ISA, "mapa",
// "mbarrier.arrive"): the block that fills the slot next has then seen all that happened before.
void DeviceEmitter::release_slot(const Statement& s) {
    const auto& releases = arrivals_.at(s.operands[0].buffer);
    auto* group = next_of(releases.taken);
    b_.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {}, {warp_members()});
    auto* lane = b_.CreateURem(thread_index(), b_.getInt32(lower::kWarp));
    const auto blocks = lower::sharing_blocks(shape_, s.level);
    if (blocks > 1) {
        auto* object = arrival_object(releases, group);
        guarded(b_.CreateICmpULT(lane, b_.getInt32(static_cast<std::uint32_t>(blocks))),
                [&]() -> Value* {
                    assembly("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, $0, $1;\n\t"
                             "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n\t}",
                             "r,r", {object, rank_of_sharer(s.level, lane)});
                    return nullptr;
                });
        return;
    }
    guarded(b_.CreateICmpEQ(lane, b_.getInt32(0)), [&]() -> Value* {
        assembly("mbarrier.arrive.shared::cta.b64 _, [$0];", "r",
                 {arrival_object(releases, group)});
        return nullptr;
    });
}

} // namespace loopscope::codegen
