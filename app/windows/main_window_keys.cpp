// Whom Space and Escape belong to.

#include "app/windows/main_window.h"

#include "app/windows/comparison_window.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/start_page.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>

namespace loopscope::app {

// Space measures and Escape cancels from everywhere, except where the widget at hand needs the key itself: a field that is
// written in, and a button that was reached by Tab. One that was clicked keeps the focus, but nobody means it any more.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    const auto type = event->type();
    if (type == QEvent::MouseButtonPress)
        tabbed_ = false;
    if (type != QEvent::ShortcutOverride && type != QEvent::KeyPress)
        return QMainWindow::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (type == QEvent::KeyPress && (key->key() == Qt::Key_Tab || key->key() == Qt::Key_Backtab))
        tabbed_ = true;
    const auto* widget = qobject_cast<const QWidget*>(watched);
    const bool dialog = QApplication::activeModalWidget() || QApplication::activePopupWidget() ||
                        (comparison_ && widget && widget->window() == comparison_);
    const bool button =
        qobject_cast<QAbstractButton*>(watched) || qobject_cast<QComboBox*>(watched);
    const bool presses = button && (tabbed_ || dialog || !session_->is_open());
    const bool writes = qobject_cast<QLineEdit*>(watched);
    if (key->modifiers() == Qt::NoModifier && type == QEvent::ShortcutOverride &&
        ((key->key() == Qt::Key_Space && (presses || writes)) ||
         (key->key() == Qt::Key_Escape && writes))) {
        event->accept();
        return true;
    }
    // While nothing can be measured the key comes this far: it must not press what was clicked before.
    if (type == QEvent::KeyPress && key->key() == Qt::Key_Space && button && !presses)
        return true;
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::focus_tree() {
    if (session_->is_open())
        tree_->setFocus();
    else
        start_->setFocus();
}

} // namespace loopscope::app
