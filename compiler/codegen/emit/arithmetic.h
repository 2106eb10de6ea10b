#pragma once
// The arithmetic that every back end shares to the bit (languages.md, "Semantics"), as LLVM IR.
// Values are scalars or vectors; bool is i1 in registers. Internal: includes LLVM.

#include "core/ir/expr.h"

#include <llvm/IR/IRBuilder.h>

namespace loopscope::codegen {

using Builder = llvm::IRBuilder<>;

// Abilities of the processor that arithmetic has to know.
struct Hardware {
    bool f16_conversion = false; // between f16 and f32
    bool narrow_masks = false;   // loads and stores of vectors of 8 and 16 bits under a mask
    // the greater and the lesser of vectors of floats with -0 < +0 (VRANGEPS)
    bool ordered_zeros = false;
    // of f32 to integers of 32 bits, truncated, with 0 for a NaN (cvt.rzi of PTX)
    bool saturating_conversion = false;
};

llvm::Type* register_type(Builder& b, ScalarType type, int lanes = 1); // bool: i1; f16, bf16: i16
llvm::Type* memory_type(Builder& b, ScalarType type, int lanes = 1);   // bool: i8; f16, bf16: i16

// What ranges prove about the operands of a division.
struct DivisionFacts {
    bool dividend_non_negative = false;
    bool divisor_positive = false;
};

// Floor division and modulo; a zero divisor gives 0, the least value divided by -1 wraps.
llvm::Value* floor_divide(Builder& b, ScalarType type, llvm::Value* dividend, llvm::Value* divisor,
                          DivisionFacts facts);
llvm::Value* floor_modulo(Builder& b, ScalarType type, llvm::Value* dividend, llvm::Value* divisor,
                          DivisionFacts facts);

// Shifts: by the width or more gives 0 (or the sign); by a negative amount, the other way.
llvm::Value* shift_left(Builder& b, ScalarType type, llvm::Value* value, llvm::Value* amount);
llvm::Value* shift_right(Builder& b, ScalarType type, llvm::Value* value, llvm::Value* amount);

llvm::Value* convert(Builder& b, ScalarType from, ScalarType to, llvm::Value* value,
                     const Hardware& hardware = {});
// The same bits as a type of the same width; of floats, with all NaNs being the one NaN.
llvm::Value* reinterpret_bits(Builder& b, ScalarType from, ScalarType to, llvm::Value* value);
llvm::Value* unary_operation(Builder& b, Op op, ScalarType type, llvm::Value* value);
// All binary operators but divide, modulo on integers; comparisons give i1.
llvm::Value* binary_operation(Builder& b, Op op, ScalarType type, llvm::Value* left,
                              llvm::Value* right, const Hardware& hardware = {});

} // namespace loopscope::codegen
