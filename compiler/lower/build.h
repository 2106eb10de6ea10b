#pragma once
// Tree -> loop program: the first step of lowering. Expects a tree as build_tree makes it;
// guarantees a program that verifies, with multi-dimensional loads and stores relative to each
// buffer's first element, boundaries of inputs expanded, guards of split tails around the bodies
// they protect, and every statement's origin set. A tuple's component c is a buffer "S.c"; the
// values of all components are those before any of a point's stores.
//
//   stage blur at root, x split by 8 (guard), x_i vectorised:
//     allocate / argument blur
//     for blur.xo in 0..13 {
//       vectorised for blur.xi in 0..8 {
//         if blur.xo*8 + blur.xi < 100 { blur[...] = … }
//       }
//     }

#include "compiler/lower/program.h"
#include "core/base/result.h"
#include "core/device/generic_gpu.h"
#include "core/schedule/tree.h"

namespace loopscope::lower {

// Errors: as check_size() of a tree (size_limit.h).
Result<Program> build(const ScheduleTree& tree);

// The same for a device: a launch for each definition at root, with loops of kind Bound where the
// schedule binds them, and the memory of stages at root as buffers of the device. A cooperative
// stage, whose memory the threads of a block share and which binds no loop, has loops of the level
// kThreadsLevel, which `divide_work` divides among all of them. Pipelined stages are computed when
// they are needed; their allocations say how many slots are wanted (Storage::rotation): the
// pipelining passes begin with that. A persistent loop says how many blocks run it (Loop::run_by):
// as many as the device holds at once.
Result<Program> build_for_device(const ScheduleTree& tree,
                                 const device::Device& device = device::generic_gpu());

// The index of an input inside its extents for a boundary, and for zero and constant boundaries the
// condition under which the element exists at all (null: always). `index` may have any integer
// type; the result is i32.
struct BoundedIndex {
    ExprPtr index;
    ExprPtr inside;
};
BoundedIndex bounded_index(const ExprPtr& index, BoundaryKind boundary, std::int64_t extent);

} // namespace loopscope::lower
