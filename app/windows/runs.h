#pragma once
// What the Run menu asks of the worker, and why it cannot be asked now.

#include <QObject>
#include <QString>

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class Editing;
class PersonSettings;
class Preferences;

class Runs : public QObject {
    Q_OBJECT
public:
    Runs(session::Session& session, Editing& editing, const PersonSettings& settings,
         const Preferences& preferences);

    void measure(); // for as long as the person prefers
    void check();
    void check_in_interpreter();
    void cancel();
    void probe_host();
    void probe_gpu();
    bool can_probe_gpu() const;
    bool can_empty_cache() const; // of the present device: not through OpenCL
    void set_cold(bool cold);     // WorkerTasks::cold, as the person's setting
    bool can_measure() const;
    bool can_check() const;
    bool can_check_in_interpreter() const;
    // A machine that is only described can be estimated for, and nothing more. Empty: it is this
    // one.
    QString why_only_described() const;
    QString measure_tip() const;

private:
    bool on_gpu() const; // the present device is one that programs run on

    session::Session& session_;
    Editing& editing_;
    const PersonSettings& settings_;
    const Preferences& preferences_;
};

} // namespace loopscope::app
