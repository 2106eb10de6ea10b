#pragma once
// The attached GPUs, with what their driver says of them.

#include "compiler/gpu/cuda_api.h"
#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::gpu {

struct AttachedGpu {
    int ordinal = 0;
    std::string name;         // "NVIDIA H200"
    std::string pci;          // "0000:1b:00.0"
    int major = 0, minor = 0; // compute capability
    int driver_version = 0;   // of CUDA that the driver has: 12040
    int multiprocessors = 0;
    std::int64_t memory_bytes = 0;
    std::int64_t l2_bytes = 0;
    int clock_kilohertz = 0; // boost
    int memory_clock_kilohertz = 0;
    int memory_bus_bits = 0;

    int threads_per_block = 0;
    std::array<std::int64_t, 3> block_extents{}, grid_extents{}; // x, y, z
    int registers_per_block = 0;
    std::int64_t shared_bytes_per_block = 0; // without asking
    std::int64_t shared_bytes_per_block_optin = 0;
    std::int64_t shared_bytes_reserved_per_block = 0;
    int threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0;
    int registers_per_multiprocessor = 0;
    std::int64_t shared_bytes_per_multiprocessor = 0;
    bool clusters = false;

    int capability() const { return major * 10 + minor; } // 90
    std::string architecture() const;                     // "sm_90"
};

// All that the driver shows, in its order. Errors: those of cuda_api().
Result<std::vector<AttachedGpu>> attached_gpus();
Result<AttachedGpu> attached_gpu(const CudaApi& api, int ordinal);

// Can PTX for `architecture` ("sm_80", "sm_90a") run on the GPU? PTX of an "a" architecture runs on
// that one alone. The error says why not.
Status check_architecture(const AttachedGpu& gpu, const std::string& architecture);

nlohmann::json to_json(const AttachedGpu& gpu);
// Reads what another machine says of its GPU, strictly: a missing key, or a number that no GPU has,
// is an error that names the key by its path below `path`.
Result<AttachedGpu> gpu_from_json(const nlohmann::json& json, const std::string& path);

} // namespace loopscope::gpu
