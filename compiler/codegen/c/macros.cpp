#include "compiler/codegen/c/macros.h"

#include <utility>

namespace loopscope::codegen {

namespace {

constexpr const char* kGuards = R"(#ifdef __FAST_MATH__
#error "-ffast-math changes results: compile without it"
#endif
// 16 is what GCC says where _Float16, which nothing here uses, has instructions of its own: float and double are as for 0.
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "float operations must round to float: compile for SSE2 or another processor with 32-bit arithmetic"
#endif
// Multiply-adds are fused where the program says so, and nowhere else. GCC takes 0 - x for -x where it knows that x is
// not -0, which is wrong for +0; it refrains where it may not assume how sums are rounded. Nobody asks which operations
// raised exceptions, so it need not keep those of lanes that are off apart. Of lanes that stand side by side GCC 12 takes
// (double)(float)x for x where it joins them without a loop: it joins loops alone.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "rounding-math", "no-trapping-math", "no-tree-slp-vectorize")
#endif
)";

constexpr const char* kParallel = R"(// The iterations are divided among threads.
#ifdef _OPENMP
#define PARALLEL_FOR _Pragma("omp parallel for")
#else
#define PARALLEL_FOR
#endif
)";

constexpr const char* kSimd =
    R"(// The iterations do not depend on each other: a compiler may make vectors of them.
#ifdef _OPENMP
#define SIMD _Pragma("omp simd")
#else
#define SIMD
#endif
)";

constexpr const char* kUnroll = R"(// All iterations written out.
#define PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define UNROLL(n) PRAGMA(unroll)
#elif defined(__GNUC__)
#define UNROLL(n) PRAGMA(GCC unroll n)
#else
#define UNROLL(n)
#endif
)";

constexpr const char* kStream =
    R"(// Stores past the caches, where the compiler has them; else plain ones. Other threads see them after a fence.
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(place, value) __builtin_nontemporal_store((value), &(place))
#if defined(__SSE__)
#define STREAM_FENCE __builtin_ia32_sfence()
#endif
#endif
#endif
#ifndef STREAM
#define STREAM(place, value) ((place) = (value))
#endif
#ifndef STREAM_FENCE
#define STREAM_FENCE ((void)0)
#endif
)";

constexpr const char* kPrefetch = R"(// A cache line that will be read.
#ifdef __GNUC__
#define PREFETCH(place) __builtin_prefetch(&(place), 0, 3)
#else
#define PREFETCH(place) ((void)0)
#endif
)";

} // namespace

std::string guard_text() { return kGuards; }

std::string macro_text(const CMacros& macros) {
    std::string text;
    for (auto [used, definition] :
         {std::pair(macros.parallel, kParallel), std::pair(macros.simd, kSimd),
          std::pair(macros.unroll, kUnroll), std::pair(macros.stream, kStream),
          std::pair(macros.prefetch, kPrefetch)})
        if (used)
            text += std::string("\n") + definition;
    return text;
}

} // namespace loopscope::codegen
