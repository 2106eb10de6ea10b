#include "app/windows/key_owners.h"

#include "app/session/session.h"
#include "app/windows/comparison_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>

namespace loopscope::app {

namespace {

// Does a widget stand in a window that has the keyboard for itself?
bool in_dialog(const QObject* watched) {
    const auto* widget = qobject_cast<const QWidget*>(watched);
    return QApplication::activeModalWidget() || QApplication::activePopupWidget() ||
           (widget && qobject_cast<const ComparisonWindow*>(widget->window()));
}

} // namespace

KeyOwners::KeyOwners(const session::Session& session) : session_(session) {
    qApp->installEventFilter(this);
}

bool KeyOwners::eventFilter(QObject* watched, QEvent* event) {
    const auto type = event->type();
    if (type == QEvent::MouseButtonPress)
        tabbed_ = false;
    if (type != QEvent::ShortcutOverride && type != QEvent::KeyPress)
        return QObject::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (type == QEvent::KeyPress && (key->key() == Qt::Key_Tab || key->key() == Qt::Key_Backtab))
        tabbed_ = true;
    const bool button =
        qobject_cast<QAbstractButton*>(watched) || qobject_cast<QComboBox*>(watched);
    const bool presses = button && (tabbed_ || in_dialog(watched) || !session_.is_open());
    const bool writes = qobject_cast<QLineEdit*>(watched);
    if (key->modifiers() == Qt::NoModifier && type == QEvent::ShortcutOverride &&
        ((key->key() == Qt::Key_Space && (presses || writes)) ||
         (key->key() == Qt::Key_Escape && writes))) {
        event->accept();
        return true;
    }
    // While nothing can be measured the key comes this far: it must not press what was clicked
    // before.
    if (type == QEvent::KeyPress && key->key() == Qt::Key_Space && button && !presses)
        return true;
    return QObject::eventFilter(watched, event);
}

} // namespace loopscope::app
