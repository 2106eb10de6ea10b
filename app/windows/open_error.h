#pragma once
// A file that cannot be opened: what is wrong, and where.

#include <QString>

class QWidget;

namespace loopscope::app {

// Control characters as "\x1b", tabs and line breaks as they are: a file that is no text must not
// spoil the message.
QString printable(const QString& text);
// The message, with quoted lines in a fixed-width font, so that marks stand below what they mark.
// Waits for an answer.
void show_open_error(QWidget& parent, const QString& path, const QString& text);

} // namespace loopscope::app
