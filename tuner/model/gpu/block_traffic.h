#pragma once
// The bytes that blocks ask of the second-level cache, and a launch of the DRAM (kernel_work.h says
// what is assumed).

#include "tuner/model/gpu/kernel_work.h"
#include "tuner/model/gpu/part.h"

namespace loopscope::model::gpu {

// Which loops move: all of a block, whose own place stands still; those of all blocks of a wave,
// which start in order, x fastest; or all of the launch.
Moving moving_in_block(const Point& point, const PointRoles& roles);
Moving moving_in_wave(const Work& work, const Launch& launch, const Point& point,
                      const PointRoles& roles, std::int64_t blocks_at_once);
Moving moving_in_launch(const Point& point);

// Bytes of global memory that one block reads by one access, with a first-level cache of so many.
double block_load_bytes(const Work& work, const Point& point, const PointRoles& roles,
                        const Access& access, double l1_bytes);
// Bytes of the first-level cache for each block of those that run on a multiprocessor.
double l1_bytes_of_block(const KernelShape& shape, const device::Gpu& gpu);

// Fills in those bytes of `out`, whose accesses are counted.
void add_traffic(const Work& work, const Launch& launch, const std::vector<PointRoles>& roles,
                 const KernelShape& shape, const device::Gpu& gpu, KernelWork& out);

} // namespace loopscope::model::gpu
