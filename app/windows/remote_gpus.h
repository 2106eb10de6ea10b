#pragma once
// Remote GPUs: the places that the person has added, and a new one, which is tried before it is
// kept.

#include "app/session/gpus_elsewhere.h"

#include <QDialog>

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class RemoteGpus : public QDialog {
    Q_OBJECT
public:
    RemoteGpus(session::Session& session, QWidget* parent);

signals:
    void added(const QString& target); // a GPU of the place that was added

private:
    void typed();
    void try_it();
    void take(const std::vector<session::DevicePtr>& gpus, const Diagnostics& errors);
    void add();
    void remove();
    void fill();
    void say(const QString& text, bool wrong);

    session::Session& session_;
    session::GpusElsewhere& gpus_;
    QListWidget* places_;
    QLineEdit* place_;
    QLabel* answer_;
    QProgressBar* progress_;
    QPushButton *try_, *add_, *remove_;
    QString target_; // of the GPU that is chosen once its place is added
};

} // namespace loopscope::app
