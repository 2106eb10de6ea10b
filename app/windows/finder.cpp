#include "app/windows/finder.h"

#include "app/windows/command_palette.h"
#include "app/windows/panel.h"
#include "app/windows/panel_docks.h"
#include "app/windows/services.h"

#include "views/widgets/list_finding.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QHeaderView>
#include <QMenuBar>

#include <algorithm>

namespace loopscope::app {

Finder::Finder(QWidget& window, const QMenuBar& menus, Services& services, const PanelDocks& docks,
               std::vector<Panel*> panels)
    : window_(window),
      menus_(menus),
      services_(services),
      docks_(docks),
      panels_(std::move(panels)) {}

QList<QMenu*> Finder::all_menus() const {
    QList<QMenu*> menus;
    for (auto* action : menus_.actions())
        menus << action->menu();
    return menus;
}

void Finder::show_commands() {
    auto* palette =
        new CommandPalette(tr("Commands"), tr("What to do: some of its words"), &window_);
    palette->add_actions(all_menus());
    palette->open();
}

// Things first, then what can be done with the one that is selected.
void Finder::find_anything() {
    auto* palette = new CommandPalette(
        tr("Find"), tr("A stage, a loop, a directive or a panel: some of its name"), &window_);
    if (services_.session.is_open()) {
        for (const auto* panel : panels_)
            panel->add_entries(*palette);
        for (const auto& each : docks_.all())
            palette->add_entry(
                tr("panel › %1").arg(each.panel->title()), {}, tr("Brings the panel to the front"),
                [this, id = each.dock->objectName()] { services_.parts.show_panel(id); });
    }
    palette->add_actions(all_menus());
    palette->open();
}

Panel* Finder::focused() const {
    const auto* focus = QApplication::focusWidget();
    for (const auto& each : docks_.all())
        if (focus && each.dock->isAncestorOf(focus))
            return each.panel;
    const auto centre = std::find_if(panels_.begin(), panels_.end(), [](const Panel* panel) {
        return panel->kind().place.area == PanelPlace::Centre;
    });
    return *centre;
}

namespace {

// The list of a panel that has the keyboard, or else the first one that can be seen.
QAbstractItemView* list_in(QWidget& view) {
    if (auto* list = qobject_cast<QAbstractItemView*>(&view))
        return list;
    QAbstractItemView* found = nullptr;
    for (auto* list : view.findChildren<QAbstractItemView*>()) {
        if (qobject_cast<QHeaderView*>(list) || !list->isVisible())
            continue;
        if (list->hasFocus())
            return list;
        if (!found)
            found = list;
    }
    return found;
}

} // namespace

void Finder::find_in_panel() {
    if (!services_.session.is_open()) // the start page's field
        return services_.parts.take_keyboard();
    auto* at_hand = focused();
    if (at_hand->start_search())
        return;
    if (auto* list = list_in(*at_hand->view()))
        return views::ListFinding::start(*list);
    for (auto* panel : panels_)
        if (panel->kind().place.area == PanelPlace::Centre)
            panel->start_search();
}

// A panel leads to its section, the start page to the tutorial.
void Finder::show_help() {
    const auto* panel = focused();
    const bool start =
        panel->kind().place.area == PanelPlace::Centre && !panel->view()->isVisible();
    services_.help.show(start ? HelpPlace{QStringLiteral("tutorial"), {}} : panel->help());
}

} // namespace loopscope::app
