// Bulk copies by the tensor memory accelerator (TMA; PTX: cp.async.bulk.tensor, of sm_90), and the
// mbarriers that count what has arrived.
//
// A group is what was asked for between two commits. Group g has mbarrier g % n, whose phases are
// the turns that it takes: a phase is complete when the first of the threads that ask has
// committed, and as many bytes have arrived as it then said. A wait looks at the parity of the
// phase that it waits for. Groups and phases count on through the iterations of a persistent block.

#include "compiler/codegen/nvptx/device_emitter.h"
#include "compiler/lower/gpu/multicast.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <string>

namespace loopscope::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

constexpr int kObject = 8; // bytes

void DeviceEmitter::bind_tensor_maps(const PtxKernel& kernel, llvm::Function* function) {
    const auto first = function->arg_size() - kernel.tensor_maps.size();
    for (std::size_t i = 0; i < kernel.tensor_maps.size(); ++i) {
        auto* argument = function->getArg(static_cast<unsigned>(first + i));
        argument->setName("tensor_map_of_" + kernel.tensor_maps[i].buffer);
        tensor_maps_.emplace_back(kernel.tensor_maps[i], argument);
    }
}

// The first of the threads that run the statement.
Value* DeviceEmitter::is_first_thread() {
    return b_.CreateICmpEQ(thread_index(), b_.getInt32(static_cast<std::uint32_t>(of_.begin)));
}

// A variable, which is in a register once LLVM has seen that its address is nobody's.
Value* DeviceEmitter::variable_of(const char* name) {
    auto& entry = b_.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.begin());
    auto* variable = at_entry.CreateAlloca(b_.getInt32Ty(), nullptr, name);
    b_.CreateStore(b_.getInt32(0), variable);
    return variable;
}

// Initialises mbarriers before any thread goes on; false: the allocation is not of mbarriers.
bool DeviceEmitter::make_arrivals(const Statement& allocation) {
    const auto counted = counted_arrivals(allocation, shape_);
    if (!counted)
        return false;
    Arrivals arrivals;
    arrivals.mbarriers = buffers_.at(allocation.storage->buffer).data;
    arrivals.count = counted->mbarriers;
    arrivals.committed = variable_of("committed");
    arrivals.bytes = variable_of("bytes");
    arrivals.acquired = variable_of("acquired");
    arrivals.taken = variable_of("taken");
    guarded(is_first_thread(), [&]() -> Value* {
        for (std::int64_t i = 0; i < arrivals.count; ++i)
            assembly("mbarrier.init.shared::cta.b64 [$0], " + std::to_string(counted->arriving) +
                         ";",
                     "r",
                     {b_.CreateConstGEP1_32(b_.getInt8Ty(), arrivals.mbarriers,
                                            static_cast<unsigned>(kObject * i))});
        assembly("fence.mbarrier_init.release.cluster;", "", {}); // for the TMA
        return nullptr;
    });
    b_.CreateIntrinsic(Intrinsic::nvvm_barrier0, {}, {});
    arrivals_[allocation.storage->buffer] = arrivals;
    return true;
}

Value* DeviceEmitter::arrival_object(const Arrivals& arrivals, Value* group) {
    auto* turn = b_.CreateURem(group, b_.getInt32(static_cast<std::uint32_t>(arrivals.count)));
    return b_.CreateGEP(b_.getInt64Ty(), arrivals.mbarriers, turn);
}

// The TMA takes coordinates along the contiguous dimension first.
void DeviceEmitter::bulk_copy(const Statement& s) {
    const auto &to = s.operands[0], &from = s.operands[1];
    const auto& arrivals = arrivals_.at(s.operands[2].buffer);
    const auto wanted = tensor_map_of(s, shape_);
    const auto map = std::find_if(tensor_maps_.begin(), tensor_maps_.end(),
                                  [&](const auto& known) { return known.first == wanted; });
    const auto& target = buffers_.at(to.buffer);
    const auto blocks = lower::sharing_blocks(shape_, s.level);
    const auto part = *lower::box_part(s, blocks);
    const std::int64_t element = bytes(target.type), size = blocks * part.elements * element;

    auto* opened = b_.CreateLoad(b_.getInt32Ty(), arrivals.bytes);
    b_.CreateStore(b_.CreateAdd(opened, b_.getInt32(static_cast<std::uint32_t>(size))),
                   arrivals.bytes);
    auto* group = b_.CreateLoad(b_.getInt32Ty(), arrivals.committed);
    guarded(is_first_thread(), [&]() -> Value* {
        auto* place = address(target, linear(to.indices[0]));
        // Which part it is, of those of the blocks that share the copy.
        auto* number = blocks > 1 ? number_of_sharer(s.level) : nullptr;
        auto parts = [&](std::int64_t each) {
            return b_.CreateMul(number, b_.getInt32(static_cast<std::uint32_t>(each)));
        };
        if (number)
            place = b_.CreateGEP(b_.getInt8Ty(), place, parts(part.elements * element));
        std::vector<Value*> operands{place, map->second, arrival_object(arrivals, group)};
        std::string coordinates, constraints = "r,l,r";
        for (auto d = from.indices.size(); d-- > 0;) {
            const auto& index = from.indices[d];
            coordinates += (coordinates.empty() ? "$" : ", $") + std::to_string(operands.size());
            constraints += ",r";
            auto* at = convert(b_, index->type, ScalarType::I32, value(index));
            operands.push_back(number && d == part.dimension ? b_.CreateAdd(at, parts(part.box[d]))
                                                             : at);
        }
        std::string mask;
        if (number) {
            mask = ", $" + std::to_string(operands.size());
            constraints += ",h";
            operands.push_back(mask_of_sharers(s.level));
        }
        assembly("cp.async.bulk.tensor." + std::to_string(from.indices.size()) +
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
                     (number ? ".multicast::cluster" : "") + " [$0], [$1, {" + coordinates +
                     "}], [$2]" + mask + ";",
                 constraints, operands);
        return nullptr;
    });
}

void DeviceEmitter::commit_bulk(const Statement& s) {
    const auto& arrivals = arrivals_.at(s.operands[0].buffer);
    auto* group = b_.CreateLoad(b_.getInt32Ty(), arrivals.committed);
    auto* size = b_.CreateLoad(b_.getInt32Ty(), arrivals.bytes);
    guarded(is_first_thread(), [&]() -> Value* {
        assembly("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r",
                 {arrival_object(arrivals, group), size});
        return nullptr;
    });
    b_.CreateStore(b_.getInt32(0), arrivals.bytes);
    b_.CreateStore(b_.CreateAdd(group, b_.getInt32(1)), arrivals.committed);
}

// For the youngest group but `pending`, and with it all before. Where there are not so many yet,
// for none.
void DeviceEmitter::wait_for_bulk(const Statement& s) {
    const auto& arrivals = arrivals_.at(s.operands[0].buffer);
    auto* younger = b_.getInt32(static_cast<std::uint32_t>(s.step->pending) + 1);
    auto* committed = b_.CreateLoad(b_.getInt32Ty(), arrivals.committed);
    guarded(b_.CreateICmpUGE(committed, younger), [&]() -> Value* {
        auto* group = b_.CreateSub(committed, younger);
        await_phase(arrivals, group, phase_of(arrivals, group));
        return nullptr;
    });
}

Value* DeviceEmitter::next_of(Value* variable) {
    auto* value = b_.CreateLoad(b_.getInt32Ty(), variable);
    b_.CreateStore(b_.CreateAdd(value, b_.getInt32(1)), variable);
    return value;
}

Value* DeviceEmitter::phase_of(const Arrivals& arrivals, Value* group) {
    auto* turns = b_.CreateUDiv(group, b_.getInt32(static_cast<std::uint32_t>(arrivals.count)));
    return b_.CreateAnd(turns, b_.getInt32(1));
}

void DeviceEmitter::await_phase(const Arrivals& arrivals, Value* group, Value* parity,
                                const std::string& order) {
    assembly("{\n\t.reg .pred arrived;\nagain:\n\t"
             "mbarrier.try_wait.parity." +
                 order +
                 "shared::cta.b64 arrived, [$0], $1;\n\t"
                 "@!arrived bra again;\n\t}",
             "r,r", {arrival_object(arrivals, group), parity});
}

} // namespace loopscope::codegen
