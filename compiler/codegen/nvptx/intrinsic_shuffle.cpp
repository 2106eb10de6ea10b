// shfl.sync: an element of another lane. Lanes that would read outside of the warp keep their own.

#include "compiler/codegen/nvptx/intrinsics.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace loopscope::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr std::uint32_t kLastLane = 31, kFirstLane = 0; // beyond which a lane keeps its own

class Shuffle {
public:
    Shuffle(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic, Intrinsic::ID instruction,
            std::uint32_t bound)
        : build_(build),
          b_(build.b),
          instruction_(instruction),
          number_(intrinsic.number),
          bound_(bound) {}

    void emit() {
        auto* element = build_.read(build_.operands() - 1);
        auto* type = element->getType();
        const auto width = type->getScalarSizeInBits();
        Value* bits = b_.CreateBitCast(element, b_.getIntNTy(width));
        Value* moved = width == 64 ? wide(bits)
                                   : b_.CreateTrunc(word(b_.CreateZExt(bits, b_.getInt32Ty())),
                                                    bits->getType());
        build_.write(0, b_.CreateBitCast(moved, type));
    }

private:
    Value* word(Value* bits) {
        auto* call = b_.CreateIntrinsic(instruction_, {},
                                        {build_.warp_members(), bits,
                                         b_.getInt32(static_cast<std::uint32_t>(number_)),
                                         b_.getInt32(bound_)});
        call->addFnAttr(llvm::Attribute::Convergent);
        return call;
    }

    Value* wide(Value* bits) {
        Value* low = word(b_.CreateTrunc(bits, b_.getInt32Ty()));
        Value* high = word(b_.CreateTrunc(b_.CreateLShr(bits, 32), b_.getInt32Ty()));
        auto* type = bits->getType();
        return b_.CreateOr(b_.CreateZExt(low, type), b_.CreateShl(b_.CreateZExt(high, type), 32));
    }

    IntrinsicBuilder& build_;
    Builder& b_;
    Intrinsic::ID instruction_;
    int number_;
    std::uint32_t bound_;
};

} // namespace

void emit_shuffle_down(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    Shuffle(build, intrinsic, Intrinsic::nvvm_shfl_sync_down_i32, kLastLane).emit();
}
void emit_shuffle_up(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    Shuffle(build, intrinsic, Intrinsic::nvvm_shfl_sync_up_i32, kFirstLane).emit();
}
void emit_shuffle_xor(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    Shuffle(build, intrinsic, Intrinsic::nvvm_shfl_sync_bfly_i32, kLastLane).emit();
}
void emit_shuffle_index(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    Shuffle(build, intrinsic, Intrinsic::nvvm_shfl_sync_idx_i32, kLastLane).emit();
}

} // namespace loopscope::codegen
