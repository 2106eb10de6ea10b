#include "app/windows/commands.h"

#include <QAction>
#include <QMenu>

namespace loopscope::app {

QAction* Commands::add(QMenu& menu, Command command) {
    auto* action = menu.addAction(command.text);
    action->setShortcuts(command.keys);
    action->setStatusTip(command.tip);
    action->setToolTip(command.tip);
    connect(action, &QAction::triggered, action, [run = std::move(command.run)] { run(); });
    if (command.available || command.describe)
        changing_.push_back({action, std::move(command.available), std::move(command.describe)});
    return action;
}

void Commands::refresh() {
    for (const auto& each : changing_) {
        if (each.available)
            each.action->setEnabled(each.available());
        if (each.describe)
            each.describe(*each.action);
    }
}

} // namespace loopscope::app
