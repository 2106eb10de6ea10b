#pragma once
// Blocks of instructions that make code generation slow: a thousand copies of a long body stand in
// one.

#include <cstddef>

namespace llvm {
class Module;
}

namespace loopscope::codegen {

// The length above which a block gets an allocator of registers that does not split live ranges. A
// value that all copies use, such as a constant, lives throughout a block. Splitting takes time
// that grows with the square of the copies: half a second here, and 20 s for eight times as much.
// Without splitting such a block has a few more instructions, or fewer.
constexpr std::size_t kLongBlock = 8'000; // instructions

bool has_long_block(const llvm::Module& module);

} // namespace loopscope::codegen
