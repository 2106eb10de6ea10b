#include "compiler/gpu/cuda_library.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <dlfcn.h>
#include <sys/resource.h>

namespace loopscope::gpu {

namespace {

constexpr const char* kDriver = "libcuda.so.1";

std::string library_name() {
    const char* named = std::getenv(kCudaLibraryVariable);
    return named && *named ? named : kDriver;
}

class Lookup {
public:
    explicit Lookup(void* library) : library_(library) {}

    template <typename Function> void optional(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(::dlsym(library_, name));
    }
    template <typename Function> void need(Function*& function, const char* name) {
        optional(function, name);
        if (!function)
            lacking_ += std::string(lacking_.empty() ? "" : ", ") + name;
    }
    const std::string& lacking() const { return lacking_; }

private:
    void* library_;
    std::string lacking_;
};

void look_up_devices(CudaApi& api, Lookup& look) {
    look.need(api.init, "cuInit");
    look.need(api.driver_version, "cuDriverGetVersion");
    look.need(api.error_name, "cuGetErrorName");
    look.need(api.error_text, "cuGetErrorString");
    look.need(api.device_count, "cuDeviceGetCount");
    look.need(api.device_get, "cuDeviceGet");
    look.need(api.device_name, "cuDeviceGetName");
    look.need(api.device_memory, "cuDeviceTotalMem_v2");
    look.need(api.device_attribute, "cuDeviceGetAttribute");
    look.need(api.device_pci, "cuDeviceGetPCIBusId");
    look.need(api.context_retain, "cuDevicePrimaryCtxRetain");
    look.need(api.context_release, "cuDevicePrimaryCtxRelease_v2");
    look.need(api.context_set_current, "cuCtxSetCurrent");
}

void look_up_memory(CudaApi& api, Lookup& look) {
    look.need(api.memory_info, "cuMemGetInfo_v2");
    look.need(api.memory_allocate, "cuMemAlloc_v2");
    look.need(api.memory_free, "cuMemFree_v2");
    look.need(api.copy_to_device, "cuMemcpyHtoD_v2");
    look.need(api.copy_to_host, "cuMemcpyDtoH_v2");
    look.need(api.copy_on_device, "cuMemcpyDtoDAsync_v2");
    look.need(api.fill_bytes, "cuMemsetD8Async");
}

void look_up_kernels(CudaApi& api, Lookup& look) {
    look.need(api.module_load, "cuModuleLoadDataEx");
    look.need(api.module_unload, "cuModuleUnload");
    look.need(api.module_function, "cuModuleGetFunction");
    look.need(api.function_attribute, "cuFuncGetAttribute");
    look.need(api.function_set_attribute, "cuFuncSetAttribute");
    look.need(api.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    look.need(api.launch, "cuLaunchKernel");
    look.optional(api.launch_extended, "cuLaunchKernelEx");
    look.optional(api.tensor_map, "cuTensorMapEncodeTiled");
}

void look_up_streams(CudaApi& api, Lookup& look) {
    look.need(api.stream_create, "cuStreamCreate");
    look.need(api.stream_destroy, "cuStreamDestroy_v2");
    look.need(api.stream_query, "cuStreamQuery");
    look.need(api.event_create, "cuEventCreate");
    look.need(api.event_destroy, "cuEventDestroy_v2");
    look.need(api.event_record, "cuEventRecord");
    look.need(api.event_milliseconds, "cuEventElapsedTime");
    look.need(api.capture_begin, "cuStreamBeginCapture_v2");
    look.need(api.capture_end, "cuStreamEndCapture");
    look.optional(api.graph_instantiate, "cuGraphInstantiateWithFlags");
    look.need(api.graph_launch, "cuGraphLaunch");
    look.need(api.graph_destroy, "cuGraphDestroy");
    look.need(api.graph_exec_destroy, "cuGraphExecDestroy");
}

// Memory that the process writes to stays limited; reserved addresses do not.
void limit_memory_in_place_of_addresses() {
    rlimit addresses{};
    if (::getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY)
        return;
    rlimit data{};
    ::getrlimit(RLIMIT_DATA, &data);
    data.rlim_cur = std::min(addresses.rlim_cur, data.rlim_max);
    ::setrlimit(RLIMIT_DATA, &data);
    addresses.rlim_cur = addresses.rlim_max;
    ::setrlimit(RLIMIT_AS, &addresses);
}

Status initialize(const CudaApi& api, const std::string& name) {
    const auto status = api.init(0);
    int devices = 0;
    if (status == kCuSuccess && api.device_count(&devices) == kCuSuccess && devices > 0)
        return success();
    if (status == kCuStubLibrary)
        return coded_error(
            measure::kCodeTarget,
            name + " is the CUDA toolkit's stub, which programs are linked with, and no "
                   "driver",
            std::string("install NVIDIA's driver; leave the toolkit's `stubs` folder "
                        "out of LD_LIBRARY_PATH and ") +
                kCudaLibraryVariable);
    if (status == kCuSystemDriverMismatch)
        return coded_error(measure::kCodeTarget,
                           "NVIDIA's driver does not fit the kernel module that is loaded: " +
                               status_text(api, status),
                           "restart the machine after the driver's update");
    if (status == kCuNoDevice || status == kCuSuccess)
        return coded_error(measure::kCodeTarget, "NVIDIA's driver is here, but finds no GPU",
                           "`nvidia-smi` lists what it sees; CUDA_VISIBLE_DEVICES may hide some");
    return coded_error(measure::kCodeTarget,
                       "NVIDIA's driver does not start: " + status_text(api, status),
                       "`nvidia-smi` shows whether the GPU is in order");
}

struct Loaded {
    CudaApi api{};
    std::optional<Diagnostics> errors;
};

Loaded load_driver() {
    Loaded loaded;
    const auto name = library_name();
    limit_memory_in_place_of_addresses();
    void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        loaded.errors = {coded_error(
            measure::kCodeTarget,
            std::string("there is no NVIDIA driver on this machine: ") + ::dlerror(),
            std::string("`--target simt` checks kernels without a GPU; ") + kCudaLibraryVariable +
                " names a driver in another place; `loopscope-cli bundle` packs kernels for a "
                "machine that has one")};
        return loaded;
    }
    auto api = functions_of(library, name);
    if (!api) {
        loaded.errors = api.errors();
        return loaded;
    }
    loaded.api = *api;
    if (auto ready = initialize(loaded.api, name); !ready)
        loaded.errors = ready.errors();
    return loaded;
}

} // namespace

Result<CudaApi> functions_of(void* library, const std::string& path) {
    CudaApi api{};
    Lookup look(library);
    look_up_devices(api, look);
    look_up_memory(api, look);
    look_up_kernels(api, look);
    look_up_streams(api, look);
    if (!look.lacking().empty())
        return coded_error(measure::kCodeTarget, path + " lacks " + look.lacking(),
                           "install a driver of CUDA 11 or newer");
    return api;
}

Result<const CudaApi*> cuda_api() {
    static const Loaded loaded = load_driver();
    if (loaded.errors)
        return *loaded.errors;
    return &loaded.api;
}

std::string status_text(const CudaApi& api, CuResult status) {
    const char *name = nullptr, *text = nullptr;
    api.error_name(status, &name);
    api.error_text(status, &text);
    return std::string(name ? name : "error") + " (" + std::to_string(status) + ")" +
           (text ? std::string(": ") + text : "");
}

bool is_fault(CuResult status) {
    constexpr CuResult kFirstOfStack = kCuHardwareStackError, kLast = kCuLaunchFailed;
    return status == kCuIllegalAddress || status == kCuLaunchTimeout || status == kCuAssert ||
           (status >= kFirstOfStack && status <= kLast);
}

Diagnostic driver_error(const CudaApi& api, CuResult status, const std::string& doing) {
    if (is_fault(status))
        return coded_error(kCodeFault, doing + ": " + status_text(api, status));
    if (status == kCuOutOfMemory)
        return coded_error(measure::kCodeMemoryLimit,
                           doing +
                               ": the GPU's memory does not suffice: " + status_text(api, status),
                           "make the problem smaller (--param), or end other programs on the GPU");
    return coded_error(kCodeDriver, doing + ": " + status_text(api, status));
}

Status succeed(const CudaApi& api, CuResult status, const std::string& doing) {
    return status == kCuSuccess ? success() : Status(driver_error(api, status, doing));
}

} // namespace loopscope::gpu
