#include "app/windows/export_dialog.h"

#include "app/session/source_texts.h"
#include "app/windows/services.h"
#include "core/base/output_forms.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>
#include <vector>

namespace loopscope::app {

namespace {

// A line of the dialog: a form of output, with a main or without; without a form the schedule's
// text.
struct ExportForm {
    const OutputForm* form = nullptr;
    bool with_main = false;
    QString filter, ending;
};

// Where a form stands in the list: source for the document's machine that can be compiled and run
// elsewhere, what else is of that machine, what is of any, and what is of the other one.
int rank(const OutputForm& form, OutputForm::Machine machine) {
    if (form.machine == machine)
        return form.main_does ? 0 : 1;
    return form.machine == OutputForm::Machine::Any ? 2 : 3;
}

std::vector<const OutputForm*> in_order_for(OutputForm::Machine machine) {
    std::vector<const OutputForm*> all;
    for (const auto& form : output_forms())
        all.push_back(&form);
    std::stable_sort(all.begin(), all.end(), [&](const OutputForm* a, const OutputForm* b) {
        return rank(*a, machine) < rank(*b, machine);
    });
    return all;
}

std::vector<ExportForm> export_forms(bool gpu) {
    const auto machine = gpu ? OutputForm::Machine::Gpu : OutputForm::Machine::Processor;
    std::vector<ExportForm> all;
    auto add = [&](const OutputForm* form, bool with_main, const QString& title,
                   const char* ending) {
        const auto end = QString::fromLatin1(ending);
        all.push_back({form, with_main, QStringLiteral("%1 (*%2)").arg(title, end), end});
    };
    for (const auto* form : in_order_for(machine)) {
        const auto title = QObject::tr(form->title);
        const auto remark = gpu && form->machine == OutputForm::Machine::Processor
                                ? QObject::tr(": the kernels' loops in order, on a processor")
                                : QString();
        add(form, false, title + remark, form->ending);
        if (form->main_does)
            add(form, true,
                QObject::tr("%1 with a main that %2").arg(title, QObject::tr(form->main_does)) +
                    remark,
                form->ending);
    }
    add(nullptr, false, QObject::tr("Schedule"), ".sched");
    return all;
}

const ExportForm& form_of(const std::vector<ExportForm>& forms, const QString& filter) {
    const auto found = std::find_if(forms.begin(), forms.end(),
                                    [&](const ExportForm& each) { return each.filter == filter; });
    return found == forms.end() ? forms.front() : *found;
}

void write(Services& services, const ExportForm& form, const QString& path) {
    if (form.form)
        services.session.sources().export_to_file(
            {form.form->name, form.with_main, path.toStdString()});
    else
        services.files.say_saved(path, services.session.save_schedule(path.toStdString()));
}

} // namespace

void show_export_dialog(Services& services) {
    services.editing.flush();
    const auto stem = QFileInfo(services.session.title()).completeBaseName();
    auto* dialog = services.files.make(QObject::tr("Export"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const auto forms = export_forms(services.session.device()->gpu.has_value());
    QStringList filters;
    for (const auto& form : forms)
        filters << form.filter;
    dialog->setNameFilters(filters);
    auto choose = [dialog, stem, forms](const QString& filter) {
        FileDialogs::set_ending(*dialog, stem, form_of(forms, filter).ending);
    };
    const auto first = forms.front().filter; // what is offered first is what is usual
    dialog->selectNameFilter(first);
    choose(first);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, choose);
    QObject::connect(dialog, &QFileDialog::accepted, dialog, [&services, dialog, forms] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty() || !services.session.is_open())
            return;
        services.files.set_folder(path);
        write(services, form_of(forms, dialog->selectedNameFilter()), path);
    });
    dialog->open();
}

} // namespace loopscope::app
