#include "core/device/generic_gpu.h"

namespace loopscope::device {

namespace {

Device make() {
    Gpu gpu;
    gpu.architecture = "sm_80";
    gpu.source = "CUDA C++ Programming Guide and PTX ISA, compute capability 8.0";
    gpu.multiprocessors = 108;
    auto& l = gpu.limits; // the others are those of all architectures
    l.source = "CUDA C++ Programming Guide, tables of compute capabilities, 8.0; allocation units: "
               "CUDA occupancy calculator";
    l.shared_bytes_per_multiprocessor = 164 << 10;
    l.shared_bytes_per_block = 163 << 10;
    l.shared_bytes_reserved_per_block = 1 << 10;
    for (int kilobytes : {0, 8, 16, 32, 64, 100, 132, 164})
        l.shared_carveouts_bytes.push_back(std::int64_t{kilobytes} << 10);
    gpu.capabilities = {"wmma", "mma", "ldmatrix", "asynchronous_copy", "barrier_objects"};
    gpu.tensor_intrinsics = {
        "wmma_m16n16k16_f16", "wmma_m32n8k16_f16",  "wmma_m8n32k16_f16",  "wmma_m16n16k16_bf16",
        "wmma_m32n8k16_bf16", "wmma_m8n32k16_bf16", "wmma_m16n16k8_tf32", "wmma_m16n16k16_s8",
        "wmma_m32n8k16_s8",   "wmma_m8n32k16_s8",   "wmma_m16n16k16_u8",  "wmma_m32n8k16_u8",
        "wmma_m8n32k16_u8",   "wmma_m8n8k4_f64",    "mma_m16n8k8_f16",    "mma_m16n8k16_f16",
        "mma_m16n8k8_bf16",   "mma_m16n8k16_bf16",  "mma_m16n8k4_tf32",   "mma_m16n8k8_tf32",
        "mma_m16n8k16_s8",    "mma_m16n8k32_s8",    "mma_m16n8k16_u8",    "mma_m16n8k32_u8",
        "mma_m8n8k4_f64"};
    Device device;
    device.name = "gpu";
    device.description = "any GPU of compute capability 8.0, of which no figures are known";
    device.kind = "gpu";
    device.gpu = std::move(gpu);
    return device;
}

} // namespace

const Device& generic_gpu() {
    static const Device device = make();
    return device;
}

} // namespace loopscope::device
