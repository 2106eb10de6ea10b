#pragma once
// Schedules for GPUs as people write them, with random choices: blocks, threads, virtual threads and register tiles; what is
// accumulated in registers; copies in shared memory, divided among all threads, pipelined, padded; producers fused into
// blocks and threads; reductions across threads. Each line may be refused, as any other.

#include "core/schedule/directive.h"
#include "tests/fuzz/judge.h"

namespace loopscope::fuzz {

// A complete script of lines that apply.
std::string random_gpu_schedule(const PipelinePtr& pipeline, std::uint64_t seed);

Pair random_gpu_pair(std::uint64_t seed);

} // namespace loopscope::fuzz
