#pragma once
// What a check found, in a sentence.

#include "app/session/check_verdicts.h"

namespace loopscope::app {

QString verdict_text(const session::CheckVerdict& verdict);

} // namespace loopscope::app
