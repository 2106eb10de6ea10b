#pragma once
// Nothing stays behind on a machine that nobody speaks to any more.

namespace loopscope::agent {

// Ends this process (status 4) once its standard input has ended, or has said nothing for so long.
void end_without_heartbeat(double seconds);
// The system ends this process when the one that started it ends, however it does.
void end_with_parent();

} // namespace loopscope::agent
