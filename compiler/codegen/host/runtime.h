#pragma once
// Functions that generated host code calls: parallel loops (oneTBB) and memory.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace loopscope::codegen {

// The body of an outlined parallel loop: runs iterations [begin, end).
using LoopBody = void (*)(void* closure, std::int64_t begin, std::int64_t end);

// Name and address of each function that generated code may call.
std::vector<std::pair<const char*, void*>> runtime_symbols();

// Runs `work` in an arena of `threads` threads (0: one per processor); the parallel loops of
// generated code that `work` calls, nested ones too, share them. Arenas are kept for the next call.
void run_with_threads(int threads, const std::function<void()>& work);

// Processors that this process may run on.
int available_threads();

} // namespace loopscope::codegen
