#pragma once
// Judges a window by its widgets: texts that do not fit, widgets that leave their parent, siblings
// that overlap.

#include <QStringList>

class QWidget;

namespace loopscope::app::test {

// One line for each fault, naming the widget; empty: all is well.
QStringList faults_of(const QWidget& window);

} // namespace loopscope::app::test
