#pragma once
// The menu bar. Every command is in a menu, with its key.

#include "app/windows/preset.h"

#include <functional>
#include <vector>

class QAction;
class QMainWindow;

namespace loopscope::app {

class Finder;
class Panel;
class PanelDocks;
class PanelLayout;
class Reports;
struct Services;

// What the menus speak of.
struct MenuSubjects {
    QMainWindow& window;
    Services& services;
    PanelDocks& docks;
    PanelLayout& layout;
    Finder& finder;
    Reports& reports;
    std::vector<Panel*> panels; // as they stand, from left to right
    std::function<void(Preset)> set_preset;
};

// Commands that are shown elsewhere, too.
struct ShownCommands {
    QAction *undo, *redo, *pin, *check, *measure, *cancel;
};

ShownCommands make_menus(const MenuSubjects& subjects);

} // namespace loopscope::app
