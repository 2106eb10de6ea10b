#pragma once
// Why running a loop in parallel is estimated to change nothing.

#include "app/session/edits.h"

#include <QString>

namespace loopscope::session {

// Empty: the line does not make a loop parallel, or the time does change. Else a clause that may follow "time unchanged".
QString why_parallel_changes_nothing(const QString& line, const Forecast& forecast,
                                     const device::Device& device);

} // namespace loopscope::session
