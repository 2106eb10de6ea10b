#include "app/windows/pictures.h"

#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/file_dialogs.h"
#include "app/windows/messages.h"
#include "views/models/snapshots.h"
#include "views/widgets/picture_export.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QPrintDialog>
#include <QPrinter>

#include <algorithm>
#include <memory>
#include <vector>

namespace loopscope::app {

using namespace views;

namespace {

// A line of the dialog.
struct FileForm {
    QString filter, ending;
    double scale = kUsualScale; // of a PNG
};

std::vector<FileForm> file_forms() {
    std::vector<FileForm> forms{{Pictures::tr("Vector picture (*.svg)"), ".svg"},
                                {Pictures::tr("PDF (*.pdf)"), ".pdf"}};
    for (const int scale : {1, 2, 4})
        forms.push_back(
            {Pictures::tr("Pixels, %1 times as many as on the screen (*.png)").arg(scale), ".png",
             static_cast<double>(scale)});
    return forms;
}

const FileForm& form_of(const std::vector<FileForm>& forms, const QString& filter) {
    const auto found = std::find_if(forms.begin(), forms.end(),
                                    [&](const FileForm& each) { return each.filter == filter; });
    return found == forms.end() ? forms.front() : *found;
}

} // namespace

Pictures::Pictures(QWidget& window, session::Session& session, Editing& editing, FileDialogs& files,
                   const Messages& messages)
    : window_(window), session_(session), editing_(editing), files_(files), messages_(messages) {}

void Pictures::ask(Pictured& of, PictureUse use) {
    if (const auto now = titled(of); !now) // before anybody chooses a name in vain
        return editing_.refused({}, now.errors());
    use == PictureUse::Save ? ask_for_file(of) : ask_for_printer(of);
}

void Pictures::ask_for_file(Pictured& of) {
    auto* dialog = files_.make(tr("Save picture"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const auto forms = file_forms();
    QStringList filters;
    for (const auto& form : forms)
        filters << form.filter;
    dialog->setNameFilters(filters);
    const auto stem = QFileInfo(session_.title()).completeBaseName() + '-' + of.picture()->name;
    auto choose = [dialog, stem, forms](const QString& filter) {
        FileDialogs::set_ending(*dialog, stem, form_of(forms, filter).ending);
    };
    choose(dialog->selectedNameFilter());
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, choose);
    QObject::connect(dialog, &QFileDialog::accepted, dialog, [this, &of, dialog, forms] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty())
            return;
        files_.set_folder(path);
        const auto picture = titled(of);
        const auto scale = form_of(forms, dialog->selectedNameFilter()).scale;
        files_.say_saved(path,
                         picture ? save_picture(*picture, path, scale) : Status(picture.errors()));
    });
    dialog->open();
}

void Pictures::ask_for_printer(Pictured& of) {
    auto printer = std::make_shared<QPrinter>(QPrinter::HighResolution);
    const QSize size = of.picture()->size;
    printer->setPageOrientation(size.width() > size.height() ? QPageLayout::Landscape
                                                             : QPageLayout::Portrait);
    auto* dialog = new QPrintDialog(printer.get(), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setOptions(QAbstractPrintDialog::PrintToFile | QAbstractPrintDialog::PrintShowPageSize);
    QObject::connect(dialog, &QDialog::accepted, dialog, [this, &of, printer] {
        if (const auto done = print(of, *printer))
            messages_.say(tr("Printed"), false);
        else
            editing_.refused({}, done.errors());
    });
    dialog->open();
}

Status Pictures::print(Pictured& of, QPrinter& printer) const {
    const auto picture = titled(of);
    return picture ? print_picture(*picture, printer) : Status(picture.errors());
}

Result<Picture> Pictures::titled(Pictured& of) const {
    if (!session_.is_open())
        return error("there is nothing to draw: no document is open", "open a pipeline first");
    auto picture = of.picture();
    if (!picture)
        return picture;
    const auto line = picture->title + QStringLiteral(" · ") + subject();
    return with_title_line(std::move(*picture), line);
}

QString Pictures::subject() const {
    const auto& device = *session_.device();
    QStringList parts{to_qstring(session_.pipeline()->name),
                      to_qstring(session_.document()->current().name),
                      device.is_here() ? to_qstring(device.name)
                                       : tr("%1, described").arg(to_qstring(device.name))};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

} // namespace loopscope::app
