#include "app/windows/panel_docks.h"

#include "app/windows/panel.h"
#include "app/windows/panel_title.h"

#include <QAction>
#include <QDockWidget>
#include <QFrame>
#include <QMainWindow>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::app {

Qt::DockWidgetArea dock_area(PanelPlace::Area area) {
    switch (area) {
    case PanelPlace::Left: return Qt::LeftDockWidgetArea;
    case PanelPlace::Right: return Qt::RightDockWidgetArea;
    case PanelPlace::Centre: // has no docks
    case PanelPlace::Below: break;
    }
    return Qt::BottomDockWidgetArea;
}

PanelDocks::PanelDocks(QMainWindow& window) : window_(window), tabs_(window, docks_) {
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, [this] {
        show_titles();
        emit rearranged();
    });
    connect(&tabs_, &PanelTabs::roomChanged, this, &PanelDocks::follow);
}

void PanelDocks::add(Panel& panel) {
    auto* dock = new QDockWidget(&window_);
    dock->setObjectName(panel.kind().id);
    name_panel(*dock, panel.title(), panel.short_title());
    auto* frame = new QFrame(dock);
    frame->setObjectName(QStringLiteral("panel"));
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(1, 1, 1, 1);
    column->addWidget(panel.view());
    dock->setWidget(frame);
    dock->setTitleBarWidget(new PanelTitle(dock));
    window_.addDockWidget(dock_area(panel.kind().place.area), dock);
    docks_.push_back(dock);
    all_.push_back({&panel, dock});
    for (auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
        connect(dock, signal, this, &PanelDocks::follow);
    connect(dock, &QDockWidget::dockLocationChanged, this, &PanelDocks::follow);
    connect(dock, &QDockWidget::visibilityChanged, &panel, &Panel::set_visible);
    connect(&panel, &Panel::detailChanged, this, [this, dock](const QString& detail) {
        if (set_panel_detail(*dock, detail))
            follow(); // its tab may have no room for it
    });
}

QDockWidget* PanelDocks::find(const QString& id) const {
    const auto found = std::find_if(docks_.begin(), docks_.end(),
                                    [&](const auto* dock) { return dock->objectName() == id; });
    return found == docks_.end() ? nullptr : *found;
}

void PanelDocks::hide_all() {
    for (auto* dock : docks_)
        dock->hide();
}

// A panel in a group of tabs has its name on the tab: a title line would say it twice.
void PanelDocks::show_titles() {
    tabs_.name_tabs();
    for (auto* each : docks_) {
        const auto others = window_.tabifiedDockWidgets(each);
        const bool tabbed =
            !each->isFloating() && std::any_of(others.begin(), others.end(),
                                               [](QDockWidget* d) { return !d->isHidden(); });
        const bool titled = qobject_cast<PanelTitle*>(each->titleBarWidget());
        if (titled != tabbed && each->titleBarWidget())
            continue;
        auto* before = each->titleBarWidget();
        each->setTitleBarWidget(tabbed ? new QWidget(each) : new PanelTitle(each));
        if (before)
            before->deleteLater();
    }
}

} // namespace loopscope::app
