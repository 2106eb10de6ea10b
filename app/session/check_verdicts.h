#pragma once
// What checks found, by revision: it belongs to the script that was checked, on the device that it
// was checked for, and stays with them in the document.

#include <QObject>
#include <QString>

#include <cstdint>
#include <map>
#include <string>

namespace loopscope::session {

class Session;

struct CheckVerdict {
    bool right = false;
    bool interpreted = false; // its kernels, at sizes that an interpreter can do
    QString machine;          // where it ran
    QString text;             // what was compared, and how it came out
    QString at;               // the sizes, "M = 131, N = 131"; empty: not known, or there are none
    std::string script;       // its hash: a revision may come to have another one
    std::string device;       // the session's: `native` means something else on another
};

class CheckVerdicts : public QObject {
    Q_OBJECT
public:
    explicit CheckVerdicts(Session& session);

    // Null: that revision, as it stands, was not checked.
    const CheckVerdict* of(std::int64_t revision) const;
    const CheckVerdict* now() const; // of the present schedule on the present device
    // The last one of a script counts; but an interpreter's "right", at other sizes, takes nothing
    // away from what the compiled program got wrong.
    void add(std::int64_t revision, CheckVerdict verdict);
    static std::string hash_of_script(const std::string& script);

signals:
    void changed();

private:
    void opened();

    Session& session_;
    std::uint64_t opening_ = 0; // of which document the verdicts are
    std::map<std::int64_t, CheckVerdict> verdicts_;
};

} // namespace loopscope::session
