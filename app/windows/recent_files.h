#pragma once
// What was opened lately: files, and documents that were never saved under a name. The menu and the
// start page list both.

#include "app/document/document.h"
#include "app/windows/person_settings.h"

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QMenu;

namespace loopscope::session {
class Session;
}
namespace loopscope::views {
class StartPage;
}

namespace loopscope::app {

class RecentFiles {
    Q_DECLARE_TR_FUNCTIONS(loopscope::app::RecentFiles)
public:
    RecentFiles(const session::Session& session, const PersonSettings& settings)
        : session_(session), settings_(settings) {}

    void remember(const QString& path) const;
    // `open` is called with the path of what is chosen.
    void fill(QMenu& menu, const std::function<void(const QString& path)>& open) const;
    void fill(views::StartPage& page) const;

private:
    QStringList files() const;                             // that are still there
    std::vector<session::DocumentSummary> unnamed() const; // the newest first

    const session::Session& session_;
    const PersonSettings& settings_;
};

// "3 schedules": of a document.
QString revisions_text(std::size_t number);
// "blur.loop": the pipeline of a document that has no name of its own.
QString pipeline_name(const session::DocumentSummary& document);

} // namespace loopscope::app
