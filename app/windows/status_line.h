#pragma once
// The status bar: is the schedule legal, and what does the worker do, for how long already, and for
// how long by the estimate.

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

class QAction;
class QLabel;
class QProgressBar;
class QStatusBar;
class QToolButton;

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class StatusLine : public QObject {
    Q_OBJECT
public:
    // `cancel`: what its button triggers.
    StatusLine(QStatusBar& bar, const session::Session& session, QAction& cancel);

private:
    void make(QAction& cancel);
    void show_legality();
    void show_work();
    void show_rest(); // where the worker has nothing to do
    void show_progress(const QString& text, double fraction);
    void show_elapsed();

    QStatusBar& bar_;
    const session::Session& session_;
    QLabel *legality_, *worker_;
    QProgressBar* progress_;
    QToolButton* cancel_;
    QTimer tick_; // while the worker is busy
    QElapsedTimer busy_since_;
    QString phase_; // of the worker's task
};

} // namespace loopscope::app
