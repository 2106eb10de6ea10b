#pragma once
// Tensor maps (CUtensorMap), which the driver makes: they describe an array to the tensor memory
// accelerator (TMA) of a GPU.

#include "compiler/gpu/cuda_api.h"
#include "compiler/gpu/plan.h"

namespace loopscope::gpu {

struct alignas(kCuTensorMapAlignment) TensorMapBytes {
    std::byte data[kCuTensorMapBytes] = {};
};

// Errors: the driver is older than CUDA 12, or refuses the extents.
Result<TensorMapBytes> encode(const CudaApi& api, const PlanTensorMap& map,
                              const PlanBuffer& buffer, CuPointer address);

} // namespace loopscope::gpu
