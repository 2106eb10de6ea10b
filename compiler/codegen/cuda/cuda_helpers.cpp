#include "compiler/codegen/cuda/cuda_helpers.h"

#include "compiler/codegen/nvptx/intrinsic_table.h"
#include "compiler/lower/gpu/instructions.h"

#include "compiler/codegen/c/replaced.h"

#include <map>

namespace loopscope::codegen {

namespace {

constexpr const char* kVectors =
    R"(// As many elements as one access takes: 16 bytes at most, at a place that their size divides.
template <typename T, int N> struct alignas(N * sizeof(T)) vec {
    T at[N];
};
)";

constexpr const char* kCopyAhead =
    R"(// A copy to shared memory that goes on while the thread computes, on sm_80 and later; elsewhere it is done at once. Where
// `on` does not hold, zeros arrive and nothing is read. 16 bytes go past the first-level cache.
template <int N, typename T> static __device__ inline void copy_ahead(T *to, const T *from, bool on = true) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int bytes = N * sizeof(T);
    const uint32_t target = (uint32_t)__cvta_generic_to_shared(to);
    const size_t source = __cvta_generic_to_global(from);
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(source), "n"(bytes),
                     "r"(on ? bytes : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(source), "n"(bytes),
                     "r"(on ? bytes : 0)
                     : "memory");
#else
    vec<T, N> element = {};
    if (on)
        element = *(const vec<T, N> *)from;
    *(vec<T, N> *)to = element;
#endif
}
)";

constexpr const char* kCommit =
    R"(// The copies that this thread began since it was here last are one group.
static __device__ inline void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
)";

constexpr const char* kWait =
    R"(// At most N of this thread's groups are still under way: others have arrived, for itself alone.
template <int N> static __device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}
)";

constexpr const char* kPrefetch = R"(// A line of the second-level cache that will be read.
static __device__ inline void prefetch(const void *place) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(place)));
}
)";

constexpr const char* kExchange = R"(// One step that no other thread sees half done.
static __device__ inline void $NAME($M *place, $M value) {
    $W seen = *(volatile $W *)place, before;
    do {
        $M old;
        before = seen;
        memcpy(&old, &before, sizeof old);
        const $M combined = $COMBINE(old, value);
        $W after;
        memcpy(&after, &combined, sizeof after);
        seen = atomicCAS(($W *)place, before, after);
    } while (seen != before); // as bits: a NaN differs from itself as a number
}
)";

constexpr const char* kExchangeByte =
    R"(// One step that no other thread sees half done: on the word that the byte is in.
static __device__ inline void $NAME($M *place, $M value) {
    unsigned int *word = (unsigned int *)((size_t)place & ~(size_t)3);
    const unsigned int shift = 8 * (unsigned int)((size_t)place & 3);
    unsigned int seen = *(volatile unsigned int *)word, before;
    do {
        before = seen;
        const $M combined = $COMBINE(($M)(before >> shift), value);
        seen = atomicCAS(word, before, (before & ~(0xffu << shift)) | (unsigned int)(uint8_t)combined << shift);
    } while (seen != before);
}
)";

constexpr const char* kOldArchitecture = R"(#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < $LEAST
#error "$NAME needs sm_$SM"
#endif
)";

constexpr const char* kLoadMatrix =
    R"(// $COUNT of 8 x 8 elements of 16 bits, from the rows in shared memory that the lanes of the warp name.
static __device__ inline void $NAME(void *to, const void *row) {
$OLD    uint32_t r[$N];
    asm volatile("ldmatrix.sync.aligned.m8n8.x$N$TRANS.shared.b16 {$REGISTERS}, [%$N];"
                 : $OUTPUTS
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
    memcpy(to, r, sizeof r);
}
)";

constexpr const char* kMultiply =
    R"(// The warp's d = a*b + c, each lane with its fragments as the PTX ISA numbers them.
static __device__ inline void $NAME($S *d, const $F *a, const $F *b, const $S *c) {
$OLD    uint32_t x[4], y[2];
    $S r[4];
$READ    asm volatile("mma.sync.aligned.$SHAPE "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
                 : "=$C"(r[0]), "=$C"(r[1]), "=$C"(r[2]), "=$C"(r[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "$C"(c[0]), "$C"(c[1]), "$C"(c[2]),
                   "$C"(c[3]));
    memcpy(d, r, sizeof r);
}
)";

constexpr const char* kMatrixInShared =
    R"(// A matrix as a warpgroup's instruction takes it out of shared memory: how it lies, and where.
static __device__ inline uint64_t matrix_in_shared(const void *first, uint64_t form) {
    return form | ((uint32_t)__cvta_generic_to_shared(first) & 0x3ffffu) >> 4;
}
)";

constexpr const char* kFenceMatrices =
    R"(// What this thread has written to shared memory, tensor cores may read and the TMA overwrite from now on.
static __device__ inline void fence_matrices(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
)";

constexpr const char* kOnlyArchitecture =
    R"(#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "$NAME needs sm_90a"
#endif
)";

constexpr const char* kMultiplyInGroup =
    R"(// d += a*b of the 128 threads of a warpgroup, which goes on beside them.
static __device__ inline void $NAME(float *d, uint64_t a, uint64_t b) {
$OLD    asm volatile("{ .reg .pred all; setp.ne.b32 all, 1, 0; wgmma.mma_async.sync.aligned.$SHAPE "
                 "{$REGISTERS}, %$N, %$M, all, 1, 1, $A, $B; }"
                 : $SUMS
                 : "l"(a), "l"(b)
                 : "memory");
}
)";

constexpr const char* kAroundProducts =
    R"(// $WHAT
static __device__ inline void $NAME(float *d) {
$OLD    asm volatile("$CODE"
                 : $SUMS
                 :
                 : "memory");
}
)";

constexpr const char* kReadWords = R"(    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
)";

constexpr const char* kReadRounded = R"(    for (int i = 0; i < 4; i++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[i]) : "f"(a[i]));
    for (int i = 0; i < 2; i++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y[i]) : "f"(b[i]));
)";

struct Multiplication {
    const char* name;
    const char* shape;
    ScalarType factor, sum;
};

constexpr Multiplication kMultiplications[] = {
    {"mma_m16n8k16_f16", "m16n8k16.row.col.f32.f16.f16.f32", ScalarType::F16, ScalarType::F32},
    {"mma_m16n8k16_bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", ScalarType::BF16, ScalarType::F32},
    {"mma_m16n8k8_tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", ScalarType::F32, ScalarType::F32},
    {"mma_m16n8k32_s8", "m16n8k32.row.col.s32.s8.s8.s32", ScalarType::I8, ScalarType::I32},
};

// "+f"(d[0]), …: in and out.
std::string sums_text(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += (i == 0       ? ""
                 : i % 8 == 0 ? ",\n                   "
                              : ", ") +
                ("\"+f\"(d[" + std::to_string(i) + "])");
    return text;
}

const char* word_of(ScalarType type) {
    return bits(type) == 64   ? "unsigned long long"
           : bits(type) == 32 ? "unsigned int"
                              : "unsigned short";
}

} // namespace

std::string CudaHelpers::needs(const std::string& name, int architecture) {
    return replaced(kOldArchitecture, {{"$NAME", name},
                                       {"$LEAST", std::to_string(architecture * 10)},
                                       {"$SM", std::to_string(architecture)}});
}

CudaHelpers::CudaHelpers(CNames& names, const CDialect& dialect) : KernelHelpers(names, dialect) {
    for (auto name : {"vec", "copy_ahead", "commit_copies", "wait_for_copies", "prefetch",
                      "matrix_in_shared", "fence_matrices"})
        names.reserve(name);
    reserve_tma(names);
    for (const auto& multiplication : kMultiplications)
        names.reserve(multiplication.name);
    for (const auto& instruction : intrinsic_names())
        if (instruction.starts_with("wmma_"))
            names.reserve(instruction);
    for (const std::string count : {"1", "2", "4"})
        for (const std::string trans : {"", "_trans"})
            names.reserve("ldmatrix_x" + count + trans + "_b16");
}

std::string CudaHelpers::vectors() { return use("vec", kVectors, Side::Device); }

std::string CudaHelpers::copy_ahead() {
    vectors();
    return use("copy_ahead", kCopyAhead, Side::Device);
}

std::string CudaHelpers::commit_copies() { return use("commit_copies", kCommit, Side::Device); }
std::string CudaHelpers::wait_for_copies() { return use("wait_for_copies", kWait, Side::Device); }
std::string CudaHelpers::prefetch() { return use("prefetch", kPrefetch, Side::Device); }

std::string CudaHelpers::load_matrix(const std::string& instruction) {
    const std::string count(1, instruction.at(std::string("ldmatrix_x").size()));
    std::string registers, outputs;
    for (int i = 0; i < std::stoi(count); ++i) {
        registers += (i ? ", %" : "%") + std::to_string(i);
        outputs += (i ? ", \"=r\"(r[" : "\"=r\"(r[") + std::to_string(i) + "])";
    }
    const bool transposed = instruction.find("_trans") != instruction.npos;
    return use(instruction,
               replaced(kLoadMatrix, {{"$NAME", instruction},
                                      {"$COUNT", count + (count == "1" ? " matrix" : " matrices")},
                                      {"$TRANS", transposed ? ".trans" : ""},
                                      {"$REGISTERS", registers},
                                      {"$OUTPUTS", outputs},
                                      {"$OLD", needs(instruction, 75)},
                                      {"$N", count}}),
               Side::Device);
}

std::string CudaHelpers::multiply_matrices(const std::string& instruction) {
    for (const auto& m : kMultiplications)
        if (instruction == m.name)
            return use(instruction,
                       replaced(kMultiply,
                                {{"$NAME", instruction},
                                 {"$OLD", needs(instruction, 80)},
                                 {"$SHAPE", m.shape},
                                 {"$READ", m.factor == ScalarType::F32 ? kReadRounded : kReadWords},
                                 {"$F", c_memory_type(m.factor)},
                                 {"$S", c_memory_type(m.sum)},
                                 {"$C", is_float(m.sum) ? "f" : "r"}}),
                       Side::Device);
    return {};
}

std::string CudaHelpers::matrix_in_shared() {
    return use("matrix_in_shared", kMatrixInShared, Side::Device);
}

std::string CudaHelpers::fence_matrices() {
    return use("fence_matrices", kFenceMatrices, Side::Device);
}

std::string CudaHelpers::multiply_in_group(const std::string& instruction, bool left_transposed,
                                           bool right_transposed) {
    const auto columns = find_intrinsic(instruction)->number;
    const auto type = instruction.substr(instruction.rfind('_') + 1);
    const auto name =
        instruction + (left_transposed ? "_t" : "_n") + (right_transposed ? "t" : "n");
    std::string registers;
    for (int i = 0; i < columns / 2; ++i)
        registers += (i ? ", %" : "%") + std::to_string(i);
    return use(
        name,
        replaced(kMultiplyInGroup,
                 {{"$NAME", name},
                  {"$OLD", replaced(kOnlyArchitecture, {{"$NAME", instruction}})},
                  {"$SHAPE", "m64n" + std::to_string(columns) + "k16.f32." + type + "." + type},
                  {"$REGISTERS", registers},
                  {"$SUMS", sums_text(columns / 2)},
                  {"$N", std::to_string(columns / 2)},
                  {"$M", std::to_string(columns / 2 + 1)},
                  {"$A", left_transposed ? "1" : "0"},
                  {"$B", right_transposed ? "1" : "0"}}),
        Side::Device);
}

std::string CudaHelpers::around_products(AroundProducts step, int sums) {
    struct Text {
        const char *name, *what, *code;
    };
    static const std::map<AroundProducts, Text> texts{
        {AroundProducts::Begin,
         {lower::kBeginProducts,
          "Before products of a warpgroup: registers of their sums are settled.",
          "wgmma.fence.sync.aligned;"}},
        {AroundProducts::Leave,
         {lower::kLeaveProducts, "Behind them: those of the group before are done, these run on.",
          "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;"}},
        {AroundProducts::End,
         {lower::kEndProducts, "Behind them: they are done, and the sums are there.",
          "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"}},
        {AroundProducts::Await,
         {"wgmma_await_", "Behind products that ran on: they are done, and the sums are there.",
          "wgmma.wait_group.sync.aligned 0;"}},
        {AroundProducts::Keep,
         {"wgmma_keep_", "More sums of such a step, which stay in their registers.", ""}},
    };
    const auto& text = texts.at(step);
    const auto name = text.name + std::to_string(sums);
    return use(name,
               replaced(kAroundProducts, {{"$WHAT", text.what},
                                          {"$NAME", name},
                                          {"$OLD", replaced(kOnlyArchitecture, {{"$NAME", name}})},
                                          {"$CODE", text.code},
                                          {"$SUMS", sums_text(sums)}}),
               Side::Device);
}

// Sums of f32 in global memory take denormals for 0: the order of the terms is nobody's, and what
// is lost is less than what their order decides.
std::string CudaHelpers::instruction(Op op, ScalarType type, const std::string& place,
                                     const std::string& value) {
    const bool word = type == ScalarType::I32 || type == ScalarType::U32;
    const bool wide = type == ScalarType::I64 || type == ScalarType::U64;
    const bool real = type == ScalarType::F32 || type == ScalarType::F64;
    const bool order = op == Op::Min || op == Op::Max;
    if (!(op == Op::Add && (word || wide || real)) && !(order && (word || wide)))
        return {};
    const std::string function = op == Op::Add   ? "atomicAdd"
                                 : op == Op::Min ? "atomicMin"
                                                 : "atomicMax";
    if (!wide)
        return function + "(&" + place + ", " + value + ");";
    const std::string of = order && type == ScalarType::I64 ? "long long" : "unsigned long long";
    return function + "((" + of + " *)&" + place + ", (" + of + ")(" + value + "));";
}

std::string CudaHelpers::exchange(const std::string& name, const std::string& combine,
                                  ScalarType type, Space) {
    return use(name,
               replaced(bits(type) == 8 ? kExchangeByte : kExchange, {{"$NAME", name},
                                                                      {"$COMBINE", combine},
                                                                      {"$M", c_memory_type(type)},
                                                                      {"$W", word_of(type)}}),
               Side::Device);
}

} // namespace loopscope::codegen
