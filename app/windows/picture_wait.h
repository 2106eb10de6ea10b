#pragma once
// What panels draw, once it is of the present schedule and device: also what nobody sees, which is
// drawn for it. For pictures and the report.

#include "core/base/result.h"
#include "core/schedule/tree.h"
#include "views/models/snapshots.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <vector>

namespace loopscope::app {

class Panel;
struct Services;

class PictureWait : public QObject {
    Q_OBJECT
public:
    PictureWait(Services& services, std::vector<Panel*> panels);

    using Holds = std::function<bool()>;
    using Done = std::function<void(const Status&)>;
    // Calls `done` once, perhaps at once; the newest wins. `too`: what else has to hold. Errors:
    // the document was closed meanwhile; it takes too long.
    void begin(Done done, Holds too = [] { return true; });
    bool busy() const { return done_ != nullptr; }
    void set_patience(int milliseconds) { patience_ = milliseconds; }

private:
    void look();
    bool drawn();
    void finish(const Status& status);

    Services& services_;
    std::vector<Panel*> panels_;
    QTimer timer_;
    QElapsedTimer since_;
    int patience_;
    Done done_; // null: nothing is under way
    Holds too_;
    std::uint64_t opening_ = 0; // of which document it is
    // That the panels were asked to draw.
    ScheduleTreePtr tree_;
    views::DevicePtr device_;
};

} // namespace loopscope::app
