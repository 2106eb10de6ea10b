#pragma once
// Private storage that cooperative work reads: all threads of the block work, so each of them must
// have it.
//
//     s6.y0 3 thread.x                  a block of 4 threads
//       s4 storage local                the memory of 3 of them
//       s5 storage shared
//         s5 pure                       all 4 compute it, from s4

#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/runnable.h"

#include <vector>

namespace loopscope {

std::vector<NotRunnable> memory_that_threads_lack(const ScheduleTree& tree, const Mapping& mapping);

} // namespace loopscope
