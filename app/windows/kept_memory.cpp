#include "app/windows/kept_memory.h"

#ifdef __linux__
#include <malloc.h>
#endif

namespace loopscope::app {

void keep_memory() {
#ifdef M_TRIM_THRESHOLD // of glibc
    constexpr int kMebibyte = 1 << 20;
    mallopt(M_TRIM_THRESHOLD, 512 * kMebibyte);
    mallopt(M_MMAP_THRESHOLD, 32 * kMebibyte); // the greatest that it takes
    mallopt(M_TOP_PAD, 16 * kMebibyte);
#endif
}

} // namespace loopscope::app
