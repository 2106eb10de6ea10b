#pragma once
// The device that estimates are made for: this machine, a GPU that is attached to it or reached by
// ssh or Slurm, a device that OpenCL has here, one that is described, or one of a file of a
// person's own. Each says in the list what it is good for.

#include "core/device/device.h"

#include <QComboBox>

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class Editing;
class FileDialogs;

class DeviceBox : public QComboBox {
    Q_OBJECT
public:
    DeviceBox(session::Session& session, Editing& editing, FileDialogs& files, QWidget* parent);

    void showPopup() override;

private:
    void fill();
    void add_note(const QString& text, const QString& tip = {});
    // `text`: what the box shows of it; `more`: said before what it is good for.
    void add_device(const device::Device& device, const QString& id, const QString& text,
                    bool present, const QString& name = {}, const QString& more = {});
    void add_host();
    void add_attached();
    void add_opencl();
    void add_described();
    bool is_here(const std::string& name) const;
    void show_tip();
    void add_elsewhere();
    void choose(int index); // of the list
    void ask_for_file();
    void show_remote_gpus();
    void set_device(const QString& name_or_path);

    session::Session& session_;
    Editing& editing_;
    FileDialogs& files_;
};

} // namespace loopscope::app
