#pragma once
// Export: what the schedule compiles to, and the schedule itself, as files.

namespace loopscope::app {

struct Services;

void show_export_dialog(Services& services);

} // namespace loopscope::app
