#pragma once
// The part of NVIDIA's driver API that is used here, in declarations of our own: no CUDA header is
// needed to build. Values and layouts are those of cuda.h, which tests/gpu compares them with where
// a toolkit is found. Functions are looked up by the names under which the driver keeps their
// present versions (cuMemAlloc_v2), which are not those of cuda.h.

#include <cstddef>

namespace loopscope::gpu {

using CuResult = int;
using CuDevice = int;
using CuPointer = unsigned long long; // an address on the device
using CuContext = struct CuContextObject*;
using CuModule = struct CuModuleObject*;
using CuFunction = struct CuFunctionObject*;
using CuStream = struct CuStreamObject*;
using CuEvent = struct CuEventObject*;
using CuGraph = struct CuGraphObject*;
using CuGraphExec = struct CuGraphExecObject*;

inline constexpr CuResult kCuSuccess = 0;
inline constexpr CuResult kCuInvalidValue = 1;
inline constexpr CuResult kCuOutOfMemory = 2;
inline constexpr CuResult kCuStubLibrary = 34;
inline constexpr CuResult kCuNoDevice = 100;
inline constexpr CuResult kCuInvalidImage = 200;
inline constexpr CuResult kCuNoBinaryForGpu = 209;
inline constexpr CuResult kCuInvalidPtx = 218;
inline constexpr CuResult kCuJitCompilerNotFound = 221;
inline constexpr CuResult kCuUnsupportedPtxVersion = 222;
inline constexpr CuResult kCuNotFound = 500;
inline constexpr CuResult kCuNotReady = 600;
inline constexpr CuResult kCuIllegalAddress = 700;
inline constexpr CuResult kCuLaunchOutOfResources = 701;
inline constexpr CuResult kCuLaunchTimeout = 702;
inline constexpr CuResult kCuAssert = 710;
inline constexpr CuResult kCuHardwareStackError = 714;
inline constexpr CuResult kCuLaunchFailed = 719;
inline constexpr CuResult kCuSystemDriverMismatch = 803;

enum class CuDeviceAttribute : int {
    ThreadsPerBlock = 1,
    BlockX = 2, // also Y and Z, in order
    GridX = 5,
    SharedPerBlock = 8,
    RegistersPerBlock = 12,
    ClockKilohertz = 13,
    Multiprocessors = 16,
    MemoryClockKilohertz = 36,
    MemoryBusBits = 37,
    L2Bytes = 38,
    ThreadsPerMultiprocessor = 39,
    Major = 75,
    Minor = 76,
    SharedPerMultiprocessor = 81,
    RegistersPerMultiprocessor = 82,
    SharedPerBlockOptIn = 97,
    BlocksPerMultiprocessor = 106,
    SharedReservedPerBlock = 111,
    ClusterLaunch = 120,
};

enum class CuFunctionAttribute : int {
    ThreadsPerBlock = 0,
    StaticSharedBytes = 1,
    LocalBytes = 3,
    Registers = 4,
    BinaryVersion = 6,
    DynamicSharedBytes = 8, // the greatest that a launch may ask for
    NonPortableCluster = 14,
};

enum class CuJitOption : int {
    InfoLog = 3,
    InfoLogBytes = 4,
    ErrorLog = 5,
    ErrorLogBytes = 6,
};

inline constexpr int kCuCaptureThreadLocal = 1; // CUstreamCaptureMode
inline constexpr unsigned kCuStreamDefault = 0;
inline constexpr int kCuLaunchClusterDimension = 4; // CUlaunchAttributeID

// Element types of cuTensorMapEncodeTiled.
enum class CuTensorElement : int { U8 = 0, U16 = 1, U32 = 2, U64 = 4 };
inline constexpr int kCuTensorPlain = 0; // interleave, what is outside: zeros
enum class CuTensorSwizzle : int { None = 0, Of32 = 1, Of64 = 2, Of128 = 3 }; // bytes
// promotion: lines of 128 bytes in the second-level cache
inline constexpr int kCuTensorL2Of128 = 2;
inline constexpr std::size_t kCuTensorMapBytes = 128;
inline constexpr std::size_t kCuTensorMapAlignment = 128;

struct CuLaunchAttribute {
    int id = 0;
    int padding = 0;
    union {
        char bytes[64];
        unsigned cluster[3];
    } value = {};
};

struct CuLaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    CuStream stream;
    CuLaunchAttribute* attributes;
    unsigned attribute_count;
};

// One member a function; a comment where an old driver may lack it and the member is then null.
struct CudaApi {
    CuResult (*init)(unsigned flags);
    CuResult (*driver_version)(int* version);
    CuResult (*error_name)(CuResult status, const char** name);
    CuResult (*error_text)(CuResult status, const char** text);

    CuResult (*device_count)(int* count);
    CuResult (*device_get)(CuDevice* device, int ordinal);
    CuResult (*device_name)(char* name, int length, CuDevice device);
    CuResult (*device_memory)(std::size_t* bytes, CuDevice device);
    CuResult (*device_attribute)(int* value, int attribute, CuDevice device);
    CuResult (*device_pci)(char* id, int length, CuDevice device);

    CuResult (*context_retain)(CuContext* context, CuDevice device);
    CuResult (*context_release)(CuDevice device);
    CuResult (*context_set_current)(CuContext context);

    CuResult (*memory_info)(std::size_t* free, std::size_t* total);
    CuResult (*memory_allocate)(CuPointer* pointer, std::size_t bytes);
    CuResult (*memory_free)(CuPointer pointer);
    CuResult (*copy_to_device)(CuPointer to, const void* from, std::size_t bytes);
    CuResult (*copy_to_host)(void* to, CuPointer from, std::size_t bytes);
    CuResult (*copy_on_device)(CuPointer to, CuPointer from, std::size_t bytes, CuStream stream);
    CuResult (*fill_bytes)(CuPointer to, unsigned char value, std::size_t bytes, CuStream stream);

    CuResult (*module_load)(CuModule* module, const void* image, unsigned options, int* names,
                            void** values);
    CuResult (*module_unload)(CuModule module);
    CuResult (*module_function)(CuFunction* function, CuModule module, const char* name);
    CuResult (*function_attribute)(int* value, int attribute, CuFunction function);
    CuResult (*function_set_attribute)(CuFunction function, int attribute, int value);
    CuResult (*occupancy)(int* blocks, CuFunction function, int threads, std::size_t shared_bytes);

    CuResult (*launch)(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                       CuStream stream, void** arguments, void** extra);
    CuResult (*launch_extended)(const CuLaunchConfig* config, CuFunction function, void** arguments,
                                void** extra); // since CUDA 11.8: clusters

    // Since CUDA 12. Dimensions from the contiguous one on; strides, in bytes, without that one.
    CuResult (*tensor_map)(void* map, int element, unsigned rank, void* address,
                           const unsigned long long* extents, const unsigned long long* strides,
                           const unsigned* box, const unsigned* element_strides, int interleave,
                           int swizzle, int promotion, int fill);

    CuResult (*stream_create)(CuStream* stream, unsigned flags);
    CuResult (*stream_destroy)(CuStream stream);
    CuResult (*stream_query)(CuStream stream);
    CuResult (*event_create)(CuEvent* event, unsigned flags);
    CuResult (*event_destroy)(CuEvent event);
    CuResult (*event_record)(CuEvent event, CuStream stream);
    CuResult (*event_milliseconds)(float* milliseconds, CuEvent begin, CuEvent end);

    CuResult (*capture_begin)(CuStream stream, int mode);
    CuResult (*capture_end)(CuStream stream, CuGraph* graph);
    CuResult (*graph_instantiate)(CuGraphExec* executable, CuGraph graph,
                                  unsigned long long flags); // since CUDA 11.4
    CuResult (*graph_launch)(CuGraphExec executable, CuStream stream);
    CuResult (*graph_destroy)(CuGraph graph);
    CuResult (*graph_exec_destroy)(CuGraphExec executable);
};

} // namespace loopscope::gpu
