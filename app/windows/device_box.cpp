#include "app/windows/device_box.h"

#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/file_dialogs.h"
#include "app/windows/open_error.h"
#include "compiler/measure/host_device.h"

#include <QFileDialog>

namespace loopscope::app {

using views::to_qstring;

DeviceBox::DeviceBox(session::Session& session, Editing& editing, FileDialogs& files,
                     QWidget* parent)
    : QComboBox(parent), session_(session), editing_(editing), files_(files) {
    setAccessibleName(tr("Device"));
    setToolTip(tr("The machine that estimates are made for"));
    connect(this, &QComboBox::activated, this, &DeviceBox::choose);
    connect(&session_, &session::Session::deviceChanged, this, &DeviceBox::fill);
    fill();
}

void DeviceBox::fill() {
    clear();
    const auto current = session_.device();
    // A file of a person's own may call its device by the name of another.
    auto add_device = [&](const device::Device& d, const QString& id) {
        auto text = !d.is_host     ? to_qstring(d.name) + tr(" · described")
                    : d.cores == 1 ? tr("This machine · 1 core")
                                   : tr("This machine · %1 cores").arg(d.cores);
        addItem(text, id);
        setItemData(count() - 1, to_qstring(d.description), Qt::ToolTipRole);
        const bool same = d.is_host ? current->is_host : d.file == current->file;
        if (same)
            setCurrentIndex(count() - 1);
        return same;
    };
    bool listed = add_device(*session_.host(), QStringLiteral("host"));
    for (const auto& name : measure::described_devices())
        if (auto device = measure::find_device(name))
            listed = add_device(*device, to_qstring(name)) || listed;
    if (!listed)
        add_device(*current, to_qstring(current->file.empty() ? current->name : current->file));
    insertSeparator(count());
    addItem(tr("Another, from a file…")); // the one without an id
}

void DeviceBox::choose(int index) {
    const auto id = itemData(index).toString();
    if (!id.isEmpty()) {
        set_device(id);
        return;
    }
    fill(); // the list goes on showing the present one
    ask_for_file();
}

void DeviceBox::ask_for_file() {
    auto* dialog =
        files_.make(tr("The description of a device"), tr("Descriptions of devices (*.json)"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::accepted, this, [this, dialog] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty())
            return;
        files_.set_folder(path);
        // Everything wrong with a file that is no description is said, each fault with its place.
        if (auto described = measure::load_device_file(path.toStdString()); !described)
            return show_open_error(*window(), path, to_qstring(format(described.errors())));
        set_device(path);
    });
    dialog->open();
}

void DeviceBox::set_device(const QString& name_or_path) {
    if (auto status = session_.set_device(name_or_path.toStdString()); !status) {
        editing_.refused({}, status.errors());
        fill();
    }
}

} // namespace loopscope::app
