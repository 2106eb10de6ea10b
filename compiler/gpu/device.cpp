#include "compiler/gpu/device.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"
#include "compiler/gpu/json_reader.h"
#include "compiler/measure/targets.h"
#include "core/base/printable.h"

#include <nlohmann/json.hpp>

#include <charconv>

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

namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50, kMaxCount = 1 << 24;
constexpr double kMaxHertz = 1e12;

int count(JsonReader& read, const char* key, std::int64_t most = kMaxCount) {
    return static_cast<int>(read.whole(key, 0, most));
}

std::array<std::int64_t, 3> triple(JsonReader& read, const char* key) {
    const auto list = read.wholes(key, 3, 1, INT32_MAX);
    if (list.size() == 3)
        return {list[0], list[1], list[2]};
    read.fail(key, "three whole numbers from 1 on");
    return {1, 1, 1};
}

// "sm_90" has 9 and 0.
void read_capability(JsonReader& read, AttachedGpu& gpu) {
    const auto text = read.text("architecture", 16);
    int number = 0;
    const auto* end = text.data() + text.size();
    if (!text.starts_with("sm_") || std::from_chars(text.data() + 3, end, number).ptr != end ||
        number < 10 || number > 999)
        return read.fail("architecture", "as \"sm_90\"");
    gpu.major = number / 10;
    gpu.minor = number % 10;
}

void read_limits(JsonReader& read, AttachedGpu& gpu) {
    gpu.threads_per_block = count(read, "threads_per_block");
    gpu.block_extents = triple(read, "block_extents");
    gpu.grid_extents = triple(read, "grid_extents");
    gpu.registers_per_block = count(read, "registers_per_block");
    gpu.shared_bytes_per_block_optin = read.whole("shared_bytes_per_block", 0, kMaxCount);
    gpu.shared_bytes_per_block = read.whole("shared_bytes_per_block_static", 0, kMaxCount);
    gpu.shared_bytes_reserved_per_block =
        read.whole("shared_bytes_reserved_per_block", 0, kMaxCount);
    gpu.threads_per_multiprocessor = count(read, "threads_per_multiprocessor");
    gpu.blocks_per_multiprocessor = count(read, "blocks_per_multiprocessor");
    gpu.registers_per_multiprocessor = count(read, "registers_per_multiprocessor");
    gpu.shared_bytes_per_multiprocessor =
        read.whole("shared_bytes_per_multiprocessor", 0, kMaxCount);
    gpu.clusters = read.boolean("clusters");
}

} // namespace

Result<AttachedGpu> gpu_from_json(const nlohmann::json& json, const std::string& path) {
    JsonReader read(json, path);
    AttachedGpu gpu;
    gpu.ordinal = count(read, "ordinal", measure::kMaxGpus - 1);
    gpu.name = printable_text(read.text("name", 128));
    gpu.pci = printable_text(read.text("pci", 64));
    read_capability(read, gpu);
    gpu.driver_version = count(read, "driver_version");
    gpu.multiprocessors = count(read, "multiprocessors");
    gpu.memory_bytes = read.whole("memory_bytes", 0, kMaxBytes);
    gpu.l2_bytes = read.whole("l2_bytes", 0, kMaxBytes);
    gpu.clock_kilohertz = static_cast<int>(read.number("clock_hertz", 0, kMaxHertz) / 1e3);
    gpu.memory_clock_kilohertz =
        static_cast<int>(read.number("memory_clock_hertz", 0, kMaxHertz) / 1e3);
    gpu.memory_bus_bits = count(read, "memory_bus_bits");
    if (read) {
        JsonReader limits(read.object("limits"), read.path("limits"));
        read_limits(limits, gpu);
        if (!limits)
            return limits.errors();
    }
    if (!read)
        return read.errors();
    return gpu;
}

} // namespace loopscope::gpu
