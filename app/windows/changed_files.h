#pragma once
// The files that the open document came from, or went to, watched: the pipeline, the schedule that
// was opened or written last, the device's description where it is a person's own, and the document
// itself. What another program makes of one is offered, and taken where a person says so.

#include "app/windows/watched_file.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class Editing;
class NoticeBar;

class ChangedFiles : public QObject {
    Q_OBJECT
public:
    ChangedFiles(session::Session& session, Editing& editing, NoticeBar& notice);

private:
    struct Offer {
        QString sentence, button;
        std::function<void()> take;
    };

    void follow();
    void follow_device();
    void follow_document();
    void pipeline_changed(const std::string& text);
    void script_changed(const std::string& text);
    void device_changed();
    void look_at_document();
    void take_pipeline(const std::string& text);
    void take_script(const std::string& text);
    void take_device();
    void offer(WatchedFile& file, const QString& button, std::function<void()> take);
    void withdraw(WatchedFile& file);
    void show_offer(); // the first that nobody has answered
    void release();

    session::Session& session_;
    Editing& editing_;
    NoticeBar& notice_;
    WatchedFile pipeline_, script_, device_;
    QFileSystemWatcher document_;          // and its folder
    QTimer pause_;                         // an edit writes the document in several steps
    bool moved_ = false;                   // it is said of the document already
    std::optional<std::uint64_t> opening_; // whose files they are
    std::map<WatchedFile*, Offer> offers_; // that wait for an answer
};

} // namespace loopscope::app
