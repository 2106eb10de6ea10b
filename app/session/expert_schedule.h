#pragma once
// The expert schedule: of those that are shipped for the open pipeline, as it is shipped, the
// quickest on its device by the estimate. A person can look it up, take it, and measure their own
// by it.

#include "app/session/document_device.h"
#include "core/ir/pipeline.h"
#include "views/jobs/latest_job.h"
#include "views/models/expert_time.h"
#include "views/models/snapshots.h"

#include <QObject>

#include <memory>
#include <optional>
#include <string>

namespace loopscope::session {

class MeasuredMedians;
class Session;

struct Expert {
    std::string file;   // resources/pipelines/NAME.gpu.sched
    std::string script; // with the session's `target`, whatever device its own names
    views::EstimatePtr estimate;
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
    // Nothing: one of the two has no time, or it is not known yet.
    std::optional<views::ExpertTime> time(const MeasuredMedians& medians) const;
    Status take(); // its script becomes the schedule, a step of the history

signals:
    void changed();

private:
    struct Request {
        PipelinePtr pipeline;
        DevicePtr device;
        std::string text;   // of the pipeline
        std::string target; // of the session's script
    };
    using Answer = std::optional<Expert>;
    using Job = views::LatestJob<Request, Answer>;

    void look();

    Session& session_;
    PipelinePtr pipeline_; // of which `expert_` is, with the device and the `target`
    DevicePtr device_;
    std::string target_;
    Answer expert_;
    std::unique_ptr<Job> job_;
};

} // namespace loopscope::session
