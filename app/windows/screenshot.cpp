#include "app/windows/screenshot.h"

#include "app/windows/main_window.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPixmap>
#include <QThread>

#include <cstdio>

namespace loopscope::app {

int render_screenshot(MainWindow& window, const QString& path, const QString& panel) {
    auto size = window.size();
    window.show();
    window.resize(size);
    QApplication::processEvents(); // panels take their places
    if (!panel.isEmpty() && !window.show_panel(panel)) {
        std::fprintf(stderr, "error: there is no panel %s\n", panel.toUtf8().constData());
        return 2;
    }
    QElapsedTimer clock;
    clock.start();
    // Settled twice in a row: a finished layout may have asked for one more repaint.
    for (int quiet = 0; quiet < 3;) {
        QApplication::processEvents(QEventLoop::AllEvents, 50);
        quiet = window.settled() && !window.session().busy() ? quiet + 1 : 0;
        if (clock.elapsed() > 60000) {
            std::fprintf(stderr, "error: the window is still busy after a minute\n");
            return 4;
        }
        QThread::msleep(10);
    }
    QDir().mkpath(QFileInfo(path).absolutePath());
    if (!window.grab().save(path)) {
        std::fprintf(stderr, "error: cannot write %s\n", path.toUtf8().constData());
        return 2;
    }
    window.close();
    return 0;
}

} // namespace loopscope::app
