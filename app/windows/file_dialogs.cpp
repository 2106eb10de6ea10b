#include "app/windows/file_dialogs.h"

#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/messages.h"

#include <QFileDialog>
#include <QFileInfo>

namespace loopscope::app {

namespace {
const QString kFolder = QStringLiteral("folder");
}

FileDialogs::FileDialogs(QWidget& window, session::Session& session, Editing& editing,
                         const Messages& messages, const PersonSettings& settings)
    : window_(window),
      session_(session),
      editing_(editing),
      messages_(messages),
      settings_(settings) {}

QString FileDialogs::folder() const { return settings_.value(kFolder).toString(); }

void FileDialogs::set_folder(const QString& path) const {
    settings_.set(kFolder, QFileInfo(path).absolutePath());
}

QString FileDialogs::ask_to_open(const QString& title, const QString& filter) {
    const auto path = QFileDialog::getOpenFileName(&window_, title, folder(), filter);
    if (!path.isEmpty())
        set_folder(path);
    return path;
}

QFileDialog* FileDialogs::make(const QString& title, const QString& filter) {
    auto* dialog = new QFileDialog(&window_, title, folder(), filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

void FileDialogs::save(const QString& filter, const QString& ending, const Write& write) {
    editing_.flush();
    const auto name = QFileInfo(session_.title()).completeBaseName() + ending;
    auto path = QFileDialog::getSaveFileName(
        &window_, tr("Save"), folder().isEmpty() ? name : folder() + "/" + name, filter);
    if (path.isEmpty())
        return;
    set_folder(path);
    if (QFileInfo(path).suffix().isEmpty())
        path += ending;
    say_saved(path, write(path.toStdString()));
}

void FileDialogs::save_picture(const Write& write) {
    save(tr("Picture (*.png *.svg *.pdf)"), QStringLiteral(".png"), write);
}

void FileDialogs::say_saved(const QString& path, const Status& status) {
    if (status)
        messages_.say(tr("Saved %1").arg(path));
    else
        editing_.refused({}, status.errors());
}

} // namespace loopscope::app
