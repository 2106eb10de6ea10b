#pragma once
// What another thread asks to be done in this object's thread. Qt's own queued calls do the same;
// their arguments pass under locks inside Qt that a thread sanitizer does not see, so that each
// looks like a race. Here they pass under ours.

#include <QObject>

#include <deque>
#include <functional>
#include <mutex>

namespace loopscope::views {

class Handover : public QObject {
public:
    // From any thread: `task` runs once in this object's thread, after those posted before it, from
    // its event loop; never if the object is gone by then. Whoever owns the object ends the threads
    // that post before it goes.
    void post(std::function<void()> task);
    // In this object's thread: what was posted until now runs at once, not from the event loop.
    void deliver();

protected:
    bool event(QEvent* event) override;

private:
    std::function<void()> take(); // the oldest that waits; empty: none does

    std::mutex mutex_;
    std::deque<std::function<void()>> waiting_;
};

} // namespace loopscope::views
