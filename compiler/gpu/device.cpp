#include "compiler/gpu/device.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"

#include <nlohmann/json.hpp>

namespace loopscope::gpu {

using Attribute = CuDeviceAttribute;

namespace {

class Attributes {
public:
    Attributes(const CudaApi& api, CuDevice device) : api_(api), device_(device) {}

    int operator()(Attribute attribute, int further = 0) {
        int value = 0;
        const auto status =
            api_.device_attribute(&value, static_cast<int>(attribute) + further, device_);
        failed_ = failed_ == kCuSuccess ? status : failed_;
        return value;
    }
    // One that an older driver may not know: 0 then.
    int known(Attribute attribute) const {
        int value = 0;
        const auto status = api_.device_attribute(&value, static_cast<int>(attribute), device_);
        return status == kCuSuccess ? value : 0;
    }
    std::array<std::int64_t, 3> three(Attribute first) {
        return {(*this)(first), (*this)(first, 1), (*this)(first, 2)};
    }
    CuResult failed() const { return failed_; }

private:
    const CudaApi& api_;
    CuDevice device_;
    CuResult failed_ = kCuSuccess;
};

void read_limits(AttachedGpu& gpu, Attributes& of) {
    gpu.threads_per_block = of(Attribute::ThreadsPerBlock);
    gpu.block_extents = of.three(Attribute::BlockX);
    gpu.grid_extents = of.three(Attribute::GridX);
    gpu.registers_per_block = of(Attribute::RegistersPerBlock);
    gpu.shared_bytes_per_block = of(Attribute::SharedPerBlock);
    gpu.shared_bytes_per_block_optin = of(Attribute::SharedPerBlockOptIn);
    gpu.shared_bytes_reserved_per_block = of.known(Attribute::SharedReservedPerBlock);
    gpu.threads_per_multiprocessor = of(Attribute::ThreadsPerMultiprocessor);
    gpu.blocks_per_multiprocessor = of.known(Attribute::BlocksPerMultiprocessor);
    gpu.registers_per_multiprocessor = of(Attribute::RegistersPerMultiprocessor);
    gpu.shared_bytes_per_multiprocessor = of(Attribute::SharedPerMultiprocessor);
    gpu.clusters = of.known(Attribute::ClusterLaunch) != 0;
}

} // namespace

std::string AttachedGpu::architecture() const { return "sm_" + std::to_string(capability()); }

Result<AttachedGpu> attached_gpu(const CudaApi& api, int ordinal) {
    AttachedGpu gpu;
    gpu.ordinal = ordinal;
    const auto doing = "reading the limits of GPU " + std::to_string(ordinal);
    CuDevice device = 0;
    if (auto got = succeed(api, api.device_get(&device, ordinal), doing); !got)
        return got.errors();
    char text[256] = {};
    if (auto got = succeed(api, api.device_name(text, sizeof text - 1, device), doing); !got)
        return got.errors();
    gpu.name = text;
    if (char id[32] = {}; api.device_pci(id, sizeof id - 1, device) == kCuSuccess)
        gpu.pci = id;
    std::size_t memory = 0;
    if (auto got = succeed(api, api.device_memory(&memory, device), doing); !got)
        return got.errors();
    gpu.memory_bytes = static_cast<std::int64_t>(memory);
    api.driver_version(&gpu.driver_version);
    Attributes of(api, device);
    gpu.major = of(Attribute::Major);
    gpu.minor = of(Attribute::Minor);
    gpu.multiprocessors = of(Attribute::Multiprocessors);
    gpu.l2_bytes = of(Attribute::L2Bytes);
    gpu.clock_kilohertz = of.known(Attribute::ClockKilohertz);
    gpu.memory_clock_kilohertz = of.known(Attribute::MemoryClockKilohertz);
    gpu.memory_bus_bits = of.known(Attribute::MemoryBusBits);
    read_limits(gpu, of);
    if (auto got = succeed(api, of.failed(), doing); !got)
        return got.errors();
    return gpu;
}

Result<std::vector<AttachedGpu>> attached_gpus() {
    auto api = cuda_api();
    if (!api)
        return api.errors();
    int count = 0;
    if (auto got = succeed(**api, (*api)->device_count(&count), "counting GPUs"); !got)
        return got.errors();
    std::vector<AttachedGpu> gpus;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        auto gpu = attached_gpu(**api, ordinal);
        if (!gpu)
            return gpu.errors();
        gpus.push_back(std::move(*gpu));
    }
    return gpus;
}

Status check_architecture(const AttachedGpu& gpu, const std::string& architecture) {
    const bool alone = architecture.ends_with('a');
    const int number = capability_of(architecture).value_or(0);
    if (number > 0 && (alone ? number == gpu.capability() : number <= gpu.capability()))
        return success();
    return coded_error(kCodeNotRunnable,
                       "the kernels are for " + architecture + ", and the GPU here, " + gpu.name +
                           ", is " + gpu.architecture(),
                       alone ? "code for " + architecture + " runs on that architecture alone"
                             : "compile for an architecture that is no newer than the GPU");
}

nlohmann::json to_json(const AttachedGpu& gpu) {
    return {{"ordinal", gpu.ordinal},
            {"name", gpu.name},
            {"pci", gpu.pci},
            {"architecture", gpu.architecture()},
            {"driver_version", gpu.driver_version},
            {"multiprocessors", gpu.multiprocessors},
            {"memory_bytes", gpu.memory_bytes},
            {"l2_bytes", gpu.l2_bytes},
            {"clock_hertz", 1e3 * gpu.clock_kilohertz},
            {"memory_clock_hertz", 1e3 * gpu.memory_clock_kilohertz},
            {"memory_bus_bits", gpu.memory_bus_bits},
            {"limits",
             {{"threads_per_block", gpu.threads_per_block},
              {"block_extents", gpu.block_extents},
              {"grid_extents", gpu.grid_extents},
              {"registers_per_block", gpu.registers_per_block},
              {"shared_bytes_per_block", gpu.shared_bytes_per_block_optin},
              {"shared_bytes_per_block_static", gpu.shared_bytes_per_block},
              {"shared_bytes_reserved_per_block", gpu.shared_bytes_reserved_per_block},
              {"threads_per_multiprocessor", gpu.threads_per_multiprocessor},
              {"blocks_per_multiprocessor", gpu.blocks_per_multiprocessor},
              {"registers_per_multiprocessor", gpu.registers_per_multiprocessor},
              {"shared_bytes_per_multiprocessor", gpu.shared_bytes_per_multiprocessor},
              {"clusters", gpu.clusters}}}};
}

} // namespace loopscope::gpu
