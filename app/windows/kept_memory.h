#pragma once

namespace loopscope::app {

// Before the first window: memory that is let go stays the process's. Each edit makes trees and
// estimates of all stages anew, in several threads; given back to the system in between, their
// memory comes back page by page, and all threads wait for one another while it does.
void keep_memory();

} // namespace loopscope::app
