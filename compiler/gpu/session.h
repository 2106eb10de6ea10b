#pragma once
// One GPU in use: its primary context, a stream, memory and modules. Not thread-safe: the thread
// that opens it uses it.

#include "compiler/gpu/device.h"

#include <atomic>
#include <memory>

namespace loopscope::gpu {

// How long to wait for the device. The wait polls, so that a kernel that never ends is noticed.
struct Watch {
    double seconds = 20;                       // of one wait
    const std::atomic<bool>* cancel = nullptr; // set by another thread
};

class GpuSession;

// Memory of the device, freed at the end.
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(const CudaApi& api, CuPointer pointer, std::int64_t bytes)
        : api_(&api), pointer_(pointer), bytes_(bytes) {}
    DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        swap(other);
        return *this;
    }
    ~DeviceMemory();

    CuPointer pointer() const { return pointer_; }
    std::int64_t bytes() const { return bytes_; }

private:
    void swap(DeviceMemory& other) noexcept;
    const CudaApi* api_ = nullptr;
    CuPointer pointer_ = 0;
    std::int64_t bytes_ = 0;
};

// The driver's figures of a compiled kernel.
struct KernelFacts {
    std::string name;
    int registers = 0;   // of a thread
    int local_bytes = 0; // of a thread: what does not fit registers, and arrays indexed at run time
    int shared_bytes = 0;              // of a block, static
    int threads_per_block = 0;         // at most
    int blocks_per_multiprocessor = 0; // that run at once
};
nlohmann::json to_json(const KernelFacts& facts);

// PTX that the driver has compiled, unloaded at the end.
class LoadedModule {
public:
    LoadedModule(const CudaApi& api, CuModule module) : api_(&api), module_(module) {}
    LoadedModule(LoadedModule&& other) noexcept;
    LoadedModule& operator=(LoadedModule&&) = delete;
    ~LoadedModule();

    // Errors: it has no kernel of that name.
    Result<CuFunction> function(const std::string& name) const;

private:
    const CudaApi* api_;
    CuModule module_;
};

class GpuSession {
public:
    // Errors: those of cuda_api(); there is no GPU of that number; the driver makes no context.
    static Result<std::unique_ptr<GpuSession>> open(int ordinal = 0);
    ~GpuSession();
    GpuSession(const GpuSession&) = delete;
    GpuSession& operator=(const GpuSession&) = delete;

    const CudaApi& api() const { return api_; }
    const AttachedGpu& gpu() const { return gpu_; }
    CuStream stream() const { return stream_; }
    // What this thread calls from now on is for this GPU, where it was another's meanwhile.
    Status use() const;

    struct Memory {
        std::int64_t free = 0, total = 0; // bytes
    };
    Result<Memory> memory() const;
    // Allocates at least one byte. Errors: not enough is free, with both figures.
    Result<DeviceMemory> allocate(std::int64_t bytes, const std::string& what) const;
    Status copy_to_device(CuPointer to, const void* from, std::int64_t bytes) const;
    Status copy_to_host(void* to, CuPointer from, std::int64_t bytes) const;
    // Fills memory, in the stream's order.
    Status fill(CuPointer to, unsigned char value, std::int64_t bytes) const;

    // Compiles PTX. Errors: what the driver's compiler says of it, with the line of `name`.ptx that
    // it names.
    Result<LoadedModule> load(const std::string& ptx, const std::string& name) const;

    // Waits until the stream has done all; `doing` says what, in errors. Errors: a fault
    // (kCodeFault), or more time than the watch allows (kCodeHang), after which the process is to
    // end (ends_process); cancelled.
    Status wait(const Watch& watch, const std::string& doing) const;

private:
    GpuSession(const CudaApi& api, AttachedGpu gpu) : api_(api), gpu_(std::move(gpu)) {}
    Status begin();

    const CudaApi& api_;
    const AttachedGpu gpu_;
    CuContext context_ = nullptr;
    CuStream stream_ = nullptr;
};

} // namespace loopscope::gpu
