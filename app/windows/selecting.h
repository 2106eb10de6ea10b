#pragma once
// Several nodes selected by what they are called, or because they are like one.

namespace loopscope::app {

struct Services;

void select_by_name(Services& services); // asks for a pattern
void select_alike(Services& services);   // all like the one that is selected

} // namespace loopscope::app
