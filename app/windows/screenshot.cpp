#include "app/windows/screenshot.h"

#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/main_window.h"
#include "app/windows/panels.h"
#include "app/windows/reports.h"
#include "views/models/snapshots.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPixmap>
#include <QThread>

#include <cstdio>
#include <optional>

namespace loopscope::app {

namespace {

constexpr int kMaxWait = 60000; // milliseconds

int bad(const QString& text) {
    std::fprintf(stderr, "error: %s\n", text.toUtf8().constData());
    return 2;
}

int busy() {
    std::fprintf(stderr, "error: the window is still busy after a minute\n");
    return 4;
}

// Settled several times in a row: a finished layout may have asked for one more repaint.
bool settle(MainWindow& window) {
    QElapsedTimer clock;
    clock.start();
    for (int quiet = 0; quiet < 3;) {
        QApplication::processEvents(QEventLoop::AllEvents, 50);
        quiet = window.settled() && !window.session().tasks().busy() ? quiet + 1 : 0;
        if (clock.elapsed() > kMaxWait)
            return false;
        QThread::msleep(10);
    }
    return true;
}

} // namespace

bool compare_schedules(MainWindow& window, const QString& baseline,
                       const session::OpenOptions& options) {
    const session::OpenOptions on{.schedule_file = {},
                                  .params = {},
                                  .device = options.device,
                                  .on_a_copy = options.on_a_copy};
    if (!window.open_path(baseline, on) || !settle(window))
        return false;
    window.session().baseline().pin();
    const auto schedule = QString::fromStdString(options.schedule_file);
    return schedule.isEmpty() || window.open_path(schedule, on);
}

int write_report(MainWindow& window, const QString& path) {
    window.show();
    std::optional<Status> done;
    window.reports().write(path, [&done](const Status& status) { done = status; });
    QElapsedTimer clock;
    clock.start();
    while (!done && clock.elapsed() < kMaxWait)
        QApplication::processEvents(QEventLoop::AllEvents, 50);
    const int status = !done   ? busy()
                       : *done ? 0
                               : bad(views::to_qstring(done->errors().front().message));
    window.close();
    return status;
}

int render_screenshot(MainWindow& window, const PictureOptions& options) {
    auto size = window.size();
    window.show();
    window.resize(size);
    QApplication::processEvents(); // panels take their places
    if (!options.panel.isEmpty() && !window.show_panel(options.panel))
        return bad(options.panel == "start" ? QString("the start page is shown without a file")
                   : window.session().is_open()
                       ? "there is no panel " + options.panel + "; the panels are " +
                             panel_names().join(", ")
                       : "the panel " + options.panel + " needs an open pipeline");
    if (!settle(window))
        return busy();
    QWidget* shown = &window;
    if (options.only_panel || options.panel == "help")
        shown = window.panel_widget(options.panel);
    if (!shown)
        return bad("--only-panel needs --panel NAME");
    shown->grab(); // some things are known once it is painted: how far a text can be scrolled
    if (!settle(window))
        return busy();
    QDir().mkpath(QFileInfo(options.path).absolutePath());
    if (!shown->grab().save(options.path))
        return bad("cannot write " + options.path);
    window.close();
    return 0;
}

} // namespace loopscope::app
