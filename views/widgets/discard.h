#pragma once
// Takes a widget out of its layout for good. It may be the one whose signal is being handled, so it
// is deleted later.

#include <QLayout>
#include <QWidget>

namespace loopscope::views {

inline void discard(QLayout& layout, QWidget* widget) {
    layout.removeWidget(widget);
    widget->hide();
    widget->deleteLater();
}

} // namespace loopscope::views
