#pragma once
// The probe kernels as LLVM IR. Internal.

#include "compiler/codegen/host/jit.h"

#include <cstdint>

namespace loopscope::codegen {

// Accumulators (vectors) of the multiply-add kernels: enough to hide the latency, few enough for
// the registers.
int peak_accumulators();
int peak_lanes(int element_bytes);
constexpr int kStreamUnroll = 4; // vectors per iteration of the stream kernels

// Arithmetic: void fma_f32/fma_f64(i64 iterations, ptr vectors): vectors[0] and [1] are the factor
// and the addend, the accumulators follow. Streams: void read/copy/streamed(i64 passes, i64
// vectors, ptr a, ptr b): `vectors` is a multiple of kStreamUnroll; vectors of f32.
void build_peak_kernels(llvm::Module& module);

} // namespace loopscope::codegen
