#pragma once
// The bar below the menus: what is open, the device, and the commands that are used most.

#include <QToolBar>

class QLabel;

namespace loopscope::app {

struct Services;
struct ShownCommands;

class MainToolBar : public QToolBar {
    Q_OBJECT
public:
    MainToolBar(Services& services, const ShownCommands& commands, QWidget& window);

    void show_name(); // of the document, as much of it as there is room for, in the theme's colours

protected:
    bool event(QEvent* event) override;

private:
    void add_buttons(const ShownCommands& commands);

    Services& services_;
    QLabel* name_;
};

} // namespace loopscope::app
