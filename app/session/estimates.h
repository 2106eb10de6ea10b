#pragma once
// Estimates of the present schedule, with advice, and the times of the schedules of its history:
// all off the main thread, the newest request of each kind wins.

#include "app/document/document_contents.h"
#include "app/session/document_device.h"
#include "core/schedule/tree.h"
#include "tuner/model/gpu/shared_use.h"
#include "views/jobs/latest_job.h"
#include "views/models/snapshots.h"

#include <QObject>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::session {

class Session;

using EstimatePtr = views::EstimatePtr;
using SharedUsePtr = std::shared_ptr<const std::vector<model::gpu::SharedBuffer>>;

EstimatePtr shared_estimate(const ScheduleTree& tree, const device::Device& device);

class Estimates : public QObject {
    Q_OBJECT
public:
    explicit Estimates(Session& session);

    EstimatePtr now() const { return estimate_; } // may lag behind the tree: `current`
    bool current() const { return current_; }
    bool settled() const { return current_ && !advice_job_.busy(); } // with its advice
    // Estimated seconds of revisions on the present device, as far as they are known yet.
    const std::map<std::int64_t, double>& predictions() const { return predictions_; }
    // At the end of a step: waits a moment for the estimate that it asked for. Most are there
    // before a screen could show anything, and what shows the schedule is then painted once; where
    // the last one took longer, nobody waits.
    void settle();
    // How shared memory is used: for the picture of its banks. Newest wins; answered by
    // sharedUseReady, with null where it failed, unless the document is let go before.
    void request_shared_use();

signals:
    void changed();
    void predictionsChanged();
    void sharedUseReady(const loopscope::session::SharedUsePtr& use);

private:
    struct Request {
        ScheduleTreePtr tree;
        DevicePtr device;
        std::int64_t revision = 0;
    };
    struct AdviceRequest {
        Request of;
        EstimatePtr estimate;
    };
    struct HistoryRequest {
        PipelinePtr pipeline; // what `program` means, which is the present one
        ProgramPtr program;
        std::string name; // of the pipeline's file
        DevicePtr device;
        struct Script {
            std::int64_t revision;
            std::string script;
            ProgramPtr program; // that it was made for
        };
        std::vector<Script> scripts;
    };
    using Predictions = std::map<std::int64_t, double>;

    static EstimatePtr advised(const AdviceRequest& request, const views::CancelToken& token);
    static Predictions predict(const HistoryRequest& request, const views::CancelToken& token);
    void request();
    void request_predictions();
    void device_changed();
    void take(const Request& request, const EstimatePtr& estimate);
    void forget();

    Session& session_;
    EstimatePtr estimate_;
    bool current_ = false;
    DevicePtr asked_for_, predicted_for_; // devices of the last requests; null: there was none
    Predictions predictions_;
    views::LatestJob<Request, EstimatePtr> job_;
    views::LatestJob<Request, SharedUsePtr> shared_use_job_;
    views::LatestJob<AdviceRequest, EstimatePtr> advice_job_;
    views::LatestJob<HistoryRequest, Predictions> history_job_;
};

} // namespace loopscope::session
