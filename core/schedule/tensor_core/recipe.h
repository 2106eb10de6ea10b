#pragma once
// The recipe behind S.tensor_core(): the lines of a schedule that computes a sum of products on
// tensor cores (Sioutas, ch. 7, whose recipe is fixed inside of the compiler; this one is lines
// that a person reads and changes).
//
// For C[i, j] = sum[k](f32(A[i, k])*f32(B[k, j])) of f16:
//
//     blocks of the result, by i_block and j_block              grid
//       warps of a block, by i_warp and j_warp                  warp.x, warp.y
//         C_sums in the registers of the warp's lanes
//           k_block: blocks of A and B in shared memory         pipeline(3)
//             k_step: parts of those in registers               pipeline(2), ldmatrix
//               i_tile, j_tile: mma_m16n8k16_f16
//         C, or what is computed of each of its elements, is written
//
// With wmma fragments (wmma_m16n16k16_f16), where more is to be done than to write C:
//
//     blocks of the result                                      grid
//       C in shared memory, from C_sums in the registers of each warp, as above
//       warp.x, warp.y, thread.x: what is computed of C's elements is written

#include "core/schedule/tensor_core/epilogue.h"
#include "core/schedule/tensor_core/product.h"
#include "core/schedule/tensor_core/tiles.h"

namespace loopscope {

// Do results go through shared memory before the epilogue is computed of them?
bool goes_through_memory(const ScheduleState& state, const MatrixProduct& product,
                         const Epilogue& epilogue);

// The lines for a state, to which they then apply one after another. `where`: the place of the line
// that they stand for.
std::vector<DirectivePtr> product_lines(const ScheduleState& state, const MatrixProduct& product,
                                        const ProductTiles& tiles, const Epilogue& epilogue,
                                        const SourceRange& where);

} // namespace loopscope
