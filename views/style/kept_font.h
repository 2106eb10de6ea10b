#pragma once
// A font of its own for a widget, such as small_font, for good. QWidget::setFont alone does not
// last: Qt remembers the font that a widget has when a style sheet first styles it, which may be
// before one is set, and puts that back whenever a sheet is set anew, the widget's own or the
// application's; and what was set once does not follow the application's font.

#include <QFont>

#include <optional>

class QWidget;

namespace loopscope::views {

// `font`: of fonts.h; asked again whenever Qt may have put another one in its place.
void keep_font(QWidget& widget, QFont (*font)());
// What the widget is to have by that; nothing: it goes with its parent.
std::optional<QFont> kept_font(const QWidget& widget);

} // namespace loopscope::views
