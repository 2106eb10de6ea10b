#include "compiler/run/large_pages.h"

#include <cstdint>

#include <sys/mman.h>

namespace loopscope {

namespace {
constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
constexpr std::uintptr_t kMinPages = 2; // whole ones: less is not worth a call of the system
} // namespace

void prefer_large_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const auto first = (begin + kLargePage - 1) / kLargePage * kLargePage;
    const auto end = (begin + bytes) / kLargePage * kLargePage;
    if (end >= first + kMinPages * kLargePage)
        madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

} // namespace loopscope
