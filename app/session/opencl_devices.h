#pragma once
// The devices that OpenCL has on this machine, as the worker for OpenCL finds them: it alone loads
// drivers, and one that hangs or crashes harms no window and delays no other answer.

#include "app/session/document_device.h"
#include "compiler/protocol/worker_client.h"
#include "views/jobs/latest_job.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::session {

class Session;

// Measures the peaks of the device of that target through a worker of its own, and keeps them: the
// device with them. Errors: the worker's; there is no such device any more.
Result<device::Device> probe_opencl(const std::string& target,
                                    const measure::RequestOptions& options);

class OpenclDevices : public QObject {
    Q_OBJECT
public:
    explicit OpenclDevices(Session& session);
    ~OpenclDevices() override;

    // Asks the worker, in the background and for a while at most; what it finds becomes the
    // session's devices.
    void look();
    // Why none was found; empty: some were, or nobody has looked yet.
    const QString& none() const { return none_; }
    // The platform of the device of that target, in its own words.
    QString platform(const std::string& target) const;
    void set_worker(measure::WorkerOptions options,
                    double timeout_seconds); // another one, in tests

signals:
    void changed();

private:
    struct Request {
        measure::WorkerOptions worker;
        double timeout_seconds = 0;
    };
    struct Answer {
        std::vector<DevicePtr> devices;
        std::map<std::string, QString> platforms; // by target
        Diagnostics errors;
    };
    using Job = views::LatestJob<Request, Answer>;

    static Answer ask(const Request& request, const std::atomic<bool>& cancel);
    void finish(const Answer& answer);

    Session& session_;
    Request request_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    QString none_;
    std::map<std::string, QString> platforms_;
    std::unique_ptr<Job> job_;
};

} // namespace loopscope::session
