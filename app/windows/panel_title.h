#pragma once
// The line above a panel: its name, and a button that closes it. Dragging it moves the panel, a
// double click floats it.

#include <QWidget>

class QDockWidget;

namespace loopscope::app {

class PanelTitle : public QWidget {
    Q_OBJECT
public:
    explicit PanelTitle(QDockWidget* dock);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace loopscope::app
