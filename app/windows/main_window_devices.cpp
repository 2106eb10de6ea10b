// The device that estimates are made for: this machine, one that the resources describe, or one of a file of a person's own.

#include "app/windows/main_window.h"

#include "app/windows/open_error.h"
#include "compiler/measure/host_device.h"
#include "views/models/snapshots.h"

#include <QComboBox>
#include <QFileDialog>

namespace loopscope::app {

using namespace views;

void MainWindow::fill_devices() {
    devices_->clear();
    auto current = session_->device();
    // A file of a person's own may call its device by the name of another.
    auto add_device = [&](const device::Device& d, const QString& id) {
        auto text = !d.is_host     ? to_qstring(d.name) + tr(" · described")
                    : d.cores == 1 ? tr("This machine · 1 core")
                                   : tr("This machine · %1 cores").arg(d.cores);
        devices_->addItem(text, id);
        devices_->setItemData(devices_->count() - 1, to_qstring(d.description), Qt::ToolTipRole);
        const bool same = d.is_host ? current->is_host : d.file == current->file;
        if (same)
            devices_->setCurrentIndex(devices_->count() - 1);
        return same;
    };
    bool listed = add_device(*session_->host(), QStringLiteral("host"));
    for (const auto& name : measure::described_devices())
        if (auto device = measure::find_device(name))
            listed = add_device(*device, to_qstring(name)) || listed;
    if (!listed)
        add_device(*current, to_qstring(current->file.empty() ? current->name : current->file));
    devices_->insertSeparator(devices_->count());
    devices_->addItem(tr("Another, from a file…")); // the one without an id
}

void MainWindow::choose_device(int index) {
    const auto id = devices_->itemData(index).toString();
    if (!id.isEmpty()) {
        set_device(id);
        return;
    }
    fill_devices(); // the list goes on showing the present one
    auto* dialog = new QFileDialog(this, tr("The description of a device"), folder(),
                                   tr("Descriptions of devices (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::accepted, this, [this, dialog] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty())
            return;
        set_folder(path);
        // Of a file that is no description all that is wrong, each with its place.
        if (auto described = measure::load_device_file(path.toStdString()); !described)
            return show_open_error(*this, path, to_qstring(format(described.errors())));
        set_device(path);
    });
    dialog->open();
}

void MainWindow::set_device(const QString& name_or_path) {
    if (auto status = session_->set_device(name_or_path.toStdString()); !status) {
        refused({}, status.errors());
        fill_devices();
    }
}

} // namespace loopscope::app
