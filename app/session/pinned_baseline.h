#pragma once
// The schedule that a person pinned, to compare with: a revision of the document, estimated on the
// present device.

#include "core/schedule/tree.h"
#include "views/jobs/latest_job.h"
#include "views/models/snapshots.h"

#include <QObject>

#include <cstdint>
#include <string>
#include <utility>

namespace loopscope::session {

class Estimates;
class Session;

class PinnedBaseline : public QObject {
    Q_OBJECT
public:
    PinnedBaseline(Session& session, const Estimates& estimates);

    void pin(); // the present schedule, once it is estimated
    void clear();
    // Null, empty and 0: nothing is pinned; the estimate is null also until it is made.
    views::EstimatePtr estimate() const { return estimate_; }
    ScheduleTreePtr tree() const { return tree_; }
    std::string script() const;
    std::int64_t revision() const;
    bool settled() const { return !job_.busy(); }

signals:
    void changed();

private:
    using Request = std::pair<ScheduleTreePtr, views::DevicePtr>;

    void device_changed();
    void restore();
    void request();
    void forget();

    Session& session_;
    const Estimates& estimates_;
    views::EstimatePtr estimate_;
    ScheduleTreePtr tree_;
    views::DevicePtr device_; // that it is estimated on
    views::LatestJob<Request, views::EstimatePtr> job_;
};

} // namespace loopscope::session
