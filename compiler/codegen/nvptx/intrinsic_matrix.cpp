// ldmatrix and mma. Every call is convergent: without it LLVM moves them into branches that not all
// lanes take.

#include "compiler/codegen/nvptx/intrinsics.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace loopscope::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

std::vector<Value*> parts_of(Builder& b, Value* result) {
    auto* type = llvm::dyn_cast<llvm::StructType>(result->getType());
    if (!type)
        return {result};
    std::vector<Value*> parts;
    for (unsigned i = 0; i < type->getNumElements(); ++i)
        parts.push_back(b.CreateExtractValue(result, i));
    return parts;
}

void load_matrix(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic, bool transposed) {
    auto* rows = build.address(1);
    auto id = transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16
                         : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16;
    if (intrinsic.number == 2)
        id = transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                        : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16;
    else if (intrinsic.number == 4)
        id = transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                        : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
    auto* call = build.b.CreateIntrinsic(id, {rows->getType()}, {rows});
    call->addFnAttr(llvm::Attribute::Convergent);
    build.write_words(0, parts_of(build.b, call));
}

// Words of a lane, of all shapes in the table.
constexpr int kLeft = 4, kRight = 2, kSums = 4;

void multiply(IntrinsicBuilder& build, Intrinsic::ID instruction, llvm::Type* factor,
              llvm::Type* sum, Value* (*rounded)(Builder&, Value*) = nullptr) {
    std::vector<Value*> arguments;
    for (auto [operand, words] : {std::pair<std::size_t, int>{1, kLeft}, {2, kRight}})
        for (auto* word : build.read_words(operand, words, factor))
            arguments.push_back(rounded ? rounded(build.b, word) : word);
    for (auto* word : build.read_words(build.operands() == 4 ? 3 : 0, kSums, sum))
        arguments.push_back(word);
    auto* call = build.b.CreateIntrinsic(instruction, {}, arguments);
    call->addFnAttr(llvm::Attribute::Convergent);
    build.write_words(0, parts_of(build.b, call));
}

Value* rounded_to_tf32(Builder& b, Value* value) {
    return b.CreateIntrinsic(Intrinsic::nvvm_f2tf32_rna, {}, {value});
}

} // namespace

void emit_load_matrix(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    load_matrix(build, intrinsic, false);
}
void emit_load_matrix_transposed(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    load_matrix(build, intrinsic, true);
}

void emit_mma_f16(IntrinsicBuilder& build, const DeviceIntrinsic&) {
    multiply(build, Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32,
             llvm::FixedVectorType::get(build.b.getHalfTy(), 2), build.b.getFloatTy());
}
void emit_mma_bf16(IntrinsicBuilder& build, const DeviceIntrinsic&) {
    multiply(build, Intrinsic::nvvm_mma_m16n8k16_row_col_bf16, build.b.getInt32Ty(),
             build.b.getFloatTy());
}
void emit_mma_tf32(IntrinsicBuilder& build, const DeviceIntrinsic&) {
    multiply(build, Intrinsic::nvvm_mma_m16n8k8_row_col_tf32, build.b.getFloatTy(),
             build.b.getFloatTy(), rounded_to_tf32);
}
void emit_mma_s8(IntrinsicBuilder& build, const DeviceIntrinsic&) {
    multiply(build, Intrinsic::nvvm_mma_m16n8k32_row_col_s8, build.b.getInt32Ty(),
             build.b.getInt32Ty());
}

} // namespace loopscope::codegen
