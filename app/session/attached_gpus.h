#pragma once
// The GPUs that are attached to this machine, as a worker of its own finds them: it loads their
// driver, and one that hangs or crashes harms no window and delays no other answer.

#include "app/session/document_device.h"
#include "views/jobs/latest_job.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <memory>
#include <vector>

namespace loopscope::session {

class Session;

class AttachedGpus : public QObject {
    Q_OBJECT
public:
    explicit AttachedGpus(Session& session);
    ~AttachedGpus() override;

    void look(); // asks the driver, in the background; what it shows becomes the session's devices
    // Why none was found; empty: some were, or nobody has looked yet.
    const QString& none() const { return none_; }

signals:
    void changed();

private:
    struct Request {};
    struct Answer {
        std::vector<DevicePtr> devices;
        Diagnostics errors;
    };
    using Job = views::LatestJob<Request, Answer>;

    void finish(const Answer& answer);

    Session& session_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    QString none_;
    std::unique_ptr<Job> job_;
};

} // namespace loopscope::session
