#include "core/schedule/register_room.h"

#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope {

namespace {

// AVX-512 and NEON have twice as many as SSE and AVX.
std::int64_t vector_registers(const device::Device& device) {
    const bool many =
        std::any_of(device.features.begin(), device.features.end(), [](const std::string& feature) {
            return feature == "avx512f" || feature == "neon";
        });
    return many ? 32 : 16;
}

} // namespace

std::int64_t register_bytes(const device::Device& device) {
    constexpr std::int64_t kBytesOfOne = 4; // of a GPU's
    return device.gpu ? kBytesOfOne * device.gpu->limits.registers_per_thread
                      : vector_registers(device) * (device.vector_bits / 8);
}

std::optional<RegisterExcess> beyond_registers(const TreeNode& storage,
                                               const device::Device& device) {
    if (storage.kind != TreeKind::Storage || !(storage.scope == device::registers()))
        return {};
    const RegisterExcess excess{static_cast<std::int64_t>(storage_bytes(storage)),
                                register_bytes(device)};
    return excess.bytes > excess.room ? std::optional(excess) : std::nullopt;
}

} // namespace loopscope
