#pragma once
// Instructions on cells: one operation over the lanes of its operands.

#include "compiler/run/loop_interpreter/arithmetic.h"
#include "core/ir/expr.h"

namespace loopscope::loop_interpreter {

struct Instruction;
using Kernel = void (*)(Cell* cells, const Instruction& i);

struct Instruction {
    Kernel run = nullptr;     // null: an access to memory
    std::uint32_t result = 0; // first cell
    std::uint32_t a = 0, b = 0, c = 0;
    std::uint32_t lanes = 1;
    std::uint32_t access = 0; // of an access: its number
};

// Null where the language has no such operation.
Kernel unary_kernel(Op op, ScalarType type);
Kernel binary_kernel(Op op, ScalarType operands);
Kernel cast_kernel(ScalarType to, ScalarType from);
Kernel fma_kernel(ScalarType type);
Kernel reinterpret_kernel(ScalarType from);
Kernel select_kernel();
Kernel ramp_kernel(ScalarType type);
Kernel broadcast_kernel();

} // namespace loopscope::loop_interpreter
