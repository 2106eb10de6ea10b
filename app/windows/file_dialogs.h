#pragma once
// Asks a person for paths, beginning where the last one was, and writes what they asked for.

#include "app/windows/person_settings.h"
#include "core/base/result.h"

#include <QCoreApplication>
#include <QString>

#include <functional>
#include <string>

class QFileDialog;
class QWidget;

namespace loopscope::session {
class Session;
}

namespace loopscope::views {
class RowCopying;
}

namespace loopscope::app {

class Editing;
class Messages;

class FileDialogs {
    Q_DECLARE_TR_FUNCTIONS(loopscope::app::FileDialogs)
public:
    FileDialogs(QWidget& window, session::Session& session, Editing& editing,
                const Messages& messages, const PersonSettings& settings);

    // Empty: none was chosen.
    QString ask_to_open(const QString& title, const QString& filter);
    QFileDialog* make(const QString& title,
                      const QString& filter = {}); // to be opened; it deletes itself
    void set_folder(const QString& path) const;    // the next dialog begins there
    // Of a dialog to save: what a name without an ending gets. The name in its field keeps all but
    // its ending; an empty one becomes `stem`.
    static void set_ending(QFileDialog& dialog, const QString& stem, const QString& ending);

    // `write` has a path that the person chose, of a file that they mean to replace if there is
    // one; what came of it is said.
    using Write = std::function<Status(const std::string& path)>;
    void save(const QString& filter, const QString& ending, const Write& write,
              const QString& title = tr("Save"), const QString& done = tr("Saved %1"));
    void save_rows(const views::RowCopying& rows); // of a table, as CSV
    // What came of writing to a path.
    void say_saved(const QString& path, const Status& status, const QString& done = tr("Saved %1"));

private:
    QString folder() const; // of the last dialog

    QWidget& window_;
    session::Session& session_;
    Editing& editing_;
    const Messages& messages_;
    const PersonSettings& settings_;
};

} // namespace loopscope::app
