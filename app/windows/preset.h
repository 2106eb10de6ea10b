#pragma once
// What the panels are arranged for.

namespace loopscope::app {

// Teaching has large type and few panels, tuning the measurements in front.
enum class Preset { Explore, Teach, Tune };

} // namespace loopscope::app
