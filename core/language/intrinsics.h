#pragma once
// The tensor instructions that are declared in the tensor-expression language, one pipeline each
// (resources/intrinsics):
//
//     pipeline mma_m16n8k16_f16
//     input A[i, k]: f16[16, 16]
//     input B[k, j]: f16[16, 8]
//     stage D[i, j] = sum[k in 0..16](f32(A[i, k])*f32(B[k, j]))
//     stage A_i[lane, r] = lane/4 + r/2%2*8
//     …
//     output D: [16, 8]
//     output A_i: [32, 8]
//
// The first stage says what it computes, from its inputs. A_i says which element of A each register
// of a lane holds: its index i; so does a stage for each index of the inputs and the result. The
// extents of A_i are the lanes, and the elements that each holds.
//
// An operand without a declared layout is opaque, as wmma fragments are. The reference interpreter
// can evaluate the same texts.

#include "core/schedule/intrinsics.h"

namespace loopscope {

// Parsed once, when first asked for, by any thread.
const IntrinsicTable& declared_intrinsics();

// One declaration. Errors: those of the language; what is no declaration of an instruction, as
// "intrinsic" errors.
Result<std::shared_ptr<const Intrinsic>> read_intrinsic(SourceFilePtr source);

} // namespace loopscope
