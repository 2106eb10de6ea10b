// wmma.load, wmma.mma and wmma.store: whole matrices in fragments of which nobody knows how they
// lie. Every call is convergent: without it LLVM moves them into branches that not all lanes take.

#include "compiler/codegen/nvptx/intrinsics.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <map>

namespace loopscope::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

// PTX ISA, "Matrix Fragments for WMMA": words of a lane.
constexpr int kWholeFactor = 8, kWholeSums = 8;

struct Whole {
    Intrinsic::ID id;
    bool halves; // of pairs of f16; else of f32
};

const std::map<std::string, Whole>& moves() {
    static const std::map<std::string, Whole> all{
        {"wmma_load_a_row_m16n16k16_f16",
         {Intrinsic::nvvm_wmma_m16n16k16_load_a_f16_row_stride, true}},
        {"wmma_load_a_col_m16n16k16_f16",
         {Intrinsic::nvvm_wmma_m16n16k16_load_a_f16_col_stride, true}},
        {"wmma_load_b_row_m16n16k16_f16",
         {Intrinsic::nvvm_wmma_m16n16k16_load_b_f16_row_stride, true}},
        {"wmma_load_b_col_m16n16k16_f16",
         {Intrinsic::nvvm_wmma_m16n16k16_load_b_f16_col_stride, true}},
        {"wmma_load_c_row_m16n16k16_f32",
         {Intrinsic::nvvm_wmma_m16n16k16_load_c_f32_row_stride, false}},
        {"wmma_load_c_col_m16n16k16_f32",
         {Intrinsic::nvvm_wmma_m16n16k16_load_c_f32_col_stride, false}},
        {"wmma_store_d_row_m16n16k16_f32",
         {Intrinsic::nvvm_wmma_m16n16k16_store_d_f32_row_stride, false}},
        {"wmma_store_d_col_m16n16k16_f32",
         {Intrinsic::nvvm_wmma_m16n16k16_store_d_f32_col_stride, false}},
    };
    return all;
}

const std::map<std::string, Intrinsic::ID>& products() {
    static const std::map<std::string, Intrinsic::ID> all{
        {"wmma_m16n16k16_f16_row_row", Intrinsic::nvvm_wmma_m16n16k16_mma_row_row_f32_f32},
        {"wmma_m16n16k16_f16_row_col", Intrinsic::nvvm_wmma_m16n16k16_mma_row_col_f32_f32},
        {"wmma_m16n16k16_f16_col_row", Intrinsic::nvvm_wmma_m16n16k16_mma_col_row_f32_f32},
        {"wmma_m16n16k16_f16_col_col", Intrinsic::nvvm_wmma_m16n16k16_mma_col_col_f32_f32},
    };
    return all;
}

llvm::Type* word(Builder& b, bool halves) {
    return halves ? llvm::cast<llvm::Type>(llvm::FixedVectorType::get(b.getHalfTy(), 2))
                  : b.getFloatTy();
}

void write_parts(IntrinsicBuilder& build, std::size_t operand, Value* result) {
    std::vector<Value*> words;
    for (unsigned i = 0; i < result->getType()->getStructNumElements(); ++i)
        words.push_back(build.b.CreateExtractValue(result, i));
    build.write_words(operand, words);
}

} // namespace

void emit_load_whole(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    auto* first = build.address(1);
    auto* call = build.b.CreateIntrinsic(moves().at(intrinsic.name).id, {first->getType()},
                                         {first, build.distance(1, 2)});
    call->addFnAttr(llvm::Attribute::Convergent);
    write_parts(build, 0, call);
}

void emit_store_whole(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    const auto& move = moves().at(intrinsic.name);
    auto* first = build.address(0);
    std::vector<Value*> arguments{first};
    for (auto* each : build.read_words(2, kWholeSums, word(build.b, move.halves)))
        arguments.push_back(each);
    arguments.push_back(build.distance(0, 1));
    build.b.CreateIntrinsic(move.id, {first->getType()}, arguments)
        ->addFnAttr(llvm::Attribute::Convergent);
}

void emit_multiply_whole(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    std::vector<Value*> arguments;
    for (std::size_t operand : {1, 2})
        for (auto* each : build.read_words(operand, kWholeFactor, word(build.b, true)))
            arguments.push_back(each);
    for (auto* each :
         build.read_words(build.operands() == 4 ? 3 : 0, kWholeSums, word(build.b, false)))
        arguments.push_back(each);
    auto* call = build.b.CreateIntrinsic(products().at(intrinsic.name), {}, arguments);
    call->addFnAttr(llvm::Attribute::Convergent);
    write_parts(build, 0, call);
}

} // namespace loopscope::codegen
