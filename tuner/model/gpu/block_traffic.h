#pragma once
// What blocks ask the second-level cache for, and a launch the DRAM (kernel_work.h says what is assumed).

#include "tuner/model/gpu/part.h"
#include "tuner/model/gpu/roles.h"

namespace loopscope::model::gpu {

// Bytes of global memory that one block reads by one access, of a first level of so many.
double block_load_bytes(const Work& work, const Point& point, const PointRoles& roles,
                        const Access& access, double l1_bytes);

// All loops of a block move and its place stands still; or all blocks of a wave, in the order in which they start, x
// fastest; or all of the launch.
Moving moving_in_block(const Point& point, const PointRoles& roles);
Moving moving_in_wave(const Work& work, const Launch& launch, const Point& point,
                      const PointRoles& roles, std::int64_t blocks_at_once);
Moving moving_in_launch(const Point& point);

} // namespace loopscope::model::gpu
