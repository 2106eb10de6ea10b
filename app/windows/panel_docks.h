#pragma once
// The docks of the panels: their frames, title lines and tabs.

#include "app/windows/panel.h"
#include "app/windows/panel_tabs.h"

#include <QObject>
#include <QTimer>

#include <vector>

class QDockWidget;
class QMainWindow;

namespace loopscope::app {

Qt::DockWidgetArea dock_area(PanelPlace::Area area);

struct PlacedPanel {
    Panel* panel;
    QDockWidget* dock;
};

class PanelDocks : public QObject {
    Q_OBJECT
public:
    explicit PanelDocks(QMainWindow& window);

    void add(Panel& panel);
    const std::vector<PlacedPanel>& all() const {
        return all_;
    } // in the order in which they were added
    QDockWidget* find(const QString& id) const; // null: there is none

    void hide_all();
    // Title lines follow once a rearrangement is complete; `rearranged` says when.
    void follow() { later_.start(0); }
    bool settled() const { return !later_.isActive(); }

signals:
    void rearranged();

private:
    void show_titles();

    QMainWindow& window_;
    std::vector<PlacedPanel> all_;
    std::vector<QDockWidget*> docks_;
    PanelTabs tabs_;
    QTimer later_;
};

} // namespace loopscope::app
