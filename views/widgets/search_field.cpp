#include "views/widgets/search_field.h"

#include "views/style/theme.h"

#include <QKeyEvent>
#include <QPainter>

namespace loopscope::views {

SearchField::SearchField(QWidget* view) : QLineEdit(view) {
    setPlaceholderText(tr("Find"));
    setAccessibleName(tr("Find"));
    setToolTip(tr("Enter goes to the next match, Shift+Enter to the one before, Escape closes."));
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
    const int wanted = qMax(200, 26 * fontMetrics().averageCharWidth());
    const int width = qMin(wanted, area.width() - 2 * kGap);
    setGeometry(area.right() - width - kGap, area.top() + kGap, width, sizeHint().height());
}

void SearchField::say_found(bool found) {
    missing_ = !found && !text().isEmpty();
    const QString said = missing_ ? tr("nothing found") : QString();
    if (said == accessibleDescription())
        return;
    setAccessibleDescription(said); // screen readers are told
    setTextMargins(0, 0, missing_ ? fontMetrics().horizontalAdvance(said) + kGap : 0, 0);
    update();
}

void SearchField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (!missing_)
        return;
    QPainter painter(this);
    painter.setPen(theme_of(*this).error);
    painter.drawText(rect().adjusted(0, 0, -kGap, 0), Qt::AlignRight | Qt::AlignVCenter,
                     accessibleDescription());
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
