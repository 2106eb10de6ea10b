// Our declarations of the driver against cuda.h, where a toolkit is found.
#include "compiler/gpu/cuda_api.h"

#include <gtest/gtest.h>

#ifdef LOOPSCOPE_CUDA_HEADERS
#include <cuda.h>

namespace loopscope::gpu {
namespace {

static_assert(kCuSuccess == CUDA_SUCCESS && kCuInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(kCuOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY && kCuNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(kCuStubLibrary == CUDA_ERROR_STUB_LIBRARY && kCuNotFound == CUDA_ERROR_NOT_FOUND);
static_assert(kCuInvalidImage == CUDA_ERROR_INVALID_IMAGE &&
              kCuNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU &&
              kCuInvalidPtx == CUDA_ERROR_INVALID_PTX &&
              kCuJitCompilerNotFound == CUDA_ERROR_JIT_COMPILER_NOT_FOUND &&
              kCuUnsupportedPtxVersion == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(kCuNotReady == CUDA_ERROR_NOT_READY &&
              kCuIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS &&
              kCuLaunchOutOfResources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
              kCuLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT && kCuAssert == CUDA_ERROR_ASSERT &&
              kCuHardwareStackError == CUDA_ERROR_HARDWARE_STACK_ERROR &&
              kCuLaunchFailed == CUDA_ERROR_LAUNCH_FAILED &&
              kCuSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);

constexpr int of(CuDeviceAttribute a) { return static_cast<int>(a); }
static_assert(of(CuDeviceAttribute::ThreadsPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(of(CuDeviceAttribute::BlockX) == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X &&
              of(CuDeviceAttribute::BlockX) + 2 == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
static_assert(of(CuDeviceAttribute::GridX) == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X &&
              of(CuDeviceAttribute::GridX) + 2 == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
static_assert(of(CuDeviceAttribute::SharedPerBlock) ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
static_assert(of(CuDeviceAttribute::RegistersPerBlock) ==
              CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
static_assert(of(CuDeviceAttribute::ClockKilohertz) == CU_DEVICE_ATTRIBUTE_CLOCK_RATE &&
              of(CuDeviceAttribute::MemoryClockKilohertz) == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
static_assert(of(CuDeviceAttribute::Multiprocessors) == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(of(CuDeviceAttribute::MemoryBusBits) == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
static_assert(of(CuDeviceAttribute::L2Bytes) == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(of(CuDeviceAttribute::ThreadsPerMultiprocessor) ==
              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
static_assert(of(CuDeviceAttribute::Major) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              of(CuDeviceAttribute::Minor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(of(CuDeviceAttribute::SharedPerMultiprocessor) ==
                  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR &&
              of(CuDeviceAttribute::RegistersPerMultiprocessor) ==
                  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR &&
              of(CuDeviceAttribute::BlocksPerMultiprocessor) ==
                  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
static_assert(of(CuDeviceAttribute::SharedPerBlockOptIn) ==
                  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN &&
              of(CuDeviceAttribute::SharedReservedPerBlock) ==
                  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
static_assert(of(CuDeviceAttribute::ClusterLaunch) == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);

constexpr int of(CuFunctionAttribute a) { return static_cast<int>(a); }
static_assert(of(CuFunctionAttribute::ThreadsPerBlock) == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
              of(CuFunctionAttribute::StaticSharedBytes) == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES &&
              of(CuFunctionAttribute::LocalBytes) == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES &&
              of(CuFunctionAttribute::Registers) == CU_FUNC_ATTRIBUTE_NUM_REGS &&
              of(CuFunctionAttribute::DynamicSharedBytes) ==
                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(static_cast<int>(CuJitOption::InfoLog) == CU_JIT_INFO_LOG_BUFFER &&
              static_cast<int>(CuJitOption::InfoLogBytes) == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES &&
              static_cast<int>(CuJitOption::ErrorLog) == CU_JIT_ERROR_LOG_BUFFER &&
              static_cast<int>(CuJitOption::ErrorLogBytes) == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(kCuCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
              kCuStreamDefault == CU_STREAM_DEFAULT &&
              kCuLaunchClusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);

#if CUDA_VERSION >= 12000
static_assert(static_cast<int>(CuTensorElement::U8) == CU_TENSOR_MAP_DATA_TYPE_UINT8 &&
              static_cast<int>(CuTensorElement::U16) == CU_TENSOR_MAP_DATA_TYPE_UINT16 &&
              static_cast<int>(CuTensorElement::U32) == CU_TENSOR_MAP_DATA_TYPE_UINT32 &&
              static_cast<int>(CuTensorElement::U64) == CU_TENSOR_MAP_DATA_TYPE_UINT64 &&
              kCuTensorPlain == CU_TENSOR_MAP_INTERLEAVE_NONE &&
              static_cast<int>(CuTensorSwizzle::None) == CU_TENSOR_MAP_SWIZZLE_NONE &&
              static_cast<int>(CuTensorSwizzle::Of32) == CU_TENSOR_MAP_SWIZZLE_32B &&
              static_cast<int>(CuTensorSwizzle::Of64) == CU_TENSOR_MAP_SWIZZLE_64B &&
              static_cast<int>(CuTensorSwizzle::Of128) == CU_TENSOR_MAP_SWIZZLE_128B &&
              kCuTensorPlain == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE &&
              kCuTensorL2Of128 == CU_TENSOR_MAP_L2_PROMOTION_L2_128B &&
              kCuTensorMapBytes == sizeof(CUtensorMap) &&
              kCuTensorMapAlignment >= alignof(CUtensorMap));
#endif

static_assert(sizeof(CuPointer) == sizeof(CUdeviceptr) && sizeof(CuDevice) == sizeof(CUdevice));
static_assert(sizeof(CuLaunchAttribute) == sizeof(CUlaunchAttribute) &&
              offsetof(CuLaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(CuLaunchConfig) == sizeof(CUlaunchConfig) &&
              offsetof(CuLaunchConfig, stream) == offsetof(CUlaunchConfig, hStream) &&
              offsetof(CuLaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs) &&
              offsetof(CuLaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));

TEST(Declarations, ClusterDimensionsLieWhereCudaHasThem) {
    CUlaunchAttribute theirs{};
    theirs.value.clusterDim.x = 2;
    theirs.value.clusterDim.z = 3;
    const auto& ours = reinterpret_cast<const CuLaunchAttribute&>(theirs);
    EXPECT_EQ(ours.value.cluster[0], 2u);
    EXPECT_EQ(ours.value.cluster[2], 3u);
}

} // namespace
} // namespace loopscope::gpu

#else

TEST(Declarations, AgreeWithTheToolkits) { GTEST_SKIP() << "no cuda.h here"; }

#endif
