#pragma once
// The device that estimates are made for: this machine, one that the resources describe, or one of
// a file of a person's own.

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

private:
    void fill();
    void choose(int index); // of the list
    void ask_for_file();
    void set_device(const QString& name_or_path);

    session::Session& session_;
    Editing& editing_;
    FileDialogs& files_;
};

} // namespace loopscope::app
