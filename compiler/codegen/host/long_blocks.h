#pragma once
// Blocks of instructions that make code generation slow: a thousand copies of a long body stand in
// one.

#include <cstddef>

namespace llvm {
class Module;
}

namespace loopscope::codegen {

// What all copies use, such as a constant, is in use throughout a block. The allocator that splits
// what is in use takes time that grows with the square of the copies: half a second here, and 20 s
// for eight times as much. One that does not split takes few more instructions for such a block, or
// fewer.
constexpr std::size_t kLongBlock = 8'000; // instructions

bool has_long_block(const llvm::Module& module);

} // namespace loopscope::codegen
