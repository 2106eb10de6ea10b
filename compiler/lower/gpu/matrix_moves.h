#pragma once
// Instructions that move whole matrices between opaque fragments (wmma) and memory, and those that
// multiply such fragments. Used by build_fragments.cpp alone.
//
//     wmma_load_a_row_m16n16k16_f16(Af[C.mi, 0, 0], As[16*C.mi, 0], As[16*C.mi + 1, 0])
//     wmma_m16n16k16_f16_row_col(Cf[C.mi, 0, 0], Af[C.mi, 0, 0], Bf[0, 0, 0], Cf[C.mi, 0, 0])
//     wmma_store_d_row_m16n16k16_f32(C[16*C.mi, 0], C[16*C.mi + 1, 0], Cf[C.mi, 0, 0])
//
// A matrix in memory is given by its first element and by the first one of its second row, or of
// its second column where elements of columns follow one another.

#include "compiler/lower/program.h"
#include "core/schedule/gpu/fragments.h"

namespace loopscope::lower {

// The two elements that give a matrix, in a buffer.
struct MatrixPlace {
    std::string buffer;
    std::vector<ExprPtr> first, second;
};

StatementPtr load_matrix(const NodeId& origin, const Intrinsic& intrinsic,
                         const IntrinsicOperand& of, MatrixOrder order, Operand registers,
                         MatrixPlace from);
StatementPtr store_matrix(const NodeId& origin, const Intrinsic& intrinsic,
                          const IntrinsicOperand& of, MatrixOrder order, Operand registers,
                          MatrixPlace to);
// The name of the product for opaque factors that were loaded from memory in these orders.
std::string product_name(const Intrinsic& intrinsic, MatrixOrder left, MatrixOrder right);

} // namespace loopscope::lower
