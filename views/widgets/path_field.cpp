#include "views/widgets/path_field.h"

#include <QEvent>
#include <QFocusEvent>
#include <QStyle>
#include <QStyleOptionFrame>

#include <algorithm>

namespace loopscope::views {

namespace {
constexpr int kAroundText = 3; // pixels that QLineEdit keeps free at each side, and one more
}

PathField::PathField(const QString& path, QWidget* parent) : QLineEdit(parent), path_(path) {
    setReadOnly(true);
    setToolTip(path);
    setAccessibleDescription(path);
    show_path(false);
}

void PathField::show_path(bool whole) {
    QStyleOptionFrame option;
    initStyleOption(&option);
    const int room = style()->subElementRect(QStyle::SE_LineEditContents, &option, this).width() -
                     2 * kAroundText;
    const auto shown =
        whole ? path_ : fontMetrics().elidedText(path_, Qt::ElideLeft, std::max(room, 0));
    if (shown == text())
        return;
    setText(shown);
    setCursorPosition(static_cast<int>(shown.size()));
}

void PathField::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    show_path(hasFocus());
}

void PathField::changeEvent(QEvent* event) {
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        show_path(hasFocus());
}

void PathField::focusInEvent(QFocusEvent* event) {
    show_path(true);
    QLineEdit::focusInEvent(event);
}

// Its own menu takes the keyboard, to copy what is selected.
void PathField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason)
        show_path(false);
}

} // namespace loopscope::views
