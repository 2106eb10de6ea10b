#pragma once
// Rows of texts as lines: for other tables (CSV by RFC 4180), and for the clipboard. What another
// table would take for a formula begins with an apostrophe.

#include <QString>
#include <QStringList>

namespace loopscope::views {

QString csv_line(QStringList cells); // with its end of line
// Parted by tabs; what would part cells or lines inside of one is a space.
QString tabbed_line(QStringList cells);

} // namespace loopscope::views
