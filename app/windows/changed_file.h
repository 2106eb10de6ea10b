#pragma once
// The file of the open document's pipeline, watched: a text that another program writes there is
// offered, and becomes a step of the history where a person takes it.

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <optional>
#include <string>

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class Editing;
class NoticeBar;

class ChangedFile : public QObject {
    Q_OBJECT
public:
    ChangedFile(session::Session& session, Editing& editing, NoticeBar& notice);

private:
    void follow();
    void look();
    void offer(const std::string& text);
    void withdraw();
    QString sentence() const; // of the offer

    session::Session& session_;
    Editing& editing_;
    NoticeBar& notice_;
    QFileSystemWatcher watcher_;
    QTimer pause_;                         // editors write in several steps
    std::optional<std::uint64_t> opening_; // whose file it is
    std::string path_, seen_; // the file, and the text that it had when it was last looked at
};

} // namespace loopscope::app
