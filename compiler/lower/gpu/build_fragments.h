#pragma once
// Work of a warp's lanes: tensor instructions, the fragments that they take, and what else is done
// with those. Used by build.cpp alone, for devices.
//
// A stage in fragments is an array of each lane's own, of its tiles and of the registers that the
// lane holds of each (core/schedule/gpu/fragments.h). Loops that run over whole tiles become a
// statement for each element that a lane holds:
//
//     for C.ii in 0..16 {                     bound lane for C.ii.lane in 0..32 {
//         for C.ji in 0..8 {                      C[16*C.mi + row, column] = Cf[C.mi, 0, 0]
//             C[16*C.mi + C.ii, C.ji] =           C[16*C.mi + row, column + 1] = Cf[C.mi, 0, 1]
//                 Cf[16*C.mi + C.ii, C.ji] ->     C[16*C.mi + row + 8, …] = …
//         }                                   }
//     }                                       row is C.ii.lane/4, column C.ii.lane%4*2
//
// Copies out of shared memory become ldmatrix where rows of 16 bytes lie as it takes them. Opaque
// fragments are moved as a whole (matrix_moves.h).

#include "compiler/lower/program.h"
#include "core/schedule/gpu/fragments.h"
#include "core/schedule/tensor_call.h"

#include <functional>

namespace loopscope::lower {

// How the builder writes down what the tree says at a place.
struct FragmentScope {
    // An expression of the tree, over its variables, as the program has it: loads out of buffers,
    // boundaries expanded.
    std::function<ExprPtr(const ExprPtr&)> lowered;
    // Indices of a stage, in its buffer.
    std::function<std::vector<ExprPtr>(const std::string&, const std::vector<ExprPtr>&)> relative;
    // An index with what names of minima stand for in their place.
    std::function<ExprPtr(const ExprPtr&)> spelled_out;
    // Extents of a buffer that the threads of a block share; null: it is other memory.
    std::function<const std::vector<Extent>*(const std::string&)> shared;
    int& names_made; // of buffers and loops
};

// Extents of a stage in fragments: its tiles, and the registers of one.
std::vector<Extent> fragment_extents(const FragmentLayout& layout);

// The instruction, with what loads its operands and stores its result where those are no fragments;
// or what makes its result 0.
StatementPtr tensor_instruction(const TreeNode& loop, const Fragments& fragments,
                                const FragmentScope& scope);

// The loops, `plain` as they would be for one thread, done by the lanes.
StatementPtr lane_work(const TreeNode& loop, const LaneWork& work, const Fragments& fragments,
                       const StatementPtr& plain, const FragmentScope& scope);

} // namespace loopscope::lower
