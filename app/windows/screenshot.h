#pragma once
// Renders the window to a picture once everything in it is of the present schedule.

#include <QString>

namespace loopscope::app {

class MainWindow;

// Returns the exit status: 0 written; 2 the picture cannot be written or the panel is unknown; 4 the window did not
// settle within a minute.
int render_screenshot(MainWindow& window, const QString& path, const QString& panel);

} // namespace loopscope::app
