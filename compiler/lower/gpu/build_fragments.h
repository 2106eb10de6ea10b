#pragma once
// Work of a warp's lanes: tensor instructions, the fragments that they take, and other work on
// fragments. Used by build.cpp alone, for devices.
//
// A stage in fragments is an array in each lane's private storage, with a dimension for tiles and
// one for the registers that the lane holds of each tile (core/schedule/gpu/fragments.h). Loops
// that run over whole tiles become a statement for each element that a lane holds:
//
//     for C.ii in 0..16 {                     bound lane for C.ii.lane in 0..32 {
//         for C.ji in 0..8 {                      C[16*C.mi + row, column] = Cf[C.mi, 0, 0]
//             C[16*C.mi + C.ii, C.ji] =           C[16*C.mi + row, column + 1] = Cf[C.mi, 0, 1]
//                 Cf[16*C.mi + C.ii, C.ji] ->     C[16*C.mi + row + 8, …] = …
//         }                                   }
//     }                                       row is C.ii.lane/4, column C.ii.lane%4*2
//
// Copies out of shared memory become ldmatrix where rows of 16 bytes lie as it takes them. Opaque
// (wmma) fragments are moved as a whole (matrix_moves.h).

#include "compiler/lower/program.h"
#include "core/schedule/gpu/fragments.h"
#include "core/schedule/tensor_call.h"

#include <functional>

namespace loopscope::lower {

// How the builder expresses, at one place, what the tree says.
struct FragmentScope {
    // An expression of the tree, over its variables, as the program has it: loads out of buffers,
    // boundaries expanded.
    std::function<ExprPtr(const ExprPtr&)> lowered;
    // Indices of a stage, in its buffer.
    std::function<std::vector<ExprPtr>(const std::string&, const std::vector<ExprPtr>&)> relative;
    // An index in which names of minima are replaced by what they stand for.
    std::function<ExprPtr(const ExprPtr&)> spelled_out;
    // Extents of a buffer in shared memory; null: it lies elsewhere.
    std::function<const std::vector<Extent>*(const std::string&)> shared;
    int& names_made; // of buffers and loops
};

// Extents of a stage in fragments: its tiles, and the registers of one.
std::vector<Extent> fragment_extents(const FragmentLayout& layout);

// The instruction, with loads of its operands and a store of its result where those are no
// fragments; or the statement that makes its result 0.
StatementPtr tensor_instruction(const TreeNode& loop, const Fragments& fragments,
                                const FragmentScope& scope);

// The loops `plain`, written for one thread, as work of the lanes.
StatementPtr lane_work(const TreeNode& loop, const LaneWork& work, const Fragments& fragments,
                       const StatementPtr& plain, const FragmentScope& scope);

} // namespace loopscope::lower
