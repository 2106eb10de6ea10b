#include "views/jobs/handover.h"

#include <QCoreApplication>
#include <QEvent>

#include <utility>

namespace loopscope::views {

namespace {

const int kPosted = QEvent::registerEventType();

} // namespace

void Handover::post(std::function<void()> task) {
    {
        std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(task));
    }
    QCoreApplication::postEvent(this, new QEvent(static_cast<QEvent::Type>(kPosted)));
}

bool Handover::event(QEvent* event) {
    if (event->type() != kPosted)
        return QObject::event(event);
    // One an event: a task may wait in an event loop of its own, or be this object's end.
    std::function<void()> task;
    {
        std::lock_guard lock(mutex_);
        task = std::move(waiting_.front());
        waiting_.pop_front();
    }
    task();
    return true;
}

} // namespace loopscope::views
