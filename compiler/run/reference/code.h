#pragma once
// Straight-line code for the expressions of one definition. An instruction works on a batch of
// lanes: up to kLanes neighbouring values of one free variable, so that the cost of interpreting is
// paid once per batch.

#include "compiler/run/reference/storage.h"
#include "core/ir/expr.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::reference {

constexpr int kLanes = 256;
constexpr std::size_t kRegisterBytes = kLanes * 8; // any type fits

// A read or write that left its storage: never right, because boxes cover every index.
struct Escape {
    const Storage* storage = nullptr;
    int dimension = 0;
    std::int64_t index = 0;
};

struct Frame {
    std::byte* registers = nullptr; // kRegisterBytes each, aligned for vectors
    int count = 0;                  // lanes in use
    std::optional<Escape> escape;   // the first one

    template <typename T> T* lanes(int reg) const {
        return reinterpret_cast<T*>(registers + static_cast<std::size_t>(reg) * kRegisterBytes);
    }
};

struct Instruction;
using Kernel = void (*)(const Instruction&, Frame&);

// What a load or a store touches: a storage, and a register of index lanes per dimension.
struct Access {
    const Storage* storage = nullptr;
    std::vector<int> indices;
    std::vector<ScalarType> index_types;
};

struct Instruction {
    Kernel run = nullptr;
    int target = 0;
    int sources[3] = {0, 0, 0};
    const Access* access = nullptr; // loads
};

// Kernels by operation and type; null where the combination has no meaning.
Kernel unary_kernel(Op op, ScalarType type);
Kernel binary_kernel(Op op, ScalarType type); // the operands' type
Kernel select_kernel(ScalarType type);
Kernel fma_kernel(ScalarType type);
Kernel cast_kernel(ScalarType from, ScalarType to);
Kernel reinterpret_kernel(ScalarType from, ScalarType to);
Kernel load_kernel(ScalarType type);
// Writes the lanes of register `value` for which `condition` (a register of bools, -1: all) holds,
// in lane order.
void store_lanes(const Access& access, int value, int condition, Frame& frame);
void fill_lanes(ScalarType type, std::uint64_t bits, std::byte* lanes);

} // namespace loopscope::reference
