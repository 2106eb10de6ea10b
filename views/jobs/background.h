#pragma once
// What nobody waits for at this moment.

namespace loopscope::views {

// From now on the calling thread takes what the others leave of the processor: on a machine of two
// cores it would otherwise take its share of what the window paints and estimates. Only under
// Linux: elsewhere nothing happens.
void step_back();

} // namespace loopscope::views
