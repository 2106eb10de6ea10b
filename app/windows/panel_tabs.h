#pragma once
// The names of panels on their tabs. A group of tabs that has no room for the names has smaller
// type and, where that is not enough, short names, by which each is known as the same panel; the
// names are the tips. Where even those do not fit, as in large type, the tabs scroll. No name is
// cut.

#include <QObject>
#include <QString>

#include <vector>

class QDockWidget;
class QMainWindow;
class QTabBar;

namespace loopscope::app {

// Both names of a panel; the short one may be the same. Menus, title lines and the help know it by
// the first.
void name_panel(QDockWidget& dock, const QString& name, const QString& short_name);
QString panel_name(const QDockWidget& dock);
// Said behind the name, whichever is shown: "3", for how much there is; empty: nothing. True: it is
// another one than before.
bool set_panel_detail(QDockWidget& dock, const QString& detail);

class PanelTabs : public QObject {
    Q_OBJECT
public:
    PanelTabs(QMainWindow& window, const std::vector<QDockWidget*>& docks)
        : window_(window), docks_(docks) {}

    // Once a rearrangement is complete.
    void name_tabs();

signals:
    void roomChanged(); // of some tabs: they are to be named anew

protected:
    bool eventFilter(QObject* tabs, QEvent* event) override;

private:
    void name_tabs_of(QTabBar& tabs);

    QMainWindow& window_;
    const std::vector<QDockWidget*>& docks_;
};

} // namespace loopscope::app
