// Small functions for kernels that ask the copy engine, the tensor memory accelerator (TMA), for
// boxes of arrays, and for the host, which describes the arrays to it.
#include "compiler/codegen/cuda/cuda_helpers.h"

#include "compiler/codegen/c/replaced.h"

namespace loopscope::codegen {

namespace {

// PTX ISA, "fence.mbarrier_init": behind it the TMA sees mbarriers as they were initialised.
constexpr const char* kMakeArrivals =
    R"(// Mbarriers in shared memory, each of which counts so many arrivals a phase, and bytes that it is told to expect.
static __device__ inline void make_arrivals(uint64_t *mbarriers, uint32_t count, uint32_t arriving) {
$OLD    for (uint32_t i = 0; i < count; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(&mbarriers[i])),
                     "r"(arriving)
                     : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for the TMA
}
)";

constexpr const char* kArrive = R"(// One arrival.
static __device__ inline void arrive(uint64_t *mbarrier) {
$OLD    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((uint32_t)__cvta_generic_to_shared(mbarrier)) : "memory");
}
)";

constexpr const char* kArriveExpecting =
    R"(// One arrival; the phase is complete when so many bytes have come besides.
static __device__ inline void arrive_expecting(uint64_t *mbarrier, uint32_t bytes) {
$OLD    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(mbarrier)),
                 "r"(bytes)
                 : "memory");
}
)";

// The label is the block's, however often this is written out.
constexpr const char* kAwaitPhase =
    R"(// Waits for the end of an mbarrier's phase. Phases alternate between 0 and 1; before the first one a phase 1 has ended.
static __device__ inline void await_phase(uint64_t *mbarrier, uint32_t phase) {
$OLD    asm volatile("{ .reg .pred arrived; again: mbarrier.try_wait.parity.shared::cta.b64 arrived, [%0], %1; "
                 "@!arrived bra again; }" ::"r"((uint32_t)__cvta_generic_to_shared(mbarrier)),
                 "r"(phase)
                 : "memory");
}
)";

constexpr const char* kBarrierOf = R"(// A barrier of so many threads of the block.
template <int NUMBER, int THREADS> static __device__ inline void barrier_of() {
    asm volatile("bar.sync %0, %1;" ::"n"(NUMBER), "n"(THREADS) : "memory");
}
)";

constexpr const char* kCopyBox =
    R"(// Asks the tensor memory accelerator (TMA) for a box of an array, at an element of it; the mbarrier counts its bytes. What lies
// outside of the array arrives as zeros. Coordinates: along the contiguous dimension first.
static __device__ inline void $NAME(void *to, const CUtensorMap *boxes, uint64_t *mbarrier, $PARAMETERS) {
$OLD    asm volatile("cp.async.bulk.tensor.$RANKd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {$COORDINATES}], [%2];" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
                 "l"(boxes), "r"((uint32_t)__cvta_generic_to_shared(mbarrier)), $OPERANDS
                 : "memory");
}
)";

// Names that these functions take, and the launcher's variable in whose declaration it says what
// the program's arrays are.
constexpr const char* kNames[] = {"make_arrivals", "arrive",     "arrive_expecting",
                                  "await_phase",   "barrier_of", "describe_boxes",
                                  "CUtensorMap",   "status"};

} // namespace

// What the in-process path tells it (compiler/gpu/tensor_map.cpp): elements by their size alone,
// lines of 128 bytes in the second-level cache, zeros outside.
const char* describe_boxes_text() {
    return R"(
// Makes the tensor map that tells the tensor memory accelerator (TMA) what an array is and which boxes of it kernels ask for:
// extents along the contiguous dimension first, and the bytes of a row of a box by which chunks of 16 bytes change places in
// shared memory.
static cudaError_t describe_boxes(CUtensorMap *boxes, const char *name, const void *array, CUtensorMapDataType type,
                                  cuuint64_t bytes, cuuint32_t rank, const cuuint64_t *extents, const cuuint32_t *box,
                                  CUtensorMapSwizzle swizzle) {
    static decltype(&cuTensorMapEncodeTiled) encode = NULL; // of the driver that is running
    if (encode == NULL) {
        void *found = NULL;
        cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
        const cudaError_t status =
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
#else
        const cudaError_t status = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
        if (status != cudaSuccess)
            return status;
        if (result != cudaDriverEntryPointSuccess || found == NULL) {
            fprintf(stderr, "error: the driver knows no bulk tensor copies: install one of CUDA 12 or newer\n");
            return cudaErrorInsufficientDriver;
        }
        encode = (decltype(&cuTensorMapEncodeTiled))found;
    }
    cuuint64_t strides[5], stride = bytes;
    const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    for (cuuint32_t d = 0; d < rank; d++)
        strides[d] = stride *= extents[d];
    const CUresult status =
        encode(boxes, type, rank, (void *)array, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status == CUDA_SUCCESS)
        return cudaSuccess;
    fprintf(stderr, "error: the driver refuses to describe %s to the tensor memory accelerator (CUDA error %d): it is to be memory of a "
                    "device of compute capability 9.0 or newer, at an address that 16 divides\n", name, (int)status);
    return cudaErrorInvalidValue;
}
)";
}

void CudaHelpers::reserve_tma(CNames& names) {
    for (auto name : kNames)
        names.reserve(name);
    for (int rank = 1; rank <= 5; ++rank)
        names.reserve("copy_box_" + std::to_string(rank) + "d");
}

std::string CudaHelpers::make_arrivals() {
    const std::string name = "make_arrivals";
    return use(name, replaced(kMakeArrivals, {{"$OLD", needs(name, 90)}}), Side::Device);
}

std::string CudaHelpers::arrive() {
    return use("arrive", replaced(kArrive, {{"$OLD", needs("arrive", 90)}}), Side::Device);
}

std::string CudaHelpers::arrive_expecting() {
    const std::string name = "arrive_expecting";
    return use(name, replaced(kArriveExpecting, {{"$OLD", needs(name, 90)}}), Side::Device);
}

std::string CudaHelpers::await_phase() {
    const std::string name = "await_phase";
    return use(name, replaced(kAwaitPhase, {{"$OLD", needs(name, 90)}}), Side::Device);
}

std::string CudaHelpers::barrier_of() { return use("barrier_of", kBarrierOf, Side::Device); }

std::string CudaHelpers::copy_box(std::size_t rank) {
    const auto name = "copy_box_" + std::to_string(rank) + "d";
    std::string parameters, coordinates, operands;
    for (std::size_t d = 0; d < rank; ++d) {
        const std::string comma = d == 0 ? "" : ", ", x = "x" + std::to_string(d);
        parameters += comma + "int32_t " + x;
        coordinates += comma + "%" + std::to_string(3 + d);
        operands += comma + "\"r\"(" + x + ")";
    }
    return use(name,
               replaced(kCopyBox, {{"$NAME", name},
                                   {"$PARAMETERS", parameters},
                                   {"$OLD", needs(name, 90)},
                                   {"$RANK", std::to_string(rank)},
                                   {"$COORDINATES", coordinates},
                                   {"$OPERANDS", operands}}),
               Side::Device);
}

} // namespace loopscope::codegen
