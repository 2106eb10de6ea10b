#include "app/windows/file_dialogs.h"

#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/messages.h"
#include "views/widgets/row_copying.h"

#include <QDir>
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

void FileDialogs::set_ending(QFileDialog& dialog, const QString& stem, const QString& ending) {
    const QFileInfo named(dialog.selectedFiles().value(0));
    const auto name = named.isDir() ? QString() : named.completeBaseName();
    dialog.setDefaultSuffix(ending.mid(1));
    dialog.selectFile(name.isEmpty() ? stem + ending : named.dir().filePath(name + ending));
}

void FileDialogs::save(const QString& filter, const QString& ending, const Write& write,
                       const QString& title, const QString& done) {
    editing_.flush();
    auto* dialog = make(title, filter);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    set_ending(*dialog, QFileInfo(session_.title()).completeBaseName(), ending);
    QObject::connect(dialog, &QFileDialog::accepted, dialog, [this, dialog, write, done] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty())
            return;
        set_folder(path);
        say_saved(path, write(path.toStdString()), done);
    });
    dialog->exec(); // whoever saves before something is let go of waits for it
}

void FileDialogs::save_rows(const views::RowCopying& rows) {
    save(tr("Table (*.csv)"), QStringLiteral(".csv"),
         [&rows](const std::string& path) { return rows.save_csv(QString::fromStdString(path)); });
}

void FileDialogs::say_saved(const QString& path, const Status& status, const QString& done) {
    if (status)
        messages_.say(done.arg(path));
    else
        editing_.refused({}, status.errors());
}

} // namespace loopscope::app
