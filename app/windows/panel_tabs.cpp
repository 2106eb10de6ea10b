#include "app/windows/panel_tabs.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QTabBar>

#include <algorithm>

namespace loopscope::app {

namespace {

constexpr auto kName = "panelName", kShortName = "panelShortName";

QString short_name(const QDockWidget& dock) { return dock.property(kShortName).toString(); }

// The title is what a tab shows; the View menu would follow it.
void set_title(QDockWidget& dock, const QString& title) {
    if (dock.windowTitle() == title)
        return;
    dock.setWindowTitle(title);
    dock.toggleViewAction()->setText(panel_name(dock));
}

} // namespace

void name_panel(QDockWidget& dock, const QString& name, const QString& short_name) {
    dock.setProperty(kName, name);
    dock.setProperty(kShortName, short_name);
    set_title(dock, name);
}

QString panel_name(const QDockWidget& dock) { return dock.property(kName).toString(); }

void PanelTabs::name_tabs() {
    for (auto* dock : docks_) {
        const auto others = window_.tabifiedDockWidgets(dock);
        const bool alone =
            dock->isFloating() ||
            std::all_of(others.begin(), others.end(), [](QDockWidget* d) { return d->isHidden(); });
        if (alone)
            set_title(*dock, panel_name(*dock));
    }
    for (auto* tabs : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        tabs->setAccessibleName(tr("Panels at this place"));
        tabs->setDrawBase(false); // the panel's frame is the line
        tabs->setElideMode(Qt::ElideNone);
        tabs->setUsesScrollButtons(true);
        tabs->installEventFilter(this); // once, however often it is asked for
        name_tabs_of(*tabs);
    }
}

void PanelTabs::name_tabs_of(QTabBar& tabs) {
    std::vector<std::pair<int, QDockWidget*>> shown;
    int needed = 0;
    for (int i = 0; i < tabs.count(); ++i)
        for (auto* dock : docks_)
            if (tabs.isTabVisible(i) && dock->windowTitle() == tabs.tabText(i)) {
                shown.emplace_back(i, dock);
                // What stands around a text is the style's, and the same for each.
                needed += tabs.tabRect(i).width() +
                          tabs.fontMetrics().horizontalAdvance(panel_name(*dock)) -
                          tabs.fontMetrics().horizontalAdvance(tabs.tabText(i));
            }
    const bool fits = needed <= tabs.width();
    for (auto [i, dock] : shown) {
        set_title(*dock, fits ? panel_name(*dock) : short_name(*dock));
        tabs.setTabToolTip(i, panel_name(*dock));
    }
}

bool PanelTabs::eventFilter(QObject* tabs, QEvent* event) {
    if (event->type() == QEvent::Resize)
        emit roomChanged();
    return QObject::eventFilter(tabs, event);
}

} // namespace loopscope::app
