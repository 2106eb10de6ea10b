#pragma once
// Searching: commands, things of the program, the panel that has the keyboard; and the help about
// what has it.

#include <QCoreApplication>
#include <QList>

#include <vector>

class QMenu;
class QMenuBar;
class QWidget;

namespace loopscope::app {

class Panel;
class PanelDocks;
struct Services;

class Finder {
    Q_DECLARE_TR_FUNCTIONS(loopscope::app::Finder)
public:
    // `panels`: all, as they stand from left to right; `menus`: whose commands are found.
    Finder(QWidget& window, const QMenuBar& menus, Services& services, const PanelDocks& docks,
           std::vector<Panel*> panels);

    void show_commands();
    void find_anything(); // stages, loops, panels, then commands
    void find_in_panel();
    void show_help();

private:
    Panel* focused() const; // that has the keyboard; where none has it, the one in the centre
    QList<QMenu*> all_menus() const;

    QWidget& window_;
    const QMenuBar& menus_;
    Services& services_;
    const PanelDocks& docks_;
    std::vector<Panel*> panels_;
};

} // namespace loopscope::app
