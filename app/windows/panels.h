#pragma once
// All panels of the window.

#include "app/windows/panel.h"

#include <QStringList>

#include <vector>

namespace loopscope::app {

const std::vector<PanelKind>& panel_kinds(); // in the order of the View menu
// What --panel may name: the panels, and the help and the start page.
QStringList panel_names();

} // namespace loopscope::app
