#pragma once
// Memory in scope `register` that no registers hold. On a processor a scope is a hint, and what a
// thread of a GPU has no registers for lies in its local memory: neither is an error, and both are
// slower than the script says. What exceeds local memory, too, is not runnable (gpu/runnable.h).

#include "core/device/device.h"
#include "core/schedule/tree.h"

#include <cstdint>
#include <optional>

namespace loopscope {

// Bytes of local memory that a thread has at most, on every GPU (CUDA C++ Programming Guide,
// technical specifications).
constexpr std::int64_t kLocalMemory = 512 * 1024;

// Bytes that the registers of one thread hold: of a GPU all that it may have, of a processor those
// for vectors.
std::int64_t register_bytes(const device::Device& device);

struct RegisterExcess {
    std::int64_t bytes = 0; // that the memory takes
    std::int64_t room = 0;  // that the registers of a thread hold
};
// `storage`: a node of the tree. Nothing: it fits, or is not to lie in registers.
std::optional<RegisterExcess> beyond_registers(const TreeNode& storage,
                                               const device::Device& device);

} // namespace loopscope
