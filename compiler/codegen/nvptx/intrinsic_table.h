#pragma once
// The device's instructions that loop programs call by name, and how each becomes PTX. One table:
// an instruction is a line of it, and a function that emits it.
//
//     shuffle_down_N, _up_N, _xor_N, _index_N    d, s
//         An element of another lane of the warp: N lanes further, before, of number lane ^ N, of
//         number N. One operand: in place
//     ldmatrix_x1|x2|x4[_trans]_b16              d, s
//         8 x 8 matrices of 16-bit elements; s: the row that the lane names
//     mma_m16n8k16_f16|bf16, m16n8k8_tf32, m16n8k32_s8    d, a, b, c
//         The warp's d = a*b + c. Three operands: c is d
//     wmma_load_a|b|c_row|col_m16n16k16_f16|f32  d, first, second
//     wmma_store_d_row|col_m16n16k16_f32         first, second, d
//         A whole matrix in memory, whose first row, or column, begins at `first`, and whose second
//         one does at `second`
//     wmma_m16n16k16_f16_row|col_row|col         d, a, b, c
//         The warp's d = a*b + c, of factors that were loaded so
//     wgmma_m64nNk16_f16|bf16                    d, a, b, c
//         The same of a warpgroup; a and b are matrices in shared memory
//     wgmma_begin_N, wgmma_end_N                 d, …
//         Around a group of those: their sums, N words of each, which are there behind it
//
// An operand is a lane's fragment: consecutive elements of its registers from the given index on,
// in the order of the registers in the PTX ISA ("Matrix Fragments for mma"). f32 elements of tf32
// matrices are rounded to nearest, ties away.

#include "core/ir/type.h"

#include <string>
#include <vector>

namespace loopscope::codegen {

class IntrinsicBuilder;

struct OperandForm {
    enum class Where {
        Registers,
        Shared,
        Matrix,
        // Matrix: in shared memory; Memory: shared or global
        Memory
    };
    const char* what = ""; // "result"
    Where where = Where::Registers;
    std::vector<ScalarType> types; // empty: any
};

struct DeviceIntrinsic {
    std::string name;
    int least_architecture = 70;   // number
    const char* architecture = ""; // the only one that has it
    std::vector<OperandForm> operands;
    bool accumulates = false; // the last operand may be left out: it is the first
    bool any_number = false;  // of operands, all as the first
    bool one_type = false;    // of all operands
    // lanes of a shuffle; matrices of an ldmatrix; columns of a warpgroup's sums, words of one
    int number = 0;
    void (*emit)(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) = nullptr;

    // The forms of the operands where so many are given; empty where the instruction has no form of
    // so many.
    std::vector<const OperandForm*> forms_of(std::size_t given) const;
    // The architecture that has the instruction, where that of this number and name does not:
    // "sm_80 has"; else empty.
    std::string who_has_it(int number, const std::string& name) const;
};

const DeviceIntrinsic* find_intrinsic(const std::string& name); // null: there is none
std::vector<std::string> intrinsic_names();

} // namespace loopscope::codegen
