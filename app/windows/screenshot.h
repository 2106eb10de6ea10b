#pragma once
// Renders the window, or one of its panels, to a picture once everything in it is of the present
// schedule.

#include <QString>

namespace loopscope::app {

class MainWindow;

struct PictureOptions {
    QString path;            // .png
    QString panel;           // brought to the front; empty: as the window opens
    bool only_panel = false; // the panel alone; the help is a window of its own, and always alone
};

// Returns the exit status: 0 written; 2 the picture cannot be written, or a panel or a schedule is
// not right; 4 the window did not settle within a minute.
int render_screenshot(MainWindow& window, const PictureOptions& options);

// Makes a schedule the baseline of the open pipeline, and another one the present schedule. Errors
// are those of opening. False: they were reported on the standard error.
bool compare_schedules(MainWindow& window, const QString& baseline, const QString& schedule);

} // namespace loopscope::app
