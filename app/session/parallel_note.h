#pragma once
// Why running a loop in parallel is estimated to gain nothing.

#include "app/session/edits.h"

#include <QString>

namespace loopscope::session {

// Empty: the line does not make a loop parallel, or the time does get less by more than some per
// cent. Else a clause that may follow "time unchanged", or what little the time changes by.
QString why_parallel_gains_nothing(const QString& line, const Forecast& forecast,
                                   const device::Device& device);

} // namespace loopscope::session
