#pragma once
// What an edit would do, in a line of text beside the choice.

#include "app/session/edits.h"
#include "views/models/snapshots.h"

namespace loopscope::app {

views::Preview preview_of(const QString& line, const session::Forecast& forecast,
                          const device::Device& device);

} // namespace loopscope::app
