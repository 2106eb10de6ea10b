#pragma once
// How the window itself looks around its panels: title lines, tabs, toolbar, status bar. Panels style themselves.

#include "views/style/theme.h"

#include <QString>

namespace loopscope::app {

QString chrome_style(const views::Theme& theme);

} // namespace loopscope::app
