// Export: what the schedule compiles to, and the schedule itself, as files.

#include "app/windows/main_window.h"

#include "app/session/source_texts.h"
#include "core/base/output_forms.h"
#include "views/models/snapshots.h"
#include "views/widgets/script_editor.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>
#include <vector>

namespace loopscope::app {

using namespace views;

namespace {

// A line of the dialog: a form of output, with a main or without; without a form the schedule's text.
struct ExportForm {
    const OutputForm* form = nullptr;
    bool with_main = false;
    QString filter, ending;
};

std::vector<ExportForm> export_forms() {
    std::vector<ExportForm> all;
    auto add = [&](const OutputForm* form, bool with_main, const QString& title,
                   const char* ending) {
        const auto end = QString::fromLatin1(ending);
        all.push_back({form, with_main, QStringLiteral("%1 (*%2)").arg(title, end), end});
    };
    for (const auto& form : output_forms()) {
        const auto title = MainWindow::tr(form.title);
        add(&form, false, title, form.ending);
        if (form.main_does)
            add(&form, true,
                MainWindow::tr("%1 with a main that %2").arg(title, MainWindow::tr(form.main_does)),
                form.ending);
    }
    add(nullptr, false, MainWindow::tr("Schedule"), ".sched");
    return all;
}

// What is offered first: source for the document's machine, to be compiled elsewhere.
const ExportForm& usual(const std::vector<ExportForm>& forms, bool gpu) {
    const auto machine = gpu ? OutputForm::Machine::Gpu : OutputForm::Machine::Processor;
    const auto found = std::find_if(forms.begin(), forms.end(), [&](const ExportForm& each) {
        return each.form && each.form->main_does && each.form->machine == machine;
    });
    return found == forms.end() ? forms.front() : *found;
}

const ExportForm& form_of(const std::vector<ExportForm>& forms, const QString& filter) {
    const auto found = std::find_if(forms.begin(), forms.end(),
                                    [&](const ExportForm& each) { return each.filter == filter; });
    return found == forms.end() ? forms.front() : *found;
}

} // namespace

void MainWindow::export_dialog() {
    if (!session_->is_open())
        return;
    script_->flush();
    const auto stem = QFileInfo(session_->title()).completeBaseName();
    auto* dialog = new QFileDialog(this, tr("Export"), folder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const auto forms = export_forms();
    QStringList filters;
    for (const auto& form : forms)
        filters << form.filter;
    dialog->setNameFilters(filters);
    auto choose = [dialog, stem, forms](const QString& filter) {
        const auto& ending = form_of(forms, filter).ending;
        dialog->setDefaultSuffix(ending.mid(1));
        dialog->selectFile(stem + ending);
    };
    const auto first = usual(forms, session_->device()->gpu.has_value()).filter;
    dialog->selectNameFilter(first);
    choose(first);
    connect(dialog, &QFileDialog::filterSelected, this, choose);
    connect(dialog, &QFileDialog::accepted, this, [this, dialog, forms] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty() || !session_->is_open())
            return;
        set_folder(path);
        const auto& form = form_of(forms, dialog->selectedNameFilter());
        if (form.form) {
            session_->sources().export_to_file(
                {form.form->name, form.with_main, path.toStdString()});
            return;
        }
        if (auto status = session_->save_schedule(path.toStdString()); !status)
            refused({}, status.errors());
        else
            say(tr("Saved %1").arg(path), false);
    });
    dialog->open();
}

} // namespace loopscope::app
