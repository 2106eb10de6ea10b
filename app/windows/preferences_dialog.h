#pragma once
// Asks for what a person prefers; all of it holds at once.

namespace loopscope::app {

struct Services;

void show_preferences(Services& services);
// Offers to look at what the settings say and cannot be used, where there is any.
void tell_faults(Services& services);

} // namespace loopscope::app
