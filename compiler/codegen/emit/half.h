#pragma once
// The 16-bit floats in LLVM IR: i16 in registers and in memory, converted to and from f32. The
// processor's own conversion serves f16 where it has one; all else is integer code, for scalars and
// vectors alike: bf16 always, because the processors' conversion flushes denormals (core/ir/half.h
// is the same arithmetic in C++). Internal: includes LLVM.

#include "compiler/codegen/emit/arithmetic.h"
#include "core/ir/half.h"

namespace loopscope::codegen {

// The value of 16-bit floats, as f32: exact.
llvm::Value* widen_half(Builder& b, ScalarType from, llvm::Value* bits, const Hardware& hardware);
// f32 rounded to nearest even; a NaN becomes the one NaN.
llvm::Value* narrow_to_half(Builder& b, ScalarType to, llvm::Value* value,
                            const Hardware& hardware);
// A value of any other type to f32 such that narrow_to_half(…) of the result rounds the value once:
// what f32 cannot hold is rounded to odd (cut off, and the last bit set), which keeps all that the
// second rounding asks for.
llvm::Value* rounded_to_odd_f32(Builder& b, ScalarType from, llvm::Value* value);
// Bits of floats with every NaN replaced by the one NaN of the type. `bits`: integers of the type's
// width.
llvm::Value* canonical_bits(Builder& b, ScalarType type, llvm::Value* bits);

} // namespace loopscope::codegen
