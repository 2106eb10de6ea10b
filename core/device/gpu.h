#pragma once
// A GPU as models, limits and code generation know it.

#include "core/device/figure.h"
#include "core/device/hierarchy.h"
#include "core/ir/type.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::device {

// Limits of a launch, and the resources of a multiprocessor that its blocks take. All GPUs of an
// architecture have the same.
struct GpuLimits {
    std::string source;
    int threads_per_block = 1024;
    int threads_per_multiprocessor = 2048;
    int warps_per_multiprocessor = 64;
    int blocks_per_multiprocessor = 32;
    int barriers_per_block = 16;         // named ones, which a part of a block can wait at
    int barriers_per_multiprocessor = 0; // 0: they do not limit how many blocks run at once
    int blocks_per_cluster = 0;          // on every GPU of the architecture; 0: it has no clusters

    int registers_per_multiprocessor = 65536; // of 32 bits
    int registers_per_block = 65536;
    int registers_per_thread = 255;
    int register_allocation_unit = 256; // a warp has a multiple of it
    // The parts in which registers lie, among which warps are distributed
    int warp_allocation_granularity = 4;

    std::int64_t shared_bytes_per_multiprocessor = 0;
    std::int64_t shared_bytes_per_block = 0;            // at most, where a launch asks for it
    std::int64_t shared_bytes_per_block_static = 49152; // without asking
    std::int64_t shared_bytes_reserved_per_block = 0;   // that the driver keeps of each block's
    std::int64_t shared_allocation_unit_bytes = 128;    // a block has a multiple of it
    // The amounts of a multiprocessor's first-level memory that may be shared memory, ascending;
    // the last is shared_bytes_per_multiprocessor.
    std::vector<std::int64_t> shared_carveouts_bytes;
    int shared_banks = 32;
    int shared_bank_bytes = 4;

    std::array<std::int64_t, 3> grid_extents{2147483647, 65535, 65535}; // in blocks: x, y, z
    std::array<std::int64_t, 3> block_extents{1024, 1024, 64};          // in threads: x, y, z
};

struct ComputeCapability {
    int major = 0, minor = 0;
    friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

// {8, 0} of "sm_80", {9, 0} of "sm_90a", {12, 0} of "sm_120"; nothing where the text is none.
std::optional<ComputeCapability> compute_capability(const std::string& architecture);

struct Gpu {
    std::string architecture; // "sm_80", "sm_90a": what code generation is asked for
    std::string source;       // of all that is no figure and no limit
    // By which its driver calls GPUs of this model: "NVIDIA H200".
    std::vector<std::string> driver_names;
    int multiprocessors = 1;
    int warp_threads = 32;
    GpuLimits limits;

    // Open names. Capabilities are what code generation may use: "asynchronous_copy",
    // "bulk_tensor_copy", …; intrinsics are tensor instructions by shape and type of their
    // operands: "mma_m16n8k16_bf16" (resources/devices/README.md).
    std::vector<std::string> capabilities;
    std::vector<std::string> tensor_intrinsics;

    // All levels of the device: the language's, then its own.
    std::vector<Level> levels = default_levels();
    std::vector<MemoryScope> scopes = default_scopes();

    std::optional<Figure> base_clock_hertz, boost_clock_hertz; // of the multiprocessors
    std::optional<Figure> dram_bytes_per_second;               // read + written
    std::optional<Figure> l2_bytes, l2_bytes_per_second;       // the latter: read
    std::optional<Figure> shared_bytes_per_clock;              // of one multiprocessor
    // Peak of all multiprocessors, multiply-adds counted as two; i32 is that of integers.
    std::map<ScalarType, Figure> flops_per_second;
    // The same of tensor cores by operand ("f16", "bf16", "tf32", "i8", "e4m3", "f64"): dense, and
    // what they add up is f32, i32 of integers, f64 of f64.
    std::map<std::string, Figure> tensor_flops_per_second;
    // Clocks of the multiprocessor from a load to its use, when nothing else is under way.
    std::optional<Figure> dram_latency_clocks, l2_latency_clocks, shared_latency_clocks;

    ComputeCapability capability() const;
    bool has(const std::string& capability) const;
    bool has_intrinsic(const std::string& intrinsic) const;
    const Level* level(const std::string& name) const; // null: it has none of that name
    const MemoryScope* scope(const std::string& name) const;
};

} // namespace loopscope::device
