#pragma once
// What a launch on a GPU is said to be: blocks, threads, warps, what limits how many run at once.

#include "core/device/device.h"
#include "tuner/model/estimate.h"
#include "views/models/snapshots.h"

#include <QString>

#include <vector>

namespace loopscope::views {

// "32 × 32": along x, y, z as far as there are more than one; "1" of one alone.
QString extents_text(const std::array<std::int64_t, 3>& extents);
// "32 × 32 blocks", "32 × 32 blocks in clusters of 2".
QString blocks_text(const model::gpu::KernelShape& shape);
// "16 × 16 threads"; with warps of their own that load "128 × 1 × 2 threads + 128 loading".
QString threads_text(const model::gpu::KernelShape& shape);
// "32 × 32 blocks of 16 × 16 threads · 8 warps"; of one thread "one thread does all of it".
QString launch_text(const model::gpu::KernelShape& shape, int warp_threads);
// "16 × 16 threads · 8 warps"
QString block_text(const model::gpu::KernelShape& shape, int warp_threads);
// The launches of a stage at root: of one launch_text, of several how many they are. Empty: none,
// or no GPU's.
QString kernels_text(const model::Estimate& estimate, const std::string& stage, int warp_threads);

// What a launch takes of one limit of its device.
struct LimitUse {
    QString name;         // "shared memory"
    QString value;        // "24 KiB of 227 KiB"
    QString tooltip;      // one sentence
    double share = 0;     // of the limit; above 1: it is exceeded, or the blocks get no more
    bool reached = false; // more blocks would need more of it
};
// Threads, registers and shared memory of a block, blocks of a multiprocessor with what limits
// them, warps, waves.
std::vector<LimitUse> limit_uses(const model::gpu::KernelShape& shape, const device::Gpu& gpu);

} // namespace loopscope::views
