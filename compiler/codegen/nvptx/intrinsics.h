#pragma once
// Emission of the table's instructions. Internal: includes LLVM.

#include "compiler/codegen/emit/arithmetic.h"
#include "compiler/codegen/nvptx/intrinsic_table.h"
#include "core/schedule/gpu/shared_matrix.h"

#include <vector>

namespace loopscope::codegen {

// The emitter as the functions below need it: the statement's operands, as words of 32 bits.
class IntrinsicBuilder {
public:
    explicit IntrinsicBuilder(Builder& b) : b(b) {}
    virtual ~IntrinsicBuilder() = default;
    virtual std::size_t operands() const = 0;
    // How an operand lies in shared memory from which it is taken as a matrix; null: it is not
    // taken so.
    virtual const SharedMatrix* matrix(std::size_t operand) const = 0;
    virtual llvm::Value* address(std::size_t operand) = 0;
    // How many elements `to` is behind `from` in the same memory: an i32.
    virtual llvm::Value* distance(std::size_t from, std::size_t to) = 0;
    virtual llvm::Value* read(std::size_t operand) = 0; // one element, as memory holds it
    virtual void write(std::size_t operand, llvm::Value* element) = 0;
    // Reads words from the operand's element on; `word`: of 32 bits.
    virtual std::vector<llvm::Value*> read_words(std::size_t operand, int count,
                                                 llvm::Type* word) = 0;
    virtual void write_words(std::size_t operand, const std::vector<llvm::Value*>& words) = 0;
    // Sums of a warpgroup's products from the group's beginning to its end: values, which no memory
    // holds meanwhile. Null: there are none.
    virtual const std::vector<llvm::Value*>* held(std::size_t operand) const = 0;
    virtual void hold(std::size_t operand, std::vector<llvm::Value*> sums) = 0;
    virtual void let_go() = 0; // of all
    // The lanes of the thread's warp that there are, as a mask.
    virtual llvm::Value* warp_members() = 0;

    Builder& b;
};

void emit_shuffle_down(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_shuffle_up(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_shuffle_xor(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_shuffle_index(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_load_matrix(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_load_matrix_transposed(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_mma_f16(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_mma_bf16(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_mma_tf32(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_mma_s8(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_load_whole(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_store_whole(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_multiply_whole(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_wgmma(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_begin_products(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_leave_products(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);
void emit_end_products(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic);

} // namespace loopscope::codegen
