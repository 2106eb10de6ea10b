#pragma once
// The line along the upper rim of a view that has the keyboard, where nothing in the view itself
// would show it.

#include <QWidget>

namespace loopscope::views {

class FocusLine : public QWidget {
    Q_OBJECT
public:
    explicit FocusLine(QWidget* view); // lies over it

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace loopscope::views
