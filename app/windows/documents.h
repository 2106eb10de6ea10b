#pragma once
// Opening, saving and closing documents, and what is left of those that were never saved.

#include "app/session/session.h"
#include "app/windows/person_settings.h"

#include <QObject>
#include <QString>
#include <QStringList>

class QMimeData;
class QWidget;

namespace loopscope::views {
class StartPage;
}

namespace loopscope::app {

class Editing;
class FileDialogs;
class Messages;
class NoticeBar;
class RecentFiles;

class Documents : public QObject {
    Q_OBJECT
public:
    Documents(session::Session& session, Editing& editing, FileDialogs& files,
              const RecentFiles& recent, const Messages& messages, NoticeBar& notice,
              const PersonSettings& settings, QWidget& window);

    // Failures are reported in the window. True: it is open. Names are bytes: those that Qt has no
    // text for come from the command line alone.
    bool open(const std::string& path, const session::OpenOptions& options = {});
    bool open(const QString& path, const session::OpenOptions& options = {});
    void open_dialog();
    // A pipeline and its schedule may come together, and arrays for its inputs with them or later.
    void open_dropped(const QMimeData& files);
    void save(); // a document that has a name saves itself
    void save_as();
    void hand_on(); // a copy for somebody else
    void save_schedule();
    void save_pipeline();
    void close();
    // Asks where the document's file did not take the last of the work. False: the person wants to
    // keep it open.
    bool may_let_go();

    void fill(views::StartPage& page) const;
    // After a crash: the newest document that its session did not close.
    void offer_recovery();

signals:
    void closing(); // the document is still there

private:
    void offer_arrays(const QStringList& paths);
    void say_where_kept(); // of a document without a name that is about to be closed

    session::Session& session_;
    Editing& editing_;
    FileDialogs& files_;
    const RecentFiles& recent_;
    const Messages& messages_;
    NoticeBar& notice_;
    const PersonSettings& settings_;
    QWidget& window_;
    std::string offered_; // the document that the notice offers to recover; empty: none
    QString offer_;       // as it says that
};

} // namespace loopscope::app
