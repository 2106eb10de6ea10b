#pragma once
// What checks found, by revision: it belongs to the schedule that was checked, and stays with it in
// the document.

#include <QObject>
#include <QString>

#include <cstdint>
#include <map>

namespace loopscope::session {

class Session;

struct CheckVerdict {
    bool right = false;
    QString machine; // where it ran: a device's name, or that of the interpreter
    QString text;    // what was compared, and how it came out
};

class CheckVerdicts : public QObject {
    Q_OBJECT
public:
    explicit CheckVerdicts(Session& session);

    // Null: that revision was not checked.
    const CheckVerdict* of(std::int64_t revision) const;
    const CheckVerdict* now() const;                       // of the present schedule
    void add(std::int64_t revision, CheckVerdict verdict); // the last one counts

signals:
    void changed();

private:
    void read();

    Session& session_;
    std::map<std::int64_t, CheckVerdict> verdicts_;
};

} // namespace loopscope::session
