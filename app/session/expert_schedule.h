#pragma once
// The shipped schedule of the open pipeline that is the quickest on its device by the estimate:
// what a person can look up, take, and measure their own by.

#include "app/session/document_device.h"
#include "core/ir/pipeline.h"
#include "views/jobs/latest_job.h"

#include <QObject>

#include <memory>
#include <optional>
#include <string>

namespace loopscope::session {

class Session;

struct Expert {
    std::string file;   // resources/pipelines/NAME.gpu.sched
    std::string script; // for the session's device, whatever device its own `target` names
    double seconds = 0; // by the estimate
};

class ExpertSchedule : public QObject {
    Q_OBJECT
public:
    explicit ExpertSchedule(Session& session);
    ~ExpertSchedule() override;

    // Null: none is shipped for the pipeline and its device, or it is not known yet.
    const Expert* now() const { return expert_ ? &*expert_ : nullptr; }
    bool settled() const { return !job_->busy(); }
    // The expert's time over the present schedule's, by their estimates: 0.57. Nothing: one of the
    // two has none.
    std::optional<double> share() const;
    Status take(); // its script becomes the schedule, a step of the history

signals:
    void changed();

private:
    struct Request {
        PipelinePtr pipeline;
        DevicePtr device;
    };
    using Answer = std::optional<Expert>;
    using Job = views::LatestJob<Request, Answer>;

    void look();

    Session& session_;
    PipelinePtr pipeline_; // of which `expert_` is
    DevicePtr device_;
    Answer expert_;
    std::unique_ptr<Job> job_;
};

} // namespace loopscope::session
