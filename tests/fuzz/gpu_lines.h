#pragma once
// Pairs for GPUs, scheduled as people do, with random choices: blocks, threads, virtual threads and
// register tiles; what is accumulated in registers; copies in shared memory, divided among all
// threads, pipelined, padded; producers fused into blocks and threads; reductions across threads;
// blocks that stay; and, three of ten, programs for tensor instructions (tensor_lines.h). Each line
// may be refused, as any other.

#include "tests/fuzz/judge.h"

namespace loopscope::fuzz {

// A program, and a complete script of lines that apply.
Pair random_gpu_pair(std::uint64_t seed);

} // namespace loopscope::fuzz
