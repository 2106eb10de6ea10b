#include "app/windows/device_box.h"

#include "app/session/attached_gpus.h"
#include "app/session/gpus_elsewhere.h"
#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/file_dialogs.h"
#include "app/windows/open_error.h"
#include "app/windows/remote_gpus.h"
#include "compiler/measure/host_device.h"

#include <QFileDialog>
#include <QStandardItemModel>

#include <algorithm>

namespace loopscope::app {

using views::to_qstring;

namespace {
const QString kRemote = QStringLiteral("add a remote GPU"); // no device has such a name
}

DeviceBox::DeviceBox(session::Session& session, Editing& editing, FileDialogs& files,
                     QWidget* parent)
    : QComboBox(parent), session_(session), editing_(editing), files_(files) {
    setAccessibleName(tr("Device"));
    setToolTip(tr("The machine that estimates are made for, and that is measured if it is here"));
    connect(this, &QComboBox::activated, this, &DeviceBox::choose);
    connect(&session_, &session::Session::deviceChanged, this, &DeviceBox::fill);
    connect(&session_.attached_gpus(), &session::AttachedGpus::changed, this, &DeviceBox::fill);
    connect(&session_.gpus_elsewhere(), &session::GpusElsewhere::changed, this, &DeviceBox::fill);
    fill();
}

// A line that nobody can choose.
void DeviceBox::add_note(const QString& text, const QString& tip) {
    addItem(text, QString());
    auto* item = static_cast<QStandardItemModel*>(model())->item(count() - 1);
    item->setFlags(Qt::NoItemFlags);
    item->setToolTip(tip);
}

void DeviceBox::add_device(const device::Device& d, const QString& id, const QString& text,
                           bool present) {
    addItem(text, id);
    setItemData(count() - 1, to_qstring(d.description), Qt::ToolTipRole);
    if (present)
        setCurrentIndex(count() - 1);
}

// GPUs of one model are told apart by their numbers.
void DeviceBox::add_attached() {
    const auto& gpus = session_.attached();
    const auto current = session_.device();
    add_note(tr("Attached GPUs"));
    for (const auto& gpu : gpus) {
        const auto number = to_qstring(gpu->target.substr(gpu->target.find(':') + 1));
        add_device(*gpu, to_qstring(gpu->target),
                   gpus.size() == 1
                       ? tr("%1 · attached").arg(to_qstring(gpu->name))
                       : tr("%1 · attached, GPU %2").arg(to_qstring(gpu->name), number),
                   current->target == gpu->target);
    }
    if (gpus.empty())
        add_note(tr("none"), session_.attached_gpus().none());
}

void DeviceBox::add_elsewhere() {
    const auto& gpus = session_.gpus();
    const auto current = session_.device();
    add_note(tr("Remote GPUs"));
    for (auto i = session_.attached().size(); i < gpus.size(); ++i)
        add_device(*gpus[i], to_qstring(gpus[i]->target),
                   tr("%1 · %2").arg(to_qstring(gpus[i]->name), to_qstring(gpus[i]->target)),
                   current->target == gpus[i]->target);
    if (!session_.gpus_elsewhere().errors().empty())
        add_note(tr("their settings cannot be read"),
                 to_qstring(format(session_.gpus_elsewhere().errors())));
    addItem(tr("Add a remote GPU…"), kRemote);
}

void DeviceBox::fill() {
    clear();
    const auto current = session_.device();
    const auto& host = *session_.host();
    const auto& gpus = session_.gpus();
    add_device(host, QStringLiteral("host"),
               host.cores == 1 ? tr("This machine · 1 core")
                               : tr("This machine · %1 cores").arg(host.cores),
               current->is_host);
    insertSeparator(count());
    add_attached();
    insertSeparator(count());
    add_elsewhere();
    insertSeparator(count());
    add_note(tr("Described: for estimates"));
    bool listed = current->is_here();
    for (const auto& name : measure::known_devices()) {
        // An attached GPU stands for the description of its model, and so does one that the
        // document brought with it.
        if (session_.carried().count(name) ||
            std::any_of(gpus.begin(), gpus.end(),
                        [&](const auto& gpu) { return gpu->name == name; }))
            continue;
        const auto device = measure::find_device(name);
        if (!device)
            continue;
        // A file of a person's own may call its device by the name of another.
        const bool present = !current->is_here() && device->file == current->file;
        add_device(*device, to_qstring(name), tr("%1 · described").arg(to_qstring(name)), present);
        listed = listed || present;
    }
    for (const auto& [name, device] : session_.carried()) {
        add_device(*device, to_qstring(name),
                   tr("%1 · of the document").arg(to_qstring(device->name)), device == current);
        listed = listed || device == current;
    }
    if (!listed)
        add_device(*current, to_qstring(current->file.empty() ? current->name : current->file),
                   tr("%1 · described").arg(to_qstring(current->name)), true);
    insertSeparator(count());
    addItem(tr("Another, from a file…")); // the one without an id that can be chosen
}

// GPUs come and go: the list is that of now once the answer is there.
void DeviceBox::showPopup() {
    session_.attached_gpus().look();
    QComboBox::showPopup();
}

void DeviceBox::choose(int index) {
    const auto id = itemData(index).toString();
    if (id == kRemote) {
        fill(); // the list goes on showing the present one
        show_remote_gpus();
        return;
    }
    if (!id.isEmpty()) {
        set_device(id);
        return;
    }
    fill();
    ask_for_file();
}

void DeviceBox::show_remote_gpus() {
    auto* dialog = new RemoteGpus(session_, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RemoteGpus::added, this, [this](const QString& target) {
        set_device(target); // it was added to be used
    });
    dialog->open();
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
