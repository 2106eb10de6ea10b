// wmma: whole matrices between memory and fragments of which nobody knows how they lie, and
// products of such.
#include "compiler/codegen/cuda/cuda_helpers.h"

#include "compiler/codegen/c/replaced.h"
#include "compiler/codegen/nvptx/intrinsic_table.h"

namespace loopscope::codegen {

namespace {

constexpr const char* kLoadWhole =
    R"(// A matrix of 16 x 16 elements in memory, whose first row, or column, begins at `first`, and whose second one does at `second`.
static __device__ inline void $NAME($T *to, const $T *first, const $T *second) {
$OLD    $W r[8];
    asm volatile("wmma.load.$WHICH.sync.aligned.$ORDER.m16n16k16.$TYPE {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
                 : $OUTPUTS
                 : "l"(first), "r"((int)(second - first))
                 : "memory");
    memcpy(to, r, sizeof r);
}
)";

constexpr const char* kStoreWhole =
    R"(// Back to memory.
static __device__ inline void $NAME($T *first, $T *second, const $T *from) {
$OLD    $W r[8];
    memcpy(r, from, sizeof r);
    asm volatile("wmma.store.d.sync.aligned.$ORDER.m16n16k16.$TYPE [%8], {%0, %1, %2, %3, %4, %5, %6, %7}, %9;"
                 :
                 : $INPUTS, "l"(first), "r"((int)(second - first))
                 : "memory");
}
)";

constexpr const char* kMultiplyWhole =
    R"(// The warp's d = a*b + c, of whole matrices.
static __device__ inline void $NAME(float *d, const $T *a, const $T *b, const float *c) {
$OLD    uint32_t x[8], y[8];
    float r[8];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    memcpy(r, c, sizeof r);
    asm volatile("wmma.mma.sync.aligned.$ORDERS.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
                 "{%0, %1, %2, %3, %4, %5, %6, %7};"
                 : $SUMS
                 : $FACTORS);
    memcpy(d, r, sizeof r);
}
)";

// "=f"(r[0]), …
std::string registers(const std::string& constraint, const std::string& array) {
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += (i ? ", \"" : "\"") + constraint + "\"(" + array + "[" + std::to_string(i) + "])";
    return text;
}

// The parts of a name between underlines.
std::vector<std::string> parts_of(const std::string& name) {
    std::vector<std::string> parts(1);
    for (char c : name)
        if (c == '_')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

} // namespace

std::string CudaHelpers::whole_matrices(const std::string& instruction) {
    const auto parts = parts_of(instruction);
    const auto* known = find_intrinsic(instruction);
    const auto old = needs(instruction, known->least_architecture);
    if (parts[1] != "load" && parts[1] != "store") { // "wmma_m16n16k16_f16_row_col"
        const auto factor = known->operands[1].types.front();
        return use(
            instruction,
            replaced(kMultiplyWhole, {{"$NAME", instruction},
                                      {"$OLD", old},
                                      {"$T", c_memory_type(factor)},
                                      {"$ORDERS", parts[3] + "." + parts[4]},
                                      {"$SUMS", registers("+f", "r")},
                                      {"$FACTORS", registers("r", "x") + ",\n                   " +
                                                       registers("r", "y")}}),
            Side::Device);
    }
    const bool loads = parts[1] == "load";
    const auto type = known->operands.front().types.front();
    const std::string letter = type == ScalarType::F32 ? "f" : "r";
    return use(instruction,
               replaced(loads ? kLoadWhole : kStoreWhole,
                        {{"$NAME", instruction},
                         {"$OLD", old},
                         {"$WHICH", parts[2]},
                         {"$ORDER", parts[3]},
                         {"$TYPE", parts[5]},
                         {"$T", c_memory_type(type)},
                         {"$W", type == ScalarType::F32 ? "float" : "uint32_t"},
                         {"$OUTPUTS", registers("=" + letter, "r")},
                         {"$INPUTS", registers(letter, "r")}}),
               Side::Device);
}

} // namespace loopscope::codegen
