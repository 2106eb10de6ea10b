#include "views/widgets/focus_line.h"

#include "views/style/theme.h"

#include <QEvent>
#include <QPainter>

namespace loopscope::views {

namespace {
constexpr int kThickness = 2;
}

FocusLine::FocusLine(QWidget* view) : QWidget(view) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    view->installEventFilter(this);
    setVisible(false);
}

void FocusLine::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), theme_of(*this).accent);
}

bool FocusLine::eventFilter(QObject* watched, QEvent* event) {
    const auto type = event->type();
    if (type == QEvent::FocusIn || type == QEvent::FocusOut || type == QEvent::Resize) {
        setGeometry(0, 0, parentWidget()->width(), kThickness);
        if (type != QEvent::Resize)
            setVisible(type == QEvent::FocusIn);
        raise();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace loopscope::views
