#pragma once
// GPUs in other machines: the places that the person has added (compiler/remote/known_places.h),
// what is known of their GPUs, and the way to them.

#include "app/session/document_device.h"
#include "compiler/remote/client.h"
#include "views/jobs/handover.h"
#include "views/jobs/latest_job.h"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace loopscope::session {

class Session;

class GpusElsewhere : public QObject {
    Q_OBJECT
public:
    explicit GpusElsewhere(Session& session);
    ~GpusElsewhere() override;

    // The places of the settings, with what their machines said of their GPUs; nothing is asked of
    // them.
    void read();
    const std::vector<remote::Place>& places() const { return places_; }
    // What is wrong with the file of settings, whose places are not known then.
    const Diagnostics& errors() const { return errors_; }

    // Asks a place for its GPUs, in the background; `tried` has the answer. What was asked before
    // is given up.
    void try_place(const remote::Place& place);
    bool trying() const { return job_->busy(); }
    void cancel() { job_->cancel(); } // what is tried: there will be no answer
    // The place that was tried last, and answered, becomes one of the settings, and its GPUs the
    // session's.
    Status add();
    Status remove(const remote::Place& place);

    // The way to a device's target ("ssh:gpu1/1"), the same for all requests; null: the target is
    // no place.
    std::shared_ptr<remote::RemoteClient> client(const std::string& target);

signals:
    void progress(const QString& text);
    void tried(const std::vector<DevicePtr>& gpus, const Diagnostics& errors);
    void changed(); // the places

private:
    struct Request {
        remote::Place place;
    };
    struct Answer {
        remote::Place place;
        nlohmann::json gpus; // as RemoteClient gives them
        std::vector<DevicePtr> devices;
        Diagnostics errors;
    };
    using Job = views::LatestJob<Request, Answer>;

    Answer ask(const Request& request, const views::CancelToken& token);
    void publish();

    Session& session_;
    std::vector<remote::Place> places_;
    Diagnostics errors_;
    std::map<std::string, std::shared_ptr<remote::RemoteClient>> clients_; // by their targets
    Answer answer_;                                                        // the last one
    views::Handover handover_;
    std::unique_ptr<Job> job_;
};

} // namespace loopscope::session
