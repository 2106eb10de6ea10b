#include "compiler/codegen/opencl/opencl_names.h"

#include "compiler/codegen/kernel_source/host_text.h"

#include <sstream>

namespace loopscope::codegen {

namespace {

// Keywords, types, constants, and functions that C does not have.
constexpr const char* kTaken = R"(
kernel global local constant private generic read_only write_only read_write pipe uniform shared_memory KEEP_TOGETHER
uchar ushort uint ulong half quad bool2 bool3 bool4 bool8 bool16 image1d_t image2d_t image3d_t sampler_t event_t queue_t
get_work_dim get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset
acospi asinpi atanpi atan2pi cospi sinpi tanpi clamp degrees maxmag minmag mad mad24 mul24 mad_hi mad_sat mul_hi mix
radians sign smoothstep step cross dot distance length normalize fast_distance fast_length fast_normalize isordered
any all bitselect select shuffle shuffle2 barrier mem_fence read_mem_fence write_mem_fence prefetch async_work_group_copy
wait_group_events add_sat abs_diff hadd rhadd clz ctz popcount rotate sub_sat upsample min max abs rsqrt fract
nan half_cos half_divide half_exp half_log half_powr half_recip half_rsqrt half_sin half_sqrt half_tan native_cos
native_divide native_exp native_log native_powr native_recip native_rsqrt native_sin native_sqrt native_tan powr pown
rootn vec_step atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max atomic_and
atomic_or atomic_xor atom_cmpxchg
MAXFLOAT HUGE_VALF INFINITY CHAR_BIT CHAR_MAX CHAR_MIN INT_MAX INT_MIN LONG_MAX LONG_MIN SCHAR_MAX SCHAR_MIN SHRT_MAX
SHRT_MIN UCHAR_MAX USHRT_MAX UINT_MAX ULONG_MAX CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE
as_float as_double as_int as_uint as_long as_ulong as_char as_uchar as_short as_ushort
)";

} // namespace

CNames opencl_names() {
    CNames names;
    std::istringstream in(kTaken);
    for (std::string word; in >> word;)
        names.reserve(word);
    for (const std::string type : {"char", "uchar", "short", "ushort", "int", "uint", "long",
                                   "ulong", "float", "double", "half"})
        for (const std::string count : {"2", "3", "4", "8", "16"})
            names.reserve(type + count);
    for (const std::string count : {"2", "3", "4", "8", "16"})
        for (const std::string access : {"vload", "vstore"})
            names.reserve(access + count);
    reserve_host_names(names);
    return names;
}

} // namespace loopscope::codegen
