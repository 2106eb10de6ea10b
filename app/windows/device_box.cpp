#include "app/windows/device_box.h"

#include "app/session/attached_gpus.h"
#include "app/session/gpus_elsewhere.h"
#include "app/session/opencl_devices.h"
#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/file_dialogs.h"
#include "app/windows/open_error.h"
#include "app/windows/remote_gpus.h"
#include "compiler/measure/host_device.h"
#include "views/models/device_text.h"
#include "views/style/theme.h"
#include "views/widgets/two_line_delegate.h"

#include <QAbstractItemView>
#include <QFileDialog>
#include <QStandardItemModel>

#include <algorithm>

namespace loopscope::app {

using views::to_qstring;

namespace {
const QString kRemote = QStringLiteral("add a remote GPU"); // no device has such a name
constexpr int kOpenclName = 18, kDescribedName = 24;        // characters that the box has room for

// "1" of "cuda:1"
QString number_of(const device::Device& device) {
    return to_qstring(device.target).section(':', 1);
}
} // namespace

DeviceBox::DeviceBox(session::Session& session, Editing& editing, FileDialogs& files,
                     QWidget* parent)
    : QComboBox(parent), session_(session), editing_(editing), files_(files) {
    setAccessibleName(tr("Device"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents); // devices come and go
    setItemDelegate(new views::TwoLineDelegate(this));
    connect(this, &QComboBox::activated, this, &DeviceBox::choose);
    connect(&session_, &session::Session::deviceChanged, this, &DeviceBox::fill);
    connect(&session_.attached_gpus(), &session::AttachedGpus::changed, this, &DeviceBox::fill);
    connect(&session_.gpus_elsewhere(), &session::GpusElsewhere::changed, this, &DeviceBox::fill);
    connect(&session_.opencl_devices(), &session::OpenclDevices::changed, this, &DeviceBox::fill);
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
                           bool present, const QString& name, const QString& more) {
    addItem(text, id);
    const int index = count() - 1;
    const auto whole = name.isEmpty() ? text : name;
    const auto use = more.isEmpty() ? views::good_for(d)
                                    : QStringLiteral("%1, %2").arg(more, views::good_for(d));
    setItemData(index, whole, views::TwoLineDelegate::FirstLine);
    setItemData(index, use, views::TwoLineDelegate::SecondLine);
    setItemData(index, tr("%1: %2").arg(whole, use), Qt::AccessibleTextRole);
    setItemData(index, QStringLiteral("%1\n%2\n%3").arg(whole, use, to_qstring(d.description)),
                Qt::ToolTipRole);
    if (present)
        setCurrentIndex(index);
}

void DeviceBox::add_host() {
    const auto& host = *session_.host();
    add_device(host, QStringLiteral("host"),
               host.cores == 1 ? tr("This machine · 1 core")
                               : tr("This machine · %1 cores").arg(host.cores),
               session_.device()->is_host);
}

// GPUs of one model are told apart by their numbers.
void DeviceBox::add_attached() {
    const auto& gpus = session_.attached();
    const auto current = session_.device();
    add_note(tr("Attached GPUs"));
    for (const auto& gpu : gpus)
        add_device(*gpu, to_qstring(gpu->target),
                   gpus.size() == 1
                       ? tr("%1 · attached").arg(to_qstring(gpu->name))
                       : tr("%1 · attached, GPU %2").arg(to_qstring(gpu->name), number_of(*gpu)),
                   current->target == gpu->target);
    if (gpus.empty())
        add_note(tr("none"), session_.attached_gpus().none());
}

// By the names that OpenCL has for them, of which some are long.
void DeviceBox::add_opencl() {
    const auto& devices = session_.opencl();
    const auto current = session_.device();
    add_note(tr("Through OpenCL"));
    for (const auto& device : devices) {
        auto text = [&](const QString& name) {
            return devices.size() == 1 ? tr("%1 · OpenCL").arg(name)
                                       : tr("%1 · OpenCL, device %2").arg(name, number_of(*device));
        };
        const auto name = to_qstring(device->gpu->driver_names.front());
        add_device(*device, to_qstring(device->target), text(views::shortened(name, kOpenclName)),
                   current->target == device->target, text(name),
                   session_.opencl_devices().platform(device->target));
    }
    if (devices.empty())
        add_note(tr("none"), session_.opencl_devices().none());
}

void DeviceBox::add_elsewhere() {
    const auto current = session_.device();
    add_note(tr("Remote GPUs"));
    for (const auto& gpu : session_.elsewhere())
        add_device(*gpu, to_qstring(gpu->target),
                   tr("%1 · %2").arg(to_qstring(gpu->name), to_qstring(gpu->target)),
                   current->target == gpu->target);
    if (!session_.gpus_elsewhere().errors().empty())
        add_note(tr("their settings cannot be read"),
                 to_qstring(format(session_.gpus_elsewhere().errors())));
    addItem(tr("Add a remote GPU…"), kRemote);
}

bool DeviceBox::is_here(const std::string& name) const {
    auto named = [&](const auto& device) { return device->name == name; };
    const auto &gpus = session_.gpus(), &opencl = session_.opencl();
    return std::any_of(gpus.begin(), gpus.end(), named) ||
           std::any_of(opencl.begin(), opencl.end(), named);
}

void DeviceBox::add_described() {
    const auto current = session_.device();
    auto add = [&](const device::Device& device, const std::string& id, bool present) {
        const auto name = to_qstring(device.name);
        add_device(device, to_qstring(id),
                   tr("%1 · described").arg(views::shortened(name, kDescribedName)), present,
                   tr("%1 · described").arg(name));
    };
    add_note(tr("Described: for estimates"));
    bool listed = current->is_here();
    for (const auto& name : measure::known_devices()) {
        if (is_here(name)) // it stands for the description of its model
            continue;
        const auto device = measure::find_device(name);
        if (!device)
            continue;
        // A file of a person's own may call its device by the name of another.
        const bool present = !current->is_here() && device->file == current->file;
        // The name is that of the one which the document brought with it, if it did.
        add(*device, session_.carried().count(name) ? device->file : name, present);
        listed = listed || present;
    }
    for (const auto& [name, device] : session_.carried()) {
        add_device(*device, to_qstring(is_here(name) ? session::name_of_carried(name) : name),
                   tr("%1 · of the document").arg(to_qstring(device->name)), device == current);
        listed = listed || device == current;
    }
    if (!listed)
        add(*current, current->file.empty() ? current->name : current->file, true);
}

void DeviceBox::fill() {
    clear();
    add_host();
    insertSeparator(count());
    add_attached();
    insertSeparator(count());
    add_opencl();
    insertSeparator(count());
    add_elsewhere();
    insertSeparator(count());
    add_described();
    insertSeparator(count());
    addItem(tr("Another, from a file…")); // the one without an id that can be chosen
    show_tip();
}

void DeviceBox::show_tip() {
    setToolTip(
        tr("The machine that estimates are made for, and that is measured if it is here:\n%1")
            .arg(itemData(currentIndex(), Qt::ToolTipRole).toString()));
}

// Devices come and go: the list is that of now once the answers are there.
void DeviceBox::showPopup() {
    session_.attached_gpus().look();
    session_.opencl_devices().look();
    // The lines are longer than what the box shows.
    const auto lines =
        view()->sizeHintForColumn(0) + style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    const auto room = window()->width() - mapTo(window(), QPoint()).x() - views::kGap;
    view()->setMinimumWidth(std::min(lines, room));
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
