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

void SearchField::place(const QRect& area, const HiddenBy& hidden) {
    const int wanted = qMax(200, 26 * fontMetrics().averageCharWidth());
    const int width = qMin(wanted, area.width() - 2 * kGap);
    const QRect above(area.right() - width - kGap, area.top() + kGap, width, sizeHint().height());
    QRect below = above;
    below.moveTop(qMax(above.top(), area.bottom() - kGap - above.height() + 1));
    if (isHidden()) // it opens where it always does
        below_ = false;
    if (hidden)
        below_ = below_ ? hidden(below) <= hidden(above) : hidden(below) < hidden(above);
    setGeometry(below_ ? below : above);
}

void SearchField::say_found(bool found) {
    const bool missing = !found && !text().isEmpty();
    say(missing ? tr("nothing found") : QString(), missing);
}

void SearchField::say_match(std::size_t at, std::size_t count) {
    if (count == 0 || text().isEmpty())
        return say_found(false);
    say(tr("%1 of %2").arg(at).arg(count), false);
}

void SearchField::say(const QString& text, bool missing) {
    if (text == accessibleDescription() && missing == missing_)
        return;
    missing_ = missing;
    setAccessibleDescription(text); // screen readers are told
    setTextMargins(0, 0, text.isEmpty() ? 0 : fontMetrics().horizontalAdvance(text) + kGap, 0);
    update();
}

void SearchField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (accessibleDescription().isEmpty())
        return;
    QPainter painter(this);
    painter.setPen(missing_ ? theme_of(*this).error : theme_of(*this).faint);
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
