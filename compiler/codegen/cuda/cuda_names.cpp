#include "compiler/codegen/cuda/cuda_names.h"

#include "compiler/codegen/kernel_source/host_text.h"

#include <sstream>

namespace loopscope::codegen {

namespace {

// Names taken in C++, as far as C does not have them, and in CUDA: keywords, types, variables, and
// functions that a program's function of the same parameters would clash with.
constexpr const char* kTaken = R"(
and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast consteval
constinit decltype delete dynamic_cast explicit export final friend import module mutable namespace new noexcept not not_eq
operator or or_eq override private protected public reinterpret_cast requires static_cast template this throw try typeid
typename using virtual wchar_t xor xor_eq size_t std
threadIdx blockIdx blockDim gridDim warpSize dim3 shared_memory
char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 short1 short2 short3 short4 ushort1 ushort2 ushort3 ushort4
int1 int2 int3 int4 uint1 uint2 uint3 uint4 long1 long2 long3 long4 ulong1 ulong2 ulong3 ulong4
longlong1 longlong2 longlong3 longlong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4
float1 float2 float3 float4 double1 double2 double3 double4
ushort uint ulong half half2 texture surface printf assert clock clock64 min max umin umax llmin llmax ullmin ullmax
saturate rsqrt rsqrtf rcbrt rcbrtf sinpi sinpif cospi cospif sincospi sincospif normcdf normcdff normcdfinv normcdfinvf
erfinv erfinvf erfcinv erfcinvf erfcx erfcxf norm3d norm4d rnorm3d rnorm4d rhypot rhypotf norm rnorm exp10f
cyl_bessel_i0 cyl_bessel_i1 atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd
atomicOr atomicXor
)";

} // namespace

CNames cuda_names() {
    CNames names;
    std::istringstream in(kTaken);
    for (std::string word; in >> word;)
        names.reserve(word);
    reserve_host_names(names);
    return names;
}

} // namespace loopscope::codegen
