#include "views/jobs/background.h"

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace loopscope::views {

void step_back() {
#ifdef __linux__
    constexpr int kNice = 19; // little more than a hundredth of a core that others want
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice); // of this thread alone
#endif
}

} // namespace loopscope::views
