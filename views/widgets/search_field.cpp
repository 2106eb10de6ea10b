#include "views/widgets/search_field.h"

#include "views/style/theme.h"

#include <QKeyEvent>

namespace loopscope::views {

SearchField::SearchField(QWidget* view) : QLineEdit(view) {
    setPlaceholderText(tr("Find"));
    setAccessibleName(tr("Find"));
    setToolTip(tr("Enter goes to the next match, Escape closes."));
    setClearButtonEnabled(false);
    hide();
}

void SearchField::open() {
    show();
    raise();
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

void SearchField::place(const QRect& area) {
    const int width = qMin(200, area.width() - 2 * kGap);
    setGeometry(area.right() - width - kGap, area.top() + kGap, width, sizeHint().height());
}

void SearchField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        clear();
        hide();
        if (parentWidget())
            parentWidget()->setFocus();
    } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        emit nextRequested(!(event->modifiers() & Qt::ShiftModifier));
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

void SearchField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (text().isEmpty())
        hide();
}

} // namespace loopscope::views
