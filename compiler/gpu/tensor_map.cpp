#include "compiler/gpu/tensor_map.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"

namespace loopscope::gpu {

namespace {

// Elements are copied, and nothing is computed with them: their size is all that counts.
CuTensorElement element_of(ScalarType type) {
    switch (bytes(type)) {
    case 1: return CuTensorElement::U8;
    case 2: return CuTensorElement::U16;
    case 4: return CuTensorElement::U32;
    default: return CuTensorElement::U64;
    }
}

CuTensorSwizzle swizzle_of(int bytes) {
    switch (bytes) {
    case 0: return CuTensorSwizzle::None;
    case 32: return CuTensorSwizzle::Of32;
    case 64: return CuTensorSwizzle::Of64;
    default: return CuTensorSwizzle::Of128;
    }
}

} // namespace

Result<TensorMapBytes> encode(const CudaApi& api, const PlanTensorMap& map,
                              const PlanBuffer& buffer, CuPointer address) {
    if (!api.tensor_map)
        return coded_error(kCodeDriver, "the driver knows no bulk tensor copies",
                           "install a driver of CUDA 12 or newer, or set a target below sm_90");
    std::vector<unsigned long long> extents, strides;
    std::vector<unsigned> box, steps;
    auto stride = static_cast<unsigned long long>(bytes(buffer.type));
    for (std::size_t d = buffer.extents.size(); d-- > 0;) {
        const auto extent = static_cast<unsigned long long>(buffer.extents[d]);
        extents.push_back(extent);
        stride *= extent;
        strides.push_back(stride);
        box.push_back(static_cast<unsigned>(map.box[d]));
        steps.push_back(1);
    }
    TensorMapBytes out;
    const auto status =
        api.tensor_map(out.data, static_cast<int>(element_of(buffer.type)),
                       static_cast<unsigned>(extents.size()), reinterpret_cast<void*>(address),
                       extents.data(), strides.data(), box.data(), steps.data(), kCuTensorPlain,
                       static_cast<int>(swizzle_of(map.swizzle)), kCuTensorL2Of128, kCuTensorPlain);
    if (auto made = succeed(api, status, "describing " + map.buffer + " to the TMA"); !made)
        return made.errors();
    return out;
}

} // namespace loopscope::gpu
