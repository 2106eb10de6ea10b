// Export: what the schedule compiles to, and the schedule itself, as files.

#include "app/windows/main_window.h"

#include "views/models/snapshots.h"
#include "views/widgets/script_editor.h"

#include <QFileDialog>
#include <QFileInfo>

namespace loopscope::app {

using namespace views;

namespace {

struct ExportForm {
    const char* name;
    const char* ending;
    const char* form; // what the worker calls it; empty: the schedule's own text
    bool with_main;
};
constexpr ExportForm kForms[] = {
    {QT_TR_NOOP("C source"), ".c", "c", false},
    {QT_TR_NOOP("C source with a main that runs and times it"), ".c", "c", true},
    {QT_TR_NOOP("CUDA C++"), ".cu", "cuda", false},
    {QT_TR_NOOP("CUDA C++ with a main that launches, checks and times it"), ".cu", "cuda", true},
    {QT_TR_NOOP("OpenCL C"), ".cl", "opencl", false},
    {QT_TR_NOOP("PTX"), ".ptx", "ptx", false},
    {QT_TR_NOOP("Halide C++"), ".halide.cpp", "halide", false},
    {QT_TR_NOOP("TVM TensorIR"), ".tvm.py", "tvm", false},
    {QT_TR_NOOP("Pseudo-loops"), ".loops.txt", "loops", false},
    {QT_TR_NOOP("LLVM IR"), ".ll", "llvm", false},
    {QT_TR_NOOP("Schedule"), ".sched", "", false}};

QString filter_of(const ExportForm& form) {
    return QStringLiteral("%1 (*%2)").arg(MainWindow::tr(form.name), QLatin1String(form.ending));
}

const ExportForm& form_of(const QString& filter) {
    for (const auto& form : kForms)
        if (filter_of(form) == filter)
            return form;
    return kForms[0];
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
    QStringList filters;
    for (const auto& form : kForms)
        filters << filter_of(form);
    dialog->setNameFilters(filters);
    auto choose = [dialog, stem](const QString& filter) {
        const QString ending = QLatin1String(form_of(filter).ending);
        dialog->setDefaultSuffix(ending.mid(1));
        dialog->selectFile(stem + ending);
    };
    choose(filters.front());
    connect(dialog, &QFileDialog::filterSelected, this, choose);
    connect(dialog, &QFileDialog::accepted, this, [this, dialog] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty() || !session_->is_open())
            return;
        set_folder(path);
        const auto& form = form_of(dialog->selectedNameFilter());
        if (*form.form) {
            session_->export_source({form.form, form.with_main, path.toStdString()});
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
