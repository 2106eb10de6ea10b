#pragma once
// What is written without anybody at the window, once everything in it is of the present schedule:
// a picture of it, or of one of its panels, and the report.

#include "app/session/opening.h"

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

// Writes the report of what is open (reports.h). Returns the exit status: 0 written; 2 it cannot be
// written; 4 the window did not settle within a minute.
int write_report(MainWindow& window, const QString& path);

// Makes a schedule the baseline of the open pipeline, and that of `options`, which the pipeline was
// opened with, the present schedule; both are for the device there. Errors are those of opening.
// False: they were reported on the standard error.
bool compare_schedules(MainWindow& window, const QString& baseline,
                       const session::OpenOptions& options);

} // namespace loopscope::app
