#pragma once
// What the Run menu asks of the worker, and why it cannot be asked now.

#include <QObject>
#include <QString>

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class Editing;

class Runs : public QObject {
    Q_OBJECT
public:
    Runs(session::Session& session, Editing& editing) : session_(session), editing_(editing) {}

    void measure();
    void check();
    void cancel();
    void probe_host();
    bool can_measure() const;
    bool can_check() const;
    // A machine that is only described can be estimated for, and nothing more. Empty: it is this
    // one.
    QString why_only_described() const;
    QString measure_tip() const;

private:
    session::Session& session_;
    Editing& editing_;
};

} // namespace loopscope::app
