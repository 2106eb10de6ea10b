#pragma once
// Pictures of views as files and on paper: whole, under a line that says what they are of.

#include "core/base/result.h"
#include "views/widgets/picture.h"

#include <QCoreApplication>
#include <QString>

class QFileDialog;
class QPrinter;
class QWidget;

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class Editing;
class FileDialogs;
class Messages;

class Pictures {
    Q_DECLARE_TR_FUNCTIONS(loopscope::app::Pictures)
public:
    Pictures(QWidget& window, session::Session& session, Editing& editing, FileDialogs& files,
             const Messages& messages);

    // Asks where to, and draws what the view then shows.
    void ask(views::Pictured& of, views::PictureUse use);
    Status print(views::Pictured& of, QPrinter& printer) const;

private:
    void ask_for_file(views::Pictured& of);
    void ask_for_printer(views::Pictured& of);
    Result<views::Picture> titled(views::Pictured& of) const;
    QString subject() const; // "blur · tiled, parallel · h200, described"

    QWidget& window_;
    session::Session& session_;
    Editing& editing_;
    FileDialogs& files_;
    const Messages& messages_;
};

} // namespace loopscope::app
